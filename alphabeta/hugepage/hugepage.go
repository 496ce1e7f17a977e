// Package hugepage asks the system for large pages behind large slices that are read at
// random places: with pages of 2 MiB instead of 4 KiB nearly every read finds its
// translation in the processor's buffer. It changes speed alone, never content.
package hugepage

import "unsafe"

// size is the size of a large page, in bytes, where the system has them.
const size = 2 << 20

// Advise asks that the memory of s be backed by large pages as far as whole ones fit into
// it. It does nothing where the system has no such request or refuses it. Pages that were
// written before may stay small: ask when a slice is made.
func Advise[T any](s []T) {
	first := unsafe.SliceData(s)
	bytes := uintptr(len(s)) * unsafe.Sizeof(*first)
	if from, to := whole(uintptr(unsafe.Pointer(first)), bytes); from < to {
		advise(unsafe.Slice((*byte)(unsafe.Pointer(first)), bytes)[from:to])
	}
}

// whole returns from where to where the large pages reach that lie within that many bytes
// at base; both are 0 if there are none.
func whole(base, bytes uintptr) (from, to uintptr) {
	from = -base & (size - 1)
	if bytes < from+size {
		return 0, 0
	}
	return from, from + (bytes-from)&^(size-1)
}
