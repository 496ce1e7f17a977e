//go:build !(darwin || dragonfly || freebsd || linux || netbsd || openbsd || windows)

package disk

import (
	"errors"
	"os"
)

// tryLock refuses: nothing is written where two processes cannot be kept apart.
func tryLock(*os.File, bool) error { return errors.ErrUnsupported }

func release(file *os.File, path string) error { return errors.Join(os.Remove(path), file.Close()) }
