package option

import (
	"strconv"
	"strings"
	"syscall"

	"github.com/carozero/carozero/internal/disk"
)

// limitFile holds the memory of the program's control group (cgroup v2) as
// containers see it.
const limitFile = "/sys/fs/cgroup/memory.max"

// Machine returns the memory, in bytes, that the program may take: that of the machine, or what a
// control group leaves it.
func Machine() int64 {
	most := int64(UnknownMemory)
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		most = int64(info.Totalram) * int64(info.Unit)
	}
	if text, err := disk.ReadFile(limitFile, 100); err == nil {
		granted, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
		if err == nil { // it is no number, but "max", where there is no limit
			most = min(most, granted)
		}
	}
	return most
}
