package onnxruntime

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
	"time"
)

// ErrPlatform is wrapped by the error for a platform without a library.
var ErrPlatform = errors.New("no ONNX Runtime is pinned for this platform")

// Options say what is installed, from where and to where.
type Options struct {
	Package  Package // Pinned()
	Dir      string  // folder to install into; made if it does not exist
	Platform string  // GOOS/GOARCH; "": the program's own
	From     string  // file or URL of the package; "": the registry

	// Registry returns the npm registry to ask. It is called only if something
	// has to be fetched and From names nothing.
	Registry func(context.Context) (string, error)

	// Stall is how long a download may stand still; 0: one minute.
	Stall time.Duration

	// Progress is told how many bytes of the package have been read; total is -1
	// if unknown, and most downloads end before it. Nil: nobody is told.
	Progress func(done, total int64)
}

// Result is what Install has done.
type Result struct {
	Version   string `json:"version"`
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Installed bool   `json:"installed"`      // false: it was there already
	From      string `json:"from,omitempty"` // where it came from, if it was installed
}

// Install puts the library for the platform into the folder, unless it is there
// already. The file appears complete or not at all, under whatever ends the
// process, and several processes may install at once. Errors are one line.
func Install(ctx context.Context, o Options) (Result, error) {
	platform := cmp.Or(o.Platform, runtime.GOOS+"/"+runtime.GOARCH)
	library, ok := o.Package.Libraries[platform]
	if !ok {
		return Result{}, fmt.Errorf("%w, %s, only for %s: install version %s or newer yourself and name it with --onnxruntime",
			ErrPlatform, platform, o.Package.platforms(), o.Package.Version)
	}
	result := Result{Version: o.Package.Version, Path: filepath.Join(o.Dir, library.File()), SHA256: library.SHA256}
	if intact(result.Path, library) {
		return result, nil
	}
	file, err := create(o.Dir)
	if err != nil {
		return Result{}, err
	}
	defer os.Remove(file.Name())
	defer file.Close() // closed already where that matters
	if result.From, err = o.fill(ctx, file, library); err != nil {
		return Result{}, err
	}
	if err := publish(file, result.Path, library); err != nil {
		return Result{}, err
	}
	result.Installed = true
	return result, nil
}

// fill writes the library into the file and returns where it came from.
func (o Options) fill(ctx context.Context, file io.Writer, library Library) (string, error) {
	s, err := o.open(ctx)
	if err != nil {
		return "", fmt.Errorf("cannot get ONNX Runtime %s: %w; %s", o.Package.Version, err, o.advice())
	}
	defer s.close()
	s.progress = o.Progress
	err = unpack(file, s, library)
	var unwritten writeError
	switch {
	case err == nil:
		return s.name, nil
	case ctx.Err() != nil:
		return "", ctx.Err()
	case errors.As(err, &unwritten):
		return "", fmt.Errorf("cannot write the library, which needs %d MB: %w", library.Size/1e6, unwritten.error)
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
		return fmt.Sprintf("--from wants %s as `npm pack %s@%s` writes it", o.Package.archive(), o.Package.Name, o.Package.Version)
	}
	return fmt.Sprintf("run again, or name a downloaded %s with --from", o.Package.archive())
}

// intact reports whether the file is the library.
func intact(path string, library Library) bool {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() || info.Size() != library.Size {
		return false
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	digest := sha256.New()
	_, err = io.Copy(digest, file)
	return err == nil && hex.EncodeToString(digest.Sum(nil)) == library.SHA256
}

// temporary names the files that an installation writes before it is complete.
const temporary = ".install-*"

// create makes a temporary file in the folder.
func create(dir string) (*os.File, error) {
	err := os.MkdirAll(dir, 0o755)
	if err == nil {
		var file *os.File
		if file, err = os.CreateTemp(dir, temporary); err == nil {
			return file, nil
		}
	}
	return nil, fmt.Errorf("cannot write to the folder: %w; name another one with --dir", err)
}

// publish gives the complete file its name, and removes what installations that
// were killed have left. That takes the file of one that still runs away too,
// which then finds that its work is done.
func publish(file *os.File, path string, library Library) error {
	err := cmp.Or(file.Chmod(0o755), file.Sync(), file.Close())
	if err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		if errors.Is(err, fs.ErrNotExist) && intact(path, library) {
			return nil
		}
		return fmt.Errorf("cannot write the library: %w", err)
	}
	dir := filepath.Dir(path)
	if folder, err := os.Open(dir); err == nil {
		_ = folder.Sync() // not every system can
		folder.Close()
	}
	entries, _ := os.ReadDir(dir)
	for _, entry := range entries {
		if leftover, _ := filepath.Match(temporary, entry.Name()); leftover {
			os.Remove(filepath.Join(dir, entry.Name()))
		}
	}
	return nil
}
