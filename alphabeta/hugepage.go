package alphabeta

import "unsafe"

// largePage is the size of a large page, in bytes, where the system has them.
const largePage = 2 << 20

// adviseLargePages asks that the memory of s be backed by large pages as far as whole ones
// fit into it: with pages of 2 MiB instead of 4 KiB nearly every read at a random place finds
// its translation in the processor's buffer. It does nothing where the system has no such request
// or refuses it. Pages that were
// written before may stay small: ask when a slice is made.
func adviseLargePages[T any](s []T) {
	first := unsafe.SliceData(s)
	bytes := uintptr(len(s)) * unsafe.Sizeof(*first)
	if from, to := wholePages(uintptr(unsafe.Pointer(first)), bytes); from < to {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(first)), bytes)[from:to])
	}
}

// wholePages returns from where to where the large pages reach that lie within that many bytes
// at base; both are 0 if there are none.
func wholePages(base, bytes uintptr) (from, to uintptr) {
	from = -base & (largePage - 1)
	if bytes < from+largePage {
		return 0, 0
	}
	return from, from + (bytes-from)&^(largePage-1)
}
