package fetch

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"time"

	"github.com/carozero/carozero/internal/option"
)

// ErrPlatform is wrapped by the error for a platform without files.
var ErrPlatform = errors.New("nothing is pinned for this platform")

// Options say what is installed, from where and to where.
type Options struct {
	Package  Package
	Dir      string // folder to install into; made if it does not exist
	Platform string // GOOS/GOARCH; "": the program's own
	From     string // file or URL of the package; "": the registry

	// Registry returns the npm registry to ask. It is called only if something
	// has to be fetched and From names nothing.
	Registry func(context.Context) (string, error)

	// Stall is how long a download may stand still; 0: one minute.
	Stall time.Duration

	// Progress gets how many bytes of the package have been read; total is -1 if unknown,
	// and most downloads end before it. Nil: not called.
	Progress func(done, total int64)

	// Naming names in errors the options "dir" and "from", which are the fields above.
	Naming option.Naming
}

// Result is what Install has done. Path and SHA256 are those of the main file.
type Result struct {
	Version   string `json:"version"`
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Installed bool   `json:"installed"`      // false: it was there already
	From      string `json:"from,omitempty"` // where it came from, if it was installed
}

// Files returns what is installed on a platform, GOOS/GOARCH or "" for the
// program's own. The error wraps [ErrPlatform].
func (p Package) Files(platform string) ([]File, error) {
	platform = cmp.Or(platform, runtime.GOOS+"/"+runtime.GOARCH)
	files, ok := p.Platforms[platform]
	if !ok {
		return nil, fmt.Errorf("%s: %w, %s, only for %s: %s", p.Title, ErrPlatform, platform, p.platforms(), p.Otherwise)
	}
	return files, nil
}

// Install puts the files for the platform into the folder, unless they are there
// already. Each appears complete or not at all, even if the process is killed, and
// several processes may install at once. Errors are one line.
func Install(ctx context.Context, o Options) (Result, error) {
	files, err := o.Package.Files(o.Platform)
	if err != nil {
		return Result{}, err
	}
	result := Result{Version: o.Package.Version, Path: files[0].In(o.Dir), SHA256: files[0].SHA256}
	var missing []File
	for _, f := range files {
		if !f.Intact(o.Dir) {
			missing = append(missing, f)
		}
	}
	if len(missing) == 0 {
		return result, nil
	}
	stage, err := o.newStage(missing)
	if err != nil {
		return Result{}, err
	}
	defer stage.remove()
	if result.From, err = o.fill(ctx, missing, stage.open); err != nil {
		return Result{}, err
	}
	if err := stage.publish(); err != nil {
		return Result{}, err
	}
	result.Installed = true
	return result, nil
}

// fill writes the files to where open says and returns where they came from.
func (o Options) fill(ctx context.Context, files []File, open func(File) io.Writer) (string, error) {
	var packed []File
	var size int64
	for _, f := range files {
		size += f.Size
		if f.Member != "" {
			packed = append(packed, f)
		} else if _, err := io.WriteString(open(f), f.Text); err != nil {
			return "", fmt.Errorf("cannot write %s: %w", f.Name, err)
		}
	}
	if len(packed) == 0 {
		return "", nil
	}
	s, err := o.open(ctx)
	if err != nil {
		return "", fmt.Errorf("cannot get %s %s: %w; %s", o.Package.Title, o.Package.Version, err, o.advice())
	}
	defer s.close()
	s.progress = o.Progress
	err = unpack(s, packed, open)
	var unwritten writeError
	switch {
	case err == nil:
		return s.name, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &unwritten):
		return "", fmt.Errorf("cannot write %s, which needs %d MB: %w", o.Package.Title, size/1e6, unwritten.error)
	case errors.Is(err, errDigest):
		return "", fmt.Errorf("%s is not %s, nothing was installed: %w", s.name, o.Package.archive(), err)
	}
	return "", fmt.Errorf("%s, after %d bytes: %w; %s", s.name, s.done, err, o.advice())
}

// open begins to read the package.
func (o Options) open(ctx context.Context) (*source, error) {
	stall := cmp.Or(o.Stall, defaultStall)
	if o.From == "" {
		registry, err := o.Registry(ctx)
		if err != nil {
			return nil, err
		}
		return openURL(ctx, o.Package.url(registry), stall)
	}
	if IsURL(o.From) {
		return openURL(ctx, o.From, stall)
	}
	return openFile(o.From)
}

// advice says what the user can do about a package that cannot be read.
func (o Options) advice() string {
	if o.From != "" && !IsURL(o.From) {
		return fmt.Sprintf("%s wants %s as `npm pack %s@%s` writes it", o.Naming.FlagName("from"), o.Package.archive(), o.Package.Name, o.Package.Version)
	}
	return fmt.Sprintf("run again, or name a downloaded %s with %s", o.Package.archive(), o.Naming.FlagName("from"))
}

// In is the file's path below the folder of an installation.
func (f File) In(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }

// pinned returns the size and the digest that the file must have.
func (f File) pinned() (int64, string) {
	if f.Member != "" {
		return f.Size, f.SHA256
	}
	sum := sha256.Sum256([]byte(f.Text))
	return int64(len(f.Text)), hex.EncodeToString(sum[:])
}

// Intact reports whether the file is in the folder, whole.
func (f File) Intact(dir string) bool {
	size, want := f.pinned()
	info, err := os.Stat(f.In(dir))
	if err != nil || !info.Mode().IsRegular() || info.Size() != size {
		return false
	}
	file, err := os.Open(f.In(dir))
	if err != nil {
		return false
	}
	defer file.Close()
	digest := sha256.New()
	_, err = io.Copy(digest, file)
	return err == nil && hex.EncodeToString(digest.Sum(nil)) == want
}

// temporary names the files that an installation writes before it is complete.
const temporary = ".install-*"

// stage is an installation before its files have their names.
type stage struct {
	dir   string
	files []File
	temps []*os.File // one for each file
}

// newStage makes a temporary file in the folder for each file.
func (o Options) newStage(files []File) (*stage, error) {
	s := &stage{dir: o.Dir, files: files}
	err := os.MkdirAll(o.Dir, 0o755)
	for range files {
		var temp *os.File
		if err == nil {
			temp, err = os.CreateTemp(o.Dir, temporary)
		}
		if err != nil {
			s.remove()
			return nil, fmt.Errorf("cannot write to the folder: %w; name another one with %s", err, o.Naming.FlagName("dir"))
		}
		s.temps = append(s.temps, temp)
	}
	return s, nil
}

// open returns where the file is written before it has its name.
func (s *stage) open(f File) io.Writer { return s.temps[slices.Index(s.files, f)] }

// remove removes the temporary files.
func (s *stage) remove() {
	for _, temp := range s.temps {
		temp.Close() // closed already where that matters
		os.Remove(temp.Name())
	}
}

// publish gives the complete files their names, the main one last, and removes what
// killed installations have left. This also removes the files of one that still runs, which
// then finds everything installed.
func (s *stage) publish() error {
	for i := len(s.files) - 1; i >= 0; i-- {
		temp, path := s.temps[i], s.files[i].In(s.dir)
		err := cmp.Or(temp.Chmod(0o755), temp.Sync(), temp.Close(), os.MkdirAll(filepath.Dir(path), 0o755))
		if err == nil {
			err = os.Rename(temp.Name(), path)
		}
		if err != nil && !(errors.Is(err, fs.ErrNotExist) && s.files[i].Intact(s.dir)) {
			return fmt.Errorf("cannot write %s: %w", s.files[i].Name, err)
		}
		if folder, err := os.Open(filepath.Dir(path)); err == nil {
			_ = folder.Sync() // not every system can
			folder.Close()
		}
	}
	entries, _ := os.ReadDir(s.dir)
	for _, entry := range entries {
		if leftover, _ := filepath.Match(temporary, entry.Name()); leftover {
			os.Remove(filepath.Join(s.dir, entry.Name()))
		}
	}
	return nil
}
