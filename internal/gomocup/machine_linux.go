package gomocup

import (
	"os"
	"regexp"
	"strconv"
	"syscall"
)

// machineMemory returns the bytes that programs on this machine can have
// together: those not in use by the kernel's estimate, or fewer where a control group or a
// limit of the process says so; 0 if nothing is known.
func machineMemory() (least int64) {
	lower := func(n int64) {
		if n > 0 && (least == 0 || n < least) {
			least = n
		}
	}
	for file, form := range map[string]string{
		"/proc/meminfo":                               `(?m)^MemAvailable: *(\d+) kB`,
		"/sys/fs/cgroup/memory.max":                   `^(\d+)\n`,
		"/sys/fs/cgroup/memory/memory.limit_in_bytes": `^(\d+)\n`,
	} {
		text, _ := os.ReadFile(file) // one that is not there bounds nothing
		if found := regexp.MustCompile(form).FindSubmatch(text); found != nil {
			n, _ := strconv.ParseInt(string(found[1]), 10, 50)
			if file == "/proc/meminfo" {
				n <<= 10
			}
			lower(n)
		}
	}
	for _, kind := range []int{syscall.RLIMIT_AS, syscall.RLIMIT_DATA} {
		var limit syscall.Rlimit
		if syscall.Getrlimit(kind, &limit) == nil && limit.Cur < 1<<62 {
			lower(int64(limit.Cur) / 2) // address space is not all memory
		}
	}
	return least
}
