package option

import (
	"math"
	"strconv"
	"strings"
	"syscall"

	"github.com/carozero/carozero/internal/disk"
)

// installed returns the size of the machine's memory in bytes, 0 if unknown.
func installed() int64 {
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) != nil {
		return 0
	}
	bytes := uint64(info.Totalram) * uint64(info.Unit)
	return int64(min(bytes, math.MaxInt64))
}

// limitFile holds the memory of the program's control group (cgroup v2) as
// containers see it.
const limitFile = "/sys/fs/cgroup/memory.max"

// granted returns what a control group or a limit of the process (ulimit -v, -d) leaves
// the program, 0 for no limit. Half of an address space counts, since not all of it is memory.
func granted() (least int64) {
	if text, err := disk.ReadFile(limitFile, 100); err == nil {
		least, _ = strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64) // 0 for "max"
	}
	for _, kind := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(kind, &limit) != nil || limit.Cur > math.MaxInt64 {
			continue
		}
		if n := int64(limit.Cur) / 2; least == 0 || n < least {
			least = n
		}
	}
	return least
}
