package samples

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"syscall"

	"github.com/carozero/carozero/internal/disk"
)

// ErrNotEmpty is wrapped by OpenFolder's error for a folder that holds something.
var ErrNotEmpty = errors.New("choose a new or empty folder")

// Folder is a folder that is written once and completely. Its contents count only when
// its last file exists; until then it holds that file's temporary name, which marks an
// unfinished folder that may be overwritten. It belongs to one goroutine and locks the
// folder until it is closed.
type Folder struct {
	files FS
	lock  io.Closer
	dir   string
	last  string
	wrote []string
}

// OpenFolder makes or opens a folder, which must be empty except for the files of an
// unfinished one of the same kind. last is the name of the last file; own recognises the
// names of the others.
func OpenFolder(files FS, dir, last string, own func(name string) bool) (*Folder, error) {
	if err := files.MkdirAll(dir); err != nil {
		return nil, err
	}
	held, err := files.Lock(dir)
	if err != nil {
		return nil, err
	}
	f := &Folder{files: files, lock: held, dir: dir, last: last}
	if err := f.begin(own); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return f, nil
}

// lockName is the file of a folder's lock.
const lockName = "run.lock"

// begin removes what an unfinished folder holds and marks it as one.
func (f *Folder) begin(own func(string) bool) error {
	names, err := f.files.List(f.dir)
	if err != nil {
		return err
	}
	names = slices.DeleteFunc(names, func(n string) bool { return n == lockName })
	marker := tempPrefix + f.last
	unfinished := slices.Contains(names, marker)
	for _, name := range names {
		if !unfinished || !own(name) && !strings.HasPrefix(name, tempPrefix) {
			return fmt.Errorf("%s holds %s: %w", f.dir, name, ErrNotEmpty)
		}
	}
	for _, name := range names {
		if name != marker {
			if err := f.files.Remove(f.path(name)); err != nil {
				return err
			}
		}
	}
	m, err := f.files.Create(f.path(marker))
	if err != nil {
		return err
	}
	if err := cmp.Or(m.Sync(), m.Close()); err != nil {
		return err
	}
	return f.files.SyncDir(f.dir)
}

func (f *Folder) path(name string) string { return filepath.Join(f.dir, name) }

// Written is the size and digest of a written file.
type Written struct {
	Bytes  int64  `json:"bytes"`
	SHA256 string `json:"sha256"`
}

// Write makes a file with the content that write writes.
func (f *Folder) Write(name string, write func(io.Writer) error) (Written, error) {
	sum, count := sha256.New(), &counter{}
	f.wrote = append(f.wrote, name)
	err := create(f.files, f.path(name), func(w io.Writer) error { return write(io.MultiWriter(w, sum, count)) })
	return Written{count.n, hex.EncodeToString(sum.Sum(nil))}, err
}

// Finish makes the last file, which completes the folder.
func (f *Folder) Finish(write func(io.Writer) error) error {
	if err := create(f.files, f.path(f.last), write); err != nil {
		return err
	}
	f.wrote, f.last = nil, ""
	return nil
}

// Close unlocks the folder. It removes the files of an unfinished folder as far as
// possible, the last file first, so that it never names missing files.
func (f *Folder) Close() error {
	if f.last == "" {
		return f.lock.Close()
	}
	if err := f.files.Remove(f.path(f.last)); err == nil || errors.Is(err, fs.ErrNotExist) {
		for _, name := range f.wrote {
			_ = f.files.Remove(f.path(name))
			_ = f.files.Remove(f.path(tempPrefix + name))
		}
		_ = f.files.Remove(f.path(tempPrefix + f.last)) // last: without it the folder would not be known
	}
	return f.lock.Close()
}

// FS is what a run needs of a file system. Names are paths.
type FS interface {
	// MkdirAll makes a directory and its parents.
	MkdirAll(dir string) error
	// List returns the names of a directory's entries, sorted.
	List(dir string) ([]string, error)
	// Open opens a regular file for reading.
	Open(name string) (io.ReadCloser, error)
	// Size returns the length of a file.
	Size(name string) (int64, error)
	// Create opens a file for writing and empties it.
	Create(name string) (File, error)
	// Append opens a file for writing at its end and creates it if need be.
	Append(name string) (File, error)
	// Truncate cuts a file to size bytes and syncs it.
	Truncate(name string, size int64) error
	// Rename replaces the file to by the file from.
	Rename(from, to string) error
	// Remove deletes a file.
	Remove(name string) error
	// SyncDir makes what was created and renamed in a directory durable.
	SyncDir(dir string) error
	// Lock keeps other processes from writing in a directory until it is
	// closed or this process ends. It does not wait.
	Lock(dir string) (io.Closer, error)
	// Holder describes the process that holds the lock of a directory, "" if none
	// does.
	Holder(dir string) string
}

// File is a file open for writing.
type File interface {
	io.Writer
	Sync() error
	Close() error
}

// Disk is the operating system's file system.
type Disk struct{}

var _ FS = Disk{}

// MkdirAll implements [FS].
func (Disk) MkdirAll(dir string) error { return os.MkdirAll(dir, 0o777) }

// List implements [FS].
func (Disk) List(dir string) ([]string, error) {
	entries, err := os.ReadDir(dir)
	names := make([]string, len(entries))
	for i, e := range entries {
		names[i] = e.Name()
	}
	return names, notThere(err)
}

// Open implements [FS].
func (Disk) Open(name string) (io.ReadCloser, error) {
	f, err := disk.Open(name)
	if err != nil {
		return nil, notThere(&fs.PathError{Op: "open", Path: name, Err: err})
	}
	return f, nil
}

// notThere makes err wrap [fs.ErrNotExist] if a path has a file in place of a directory.
func notThere(err error) error {
	if errors.Is(err, syscall.ENOTDIR) {
		return fmt.Errorf("%w: %w", fs.ErrNotExist, err)
	}
	return err
}

// Size implements [FS].
func (Disk) Size(name string) (int64, error) {
	info, err := os.Stat(name)
	if err != nil {
		return 0, err
	}
	return info.Size(), nil
}

// Create implements [FS]. A link is replaced: what it leads to is not ours.
func (Disk) Create(name string) (File, error) {
	if info, err := os.Lstat(name); err == nil && info.Mode()&fs.ModeSymlink != 0 {
		if err := os.Remove(name); err != nil {
			return nil, err
		}
	}
	return os.Create(name)
}

// Append implements [FS].
func (Disk) Append(name string) (File, error) {
	return os.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
}

// Truncate implements [FS].
func (Disk) Truncate(name string, size int64) error {
	f, err := os.OpenFile(name, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return cmp.Or(f.Truncate(size), f.Sync(), f.Close())
}

// Rename implements [FS].
func (Disk) Rename(from, to string) error { return os.Rename(from, to) }

// Remove implements [FS].
func (Disk) Remove(name string) error { return os.Remove(name) }

// SyncDir implements [FS]. Windows keeps no directory handles to sync and
// needs none.
func (Disk) SyncDir(dir string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	f, err := os.Open(dir)
	if err != nil {
		return err
	}
	return cmp.Or(f.Sync(), f.Close())
}

// Lock implements [FS].
func (Disk) Lock(dir string) (io.Closer, error) { return disk.LockDir(dir) }

// Holder implements [FS].
func (Disk) Holder(dir string) string {
	if h, held := disk.DirHolder(dir); held {
		return h.String()
	}
	return ""
}

// create writes a file atomically: it writes and syncs a temporary file, renames it, and
// syncs the directory. After a crash name has its old or its new content.
func create(fs FS, name string, write func(io.Writer) error) error {
	temp := filepath.Join(filepath.Dir(name), tempPrefix+filepath.Base(name))
	f, err := fs.Create(temp)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err := cmp.Or(err, f.Close()); err != nil {
		return err
	}
	if err := fs.Rename(temp, name); err != nil {
		return err
	}
	return fs.SyncDir(filepath.Dir(name))
}

// tempPrefix starts the names of files that are not finished.
const tempPrefix = ".tmp-"

// appendTo writes data at the end of a file and syncs it, and the directory if
// the file is new.
func appendTo(fs FS, name string, data []byte, isNew bool) error {
	f, err := fs.Append(name)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	if err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil && isNew {
		err = fs.SyncDir(filepath.Dir(name))
	}
	return err
}

// OriginsName is the name of the file of a collection that says where each shard comes
// from.
const OriginsName = "origins.jsonl"

// Origin is a line of that file.
type Origin struct {
	File         string `json:"file"`
	Source       string `json:"source"` // its name where it comes from
	SourceSHA256 string `json:"source_sha256"`
	Seed         uint64 `json:"seed"` // of its run
	Filter       string `json:"filter,omitempty"`
}

// Collection is a new directory of shards from several runs. It has a manifest but no
// run options: each shard has its own header. The directory is written completely or
// not at all. Close it.
type Collection struct {
	folder  *Folder
	files   FS
	entries []Entry
	origins []Origin
}

// NewCollection begins a collection in a new or empty directory.
func NewCollection(files FS, dir string) (*Collection, error) {
	folder, err := OpenFolder(files, dir, ManifestName, ofCollection)
	if err != nil {
		return nil, err
	}
	return &Collection{folder: folder, files: files}, nil
}

func ofCollection(name string) bool {
	_, shard := shardNumber(name)
	return shard || name == OriginsName
}

// Copy adds a shard byte for byte. e is what Source.Read returned.
func (c *Collection) Copy(s Source, e Entry, h *Header) error {
	return c.add(e, h, func(w io.Writer) error { return s.Copy(c.files, w, e) })
}

// Add adds a shard of the rows that were kept of the one with the entry e. rows have
// been sealed.
func (c *Collection) Add(e Entry, h *Header, rows *Columns) error {
	return c.add(e, h, func(w io.Writer) error { return WriteShard(w, h, rows) })
}

func (c *Collection) add(from Entry, h *Header, write func(io.Writer) error) error {
	name := ShardName(len(c.entries))
	written, err := c.folder.Write(name, write)
	if err != nil {
		return err
	}
	c.entries = append(c.entries, Entry{
		File: name, Rows: h.Rows, Games: len(h.Games), Bytes: written.Bytes, SHA256: written.SHA256,
		ModelSHA256: h.ModelSHA256, Created: from.Created,
	})
	c.origins = append(c.origins, Origin{name, from.File, from.SHA256, h.Seed, h.Filter})
	return nil
}

// Entries returns what was added.
func (c *Collection) Entries() []Entry { return c.entries }

// Finish completes the collection: only then does it exist.
func (c *Collection) Finish() error {
	if _, err := c.folder.Write(OriginsName, func(w io.Writer) error { return jsonLines(w, c.origins) }); err != nil {
		return err
	}
	return c.folder.Finish(func(w io.Writer) error { return jsonLines(w, c.entries) })
}

// Close releases the directory and removes an unfinished collection.
func (c *Collection) Close() error { return c.folder.Close() }

func jsonLines[T any](w io.Writer, list []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range list {
		if err := enc.Encode(list[i]); err != nil {
			return err
		}
	}
	return nil
}
