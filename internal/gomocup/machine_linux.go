package gomocup

import (
	"bytes"
	"os"
	"strconv"
	"strings"
	"syscall"
)

// machineMemory returns the bytes that programs on this machine can have
// together: those built in, or fewer where a control group or a limit of the
// process says so; 0 if nothing is known.
func machineMemory() int64 {
	most := int64(0)
	lower := func(n int64) {
		if n > 0 && (most == 0 || n < most) {
			most = n
		}
	}
	var info syscall.Sysinfo_t
	if syscall.Sysinfo(&info) == nil {
		lower(int64(uint64(info.Totalram) * uint64(info.Unit)))
	}
	lower(available())
	for _, file := range []string{"/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes"} {
		lower(numberIn(file))
	}
	for _, kind := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(kind, &limit) == nil && limit.Cur < 1<<62 {
			lower(int64(limit.Cur) / 2) // address space is not all memory
		}
	}
	return most
}

// available returns the memory that is not in use, by the kernel's estimate.
func available() int64 {
	text, err := os.ReadFile("/proc/meminfo")
	if err != nil {
		return 0
	}
	for l := range bytes.Lines(text) {
		if f := strings.Fields(string(l)); len(f) >= 2 && f[0] == "MemAvailable:" {
			n, _ := strconv.ParseInt(f[1], 10, 50)
			return n << 10
		}
	}
	return 0
}

// numberIn returns the number that a file holds, 0 if it holds none.
func numberIn(file string) int64 {
	text, err := os.ReadFile(file)
	if err != nil {
		return 0
	}
	n, err := strconv.ParseInt(strings.TrimSpace(string(text)), 10, 64)
	if err != nil {
		return 0
	}
	return n
}
