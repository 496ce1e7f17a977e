package disk

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
)

// headBytes is how much of a file's beginning tells whose it is.
const headBytes = 512

// Check returns nil if a file may be written at path: no file is there, it is empty, or own
// recognises its first 512 bytes or fewer. what says in the error what it is not, as in "no
// report of this command".
func Check(path, what string, own func(head []byte) bool) error {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil
	case err != nil:
		return err
	case info.IsDir():
		return fmt.Errorf("%s is a folder: want a file's name", path)
	case !info.Mode().IsRegular():
		return fmt.Errorf("%s is a device: want a file's name", path)
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	head := make([]byte, headBytes)
	n, err := io.ReadFull(file, head)
	if err != nil && !errors.Is(err, io.EOF) && !errors.Is(err, io.ErrUnexpectedEOF) {
		return err
	}
	if n > 0 && !own(head[:n]) {
		return fmt.Errorf("%s is %s and stays as it is: name another", path, what)
	}
	return nil
}

// Write replaces a file with what write writes: completely, or not at all if anything fails.
// A symbolic link stays, and the file that it leads to is replaced.
func Write(path string, write func(io.Writer) error) error { return writeMode(path, 0o644, write) }

// WriteProgram is Write for a file that can be executed.
func WriteProgram(path string, write func(io.Writer) error) error {
	return writeMode(path, 0o755, write)
}

func writeMode(path string, mode fs.FileMode, write func(io.Writer) error) (err error) {
	asked := path
	if target, err := filepath.EvalSymlinks(path); err == nil {
		path = target
	}
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, filepath.Base(path)+".*.tmp")
	if err != nil {
		return about(asked, err)
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	if err = write(named{file, asked}); err == nil {
		err = errors.Join(about(asked, file.Chmod(mode)), about(asked, file.Sync()))
	}
	if err = errors.Join(err, about(asked, file.Close())); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return about(asked, err)
	}
	return SyncFolder(folder)
}

// about returns the error of the system with the name of the file that was asked for, in
// place of the temporary one's.
func about(path string, err error) error {
	var of *fs.PathError
	var moved *os.LinkError
	switch {
	case errors.As(err, &of):
		return &fs.PathError{Op: of.Op, Path: path, Err: of.Err}
	case errors.As(err, &moved):
		return &fs.PathError{Op: "write", Path: path, Err: moved.Err}
	}
	return err
}

// named is a temporary file whose errors have the name of the file that was asked for.
type named struct {
	file *os.File
	path string
}

func (n named) Write(p []byte) (int, error) {
	done, err := n.file.Write(p)
	return done, about(n.path, err)
}

// WriteBytes is Write for content in memory.
func WriteBytes(path string, data []byte) error {
	return Write(path, func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// Try returns an error if no file can be made beside path. It leaves nothing
// behind.
func Try(path string) error {
	file, err := os.CreateTemp(filepath.Dir(path), filepath.Base(path)+".*.tmp")
	if err != nil {
		return about(path, err)
	}
	return about(path, errors.Join(file.Close(), os.Remove(file.Name())))
}

// Same reports whether two names are of one file, which is there.
func Same(a, b string) bool {
	infoA, errA := os.Stat(a)
	infoB, errB := os.Stat(b)
	return errA == nil && errB == nil && os.SameFile(infoA, infoB)
}

// SyncFolder makes new names in a folder last. Windows has no such call and
// does not need it.
func SyncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
