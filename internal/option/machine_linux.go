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

// granted returns what a control group leaves the program, 0 for no limit.
func granted() int64 {
	text, err := disk.ReadFile(limitFile, 100)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0 // "max"
	}
	return n
}
