package alphabeta

import "golang.org/x/sys/unix"

// memory returns the size of the machine's memory in bytes, 0 if unknown.
func memory() uint64 {
	var info unix.Sysinfo_t
	if unix.Sysinfo(&info) != nil {
		return 0
	}
	return uint64(info.Totalram) * uint64(info.Unit)
}

// advise asks for large pages behind memory, which begins and ends with one. A refusal
// changes nothing: kernels without large pages answer with an error.
func advise(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
