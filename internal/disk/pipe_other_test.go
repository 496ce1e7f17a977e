//go:build !unix

package disk

import "os"

// makePipe stands in a folder for a pipe where there are none.
func makePipe(path string) error { return os.Mkdir(path, 0o700) }
