//go:build unix

package cluster

import "golang.org/x/sys/unix"

// FreeBytes returns how many bytes can still be written below a folder.
func FreeBytes(dir string) (int64, error) {
	var s unix.Statfs_t
	if err := unix.Statfs(dir, &s); err != nil {
		return 0, err
	}
	return int64(s.Bavail) * int64(s.Bsize), nil
}
