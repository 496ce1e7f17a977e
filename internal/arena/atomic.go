package arena

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
)

// writeAtomic writes a file so that after a crash it is there as a whole or
// not at all.
func writeAtomic(path string, data []byte) (err error) {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, filepath.Base(path)+".*.tmp")
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			os.Remove(file.Name())
		}
	}()
	_, err = file.Write(data)
	if err == nil {
		err = file.Chmod(0o644)
	}
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err != nil {
		return err
	}
	if err = os.Rename(file.Name(), path); err != nil {
		return err
	}
	return syncFolder(folder)
}

// syncFolder makes new names in a folder last. Windows has no such call and
// does not need it.
func syncFolder(path string) error {
	if runtime.GOOS == "windows" {
		return nil
	}
	folder, err := os.Open(path)
	if err != nil {
		return err
	}
	return errors.Join(folder.Sync(), folder.Close())
}
