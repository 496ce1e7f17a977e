package alphabeta

import "golang.org/x/sys/unix"

// advise asks for large pages behind memory, which begins and ends with one. A refusal
// changes nothing: kernels without large pages answer with an error.
func advise(memory []byte) { _ = unix.Madvise(memory, unix.MADV_HUGEPAGE) }
