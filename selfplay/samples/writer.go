package samples

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

// FS makes the changes of a run to the disk. Each is durable when it returns.
type FS interface {
	// Write replaces a file with what write, which it calls once, writes: completely, or
	// not at all.
	Write(path string, write func(io.Writer) error) error
	// Append writes data at the end of a file, which it makes if need be. After a crash
	// a part of it may be there.
	Append(path string, data []byte) error
	// Truncate cuts a file to size bytes.
	Truncate(path string, size int64) error
	// Remove deletes a file.
	Remove(path string) error
}

// Disk is the operating system's file system.
type Disk struct{}

var _ FS = Disk{}

// Write implements [FS].
func (Disk) Write(path string, write func(io.Writer) error) error { return disk.Write(path, write) }

// Append implements [FS].
func (Disk) Append(path string, data []byte) error {
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil && missing != nil {
		err = disk.SyncFolder(filepath.Dir(path))
	}
	return err
}

// Truncate implements [FS].
func (Disk) Truncate(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return cmp.Or(f.Truncate(size), f.Sync(), f.Close())
}

// Remove implements [FS].
func (Disk) Remove(path string) error { return os.Remove(path) }

// ErrExists is wrapped by the error of Open for a directory that holds a run.
var ErrExists = errors.New("the directory holds a run already")

// Writer writes a run's finished games and holds the lock of the run's directory until it
// is closed. It belongs to one goroutine and blocks on the disk. After its first error all
// methods fail; another one resumes from what is on disk.
type Writer struct {
	files FS
	lock  io.Closer
	dir   string
	run   Run
	now   func() time.Time

	done     []bool      // by game id: on disk
	complete int         // games on disk
	waiting  map[int]int // by shard: games in its journal
	next     int         // the first unfinished shard
	networks *Networks   // nil unless run.Follows
	err      error
}

// Open begins a run in dir, which is made if need be and must hold no run. With resume it goes
// on with the same run that is there: it removes what a crash left unfinished, and checks every
// finished shard against the manifest; Done then tells which games are on disk. now is asked for
// the times in the manifest. If another process writes to the directory, the error names it.
func Open(files FS, dir string, run Run, resume bool, now func() time.Time) (*Writer, error) {
	err := run.check()
	if h := &run.Header; err == nil && (len(h.Planes.Names) != run.Layout.Planes || len(h.Globals) != run.Layout.Globals) {
		err = fmt.Errorf("names of %d planes and %d globals, the encoder has %d and %d",
			len(h.Planes.Names), len(h.Globals), run.Layout.Planes, run.Layout.Globals)
	}
	if err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	held, err := disk.LockDir(dir) // before anything is read
	if err != nil {
		return nil, err
	}
	run.Header.Rows, run.Header.Games = 0, nil
	w := &Writer{files: files, lock: held, dir: dir, run: run, now: now,
		done: make([]bool, run.Games), waiting: map[int]int{}}
	if err = w.begin(resume); err == nil {
		err = w.openNetworks()
	}
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// listDir returns the names in a directory.
func listDir(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// begin writes the files of a new run, or reads those of the run that is there.
func (w *Writer) begin(resume bool) error {
	names, err := listDir(w.dir)
	if err != nil {
		return err
	}
	there := slices.Contains(names, RunName)
	switch old := there || slices.Contains(names, ManifestName); {
	case old && !resume:
		return fmt.Errorf("%w: %s; resume that run, or choose an empty directory", ErrExists, w.dir)
	case old && !there:
		return fmt.Errorf("%s has no %s: not a run that can be resumed", w.dir, RunName)
	}
	for _, name := range names {
		if strings.HasSuffix(name, ".tmp") { // of disk.Write
			if err := w.files.Remove(w.path(name)); err != nil {
				return err
			}
		}
	}
	if !there {
		return w.start()
	}
	found, err := readFile(w.path(RunName))
	if err != nil {
		return err
	}
	if err := w.run.Same(found); err != nil {
		return fmt.Errorf("%s: %w", w.path(RunName), err)
	}
	if err := w.recoverManifest(); err != nil {
		return err
	}
	for _, name := range names {
		if k, ok := journalNumber(name); ok {
			if err := w.recoverJournal(k, w.path(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close releases the lock of the run's directory. What was added is on disk
// already.
func (w *Writer) Close() error { return w.lock.Close() }

func (w *Writer) path(name string) string { return filepath.Join(w.dir, name) }

// start writes the files of a run without games.
func (w *Writer) start() error {
	text, err := w.run.Text()
	if err == nil {
		err = w.write(RunName, text)
	}
	if err != nil {
		return err
	}
	return w.files.Append(w.path(ManifestName), nil)
}

// write writes a small file of the run.
func (w *Writer) write(name string, data []byte) error {
	return writeBytes(w.files, w.path(name), data)
}

func writeBytes(files FS, path string, data []byte) error {
	return files.Write(path, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// recoverManifest counts the finished shards.
func (w *Writer) recoverManifest() error {
	path := w.path(ManifestName)
	entries, size, err := readManifest(w.dir)
	if errors.Is(err, os.ErrNotExist) {
		return w.files.Append(path, nil)
	}
	if err == nil {
		err = w.cut(path, size)
	}
	if err != nil {
		return err
	}
	for k, e := range entries {
		from, to := w.run.gamesOf(k)
		if k >= w.run.Shards() || e.File != ShardName(k) || e.Games != to-from {
			return fmt.Errorf("%s line %d: %s of %d games is not this run's shard %d", path, k+1, e.File, e.Games, k)
		}
		source := Source{w.path(e.File), &e}
		_, found, err := source.decode(false)
		if err == nil {
			_, err = source.compare(found)
		}
		if err != nil {
			return fmt.Errorf("%s or its line in %s is damaged, and the run cannot be resumed without a whole copy: %w",
				source.Path, ManifestName, err)
		}
		for id := from; id < to; id++ {
			w.done[id] = true
		}
		w.complete += to - from
		w.next++
	}
	return nil
}

// recoverJournal counts the games of shard k's journal. It removes the journal of a
// finished shard.
func (w *Writer) recoverJournal(k int, path string) error {
	if k < w.next {
		return w.files.Remove(path)
	}
	records, size, err := readJournal(path, w.run.Layout)
	if err != nil {
		return err
	}
	for _, r := range records {
		id := r.Game.ID
		if id >= uint64(w.run.Games) || w.run.shardOf(int(id)) != k || w.done[id] {
			return fmt.Errorf("%s: game %d does not belong here", path, id)
		}
		w.enter(int(id))
	}
	return w.cut(path, size)
}

// cut shortens a file to size bytes if it is longer.
func (w *Writer) cut(path string, size int64) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() == size {
		return err
	}
	return w.files.Truncate(path, size)
}

// Done reports whether game id is on disk.
func (w *Writer) Done(id int) bool { return w.done[id] }

// Complete returns the number of games on disk.
func (w *Writer) Complete() int { return w.complete }

// Shards returns the number of finished shards.
func (w *Writer) Shards() int { return w.next }

// Add stores a finished game. When it returns nil the game is on disk and will
// not be lost, and every shard that it completed is finished. Shards are
// finished in order, whatever the order of the games. Add seals the record's
// rows.
func (w *Writer) Add(r *Record) error { return w.AddAll([]*Record{r}) }

// AddAll is Add for several games, which reach the disk together: with one sync for
// those of a shard. After a crash some of them may be there and others not.
func (w *Writer) AddAll(records []*Record) error {
	if w.err != nil {
		return w.err
	}
	w.err = w.addAll(records)
	if w.err != nil {
		w.err = fmt.Errorf("%w (%d of %d games are on disk; resume the run to play the others)",
			w.err, w.complete, w.run.Games)
	}
	return w.err
}

func (w *Writer) addAll(records []*Record) error {
	var shards []int
	data, ids := map[int][]byte{}, map[int][]int{} // by shard
	seen := map[uint64]bool{}
	for _, r := range records {
		id := r.Game.ID
		if id >= uint64(w.run.Games) || w.done[id] || seen[id] {
			return fmt.Errorf("samples: game %d is not awaited", id)
		}
		seen[id] = true
		r.Rows.Seal()
		if p := r.Rows.Check(1); len(p) > 0 {
			return fmt.Errorf("samples: game %d: %v", id, p[0])
		}
		b, err := r.encode()
		if err != nil {
			return err
		}
		k := w.run.shardOf(int(id))
		if data[k] == nil {
			shards = append(shards, k)
		}
		data[k], ids[k] = append(data[k], b...), append(ids[k], int(id))
	}
	for _, k := range shards {
		if err := w.files.Append(w.path(journalName(k)), data[k]); err != nil {
			return err
		}
		for _, id := range ids[k] {
			w.enter(id)
		}
	}
	return w.finish()
}

// enter counts a game that is in its shard's journal.
func (w *Writer) enter(id int) {
	w.done[id] = true
	w.complete++
	w.waiting[w.run.shardOf(id)]++
}

// finish writes the shards whose games are all there, in order.
func (w *Writer) finish() error {
	for w.next < w.run.Shards() {
		from, to := w.run.gamesOf(w.next)
		if w.waiting[w.next] < to-from {
			return nil
		}
		if err := w.writeShard(w.next); err != nil {
			return err
		}
		delete(w.waiting, w.next)
		w.next++
	}
	return nil
}

// writeShard turns the complete journal of shard k into the shard. It writes the file,
// then its line in the manifest, which completes the shard, and then removes the journal.
func (w *Writer) writeShard(k int) error {
	records, _, err := readJournal(w.path(journalName(k)), w.run.Layout)
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b *Record) int { return cmp.Compare(a.Game.ID, b.Game.ID) })
	var by PlayedBy
	if w.networks != nil {
		by, _ = w.networks.Of(k * w.run.GamesPerShard)
	}
	s, sum := shardOf(&w.run, by, records), disk.NewDigest()
	err = w.files.Write(w.path(ShardName(k)), func(out io.Writer) error {
		return WriteShard(io.MultiWriter(out, sum), &s.Header, s.Columns)
	})
	if err != nil {
		return err
	}
	line, err := jsonLine(Entry{
		File: ShardName(k), Rows: s.Header.Rows, Games: len(records), Bytes: sum.Bytes,
		SHA256: sum.SHA256(), ModelSHA256: s.Header.ModelSHA256, Created: w.now().UTC(),
	})
	if err == nil {
		err = w.files.Append(w.path(ManifestName), line)
	}
	if err != nil {
		return err
	}
	return w.files.Remove(w.path(journalName(k)))
}
