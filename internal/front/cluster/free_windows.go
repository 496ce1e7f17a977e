package cluster

import "golang.org/x/sys/windows"

// FreeBytes returns how many bytes can still be written below a folder.
func FreeBytes(dir string) (int64, error) {
	name, err := windows.UTF16PtrFromString(dir)
	if err != nil {
		return 0, err
	}
	var free, total, all uint64
	err = windows.GetDiskFreeSpaceEx(name, &free, &total, &all)
	return int64(free), err
}
