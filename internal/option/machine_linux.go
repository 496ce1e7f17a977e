package option

import (
	"math"
	"strconv"
	"strings"
	"syscall"

	"github.com/carozero/carozero/internal/disk"
)

// limitFile holds the memory of the program's control group (cgroup v2) as
// containers see it.
const limitFile = "/sys/fs/cgroup/memory.max"

// Machine returns the memory, in bytes, that the program may take: that of the machine, or what a
// control group or a limit of the process (ulimit -v, -d) leaves it. Half of an address space
// counts, since not all of it is memory.
func Machine() int64 {
	most := int64(math.MaxInt64)
	bound := func(n uint64) {
		if n > 0 && n < math.MaxInt64 {
			most = min(most, int64(n))
		}
	}
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		bound(uint64(info.Totalram) * uint64(info.Unit))
	}
	if text, err := disk.ReadFile(limitFile, 100); err == nil {
		granted, _ := strconv.ParseUint(strings.TrimSpace(string(text)), 10, 64) // 0 for "max"
		bound(granted)
	}
	for _, kind := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(kind, &limit) == nil && limit.Cur <= math.MaxInt64 {
			bound(limit.Cur / 2)
		}
	}
	if most == math.MaxInt64 {
		return UnknownMemory
	}
	return most
}
