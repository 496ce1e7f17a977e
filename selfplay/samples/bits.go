package samples

// packedLen returns the bytes that n bits take.
func packedLen(n int) int { return (n + 7) / 8 }

// PackPlanes appends planes [planes, cells] of zeros and ones to dst, each
// plane packed into ceil(cells/8) bytes, the first cell in the highest bit.
// Any value but 0 counts as one.
func PackPlanes(dst []byte, planes []float32, cells int) []byte {
	for ; len(planes) >= cells && cells > 0; planes = planes[cells:] {
		at := len(dst)
		for range packedLen(cells) {
			dst = append(dst, 0)
		}
		for i, v := range planes[:cells] {
			if v != 0 {
				setBit(dst[at:], i)
			}
		}
	}
	return dst
}

// setBit sets bit i of a packed row, the first bit being the highest.
func setBit(b []byte, i int) { b[i>>3] |= 0x80 >> (i & 7) }

// Bit reports whether bit i of a packed row is set.
func Bit(b []byte, i int) bool { return b[i>>3]&(0x80>>(i&7)) != 0 }

// PackActions sets the bits of the given actions in dst and clears the others.
func PackActions(dst []byte, actions []int) {
	clear(dst)
	for _, a := range actions {
		setBit(dst, a)
	}
}
