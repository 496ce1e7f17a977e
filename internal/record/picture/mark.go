package picture

import (
	"bytes"
	"encoding/binary"
	"hash/crc32"
)

// made stands at the beginning of every picture, by which the program knows that it
// may replace it.
const made = "drawn by carozero"

// headBytes is how far into a picture the mark stands at most.
const headBytes = 512

// Own reports whether the beginning of a file, of 512 bytes or all there are, is that
// of a picture of this package.
func Own(head []byte) bool {
	head = head[:min(len(head), headBytes)]
	for _, magic := range []string{"<svg ", "\x89PNG\r\n", "GIF89a"} {
		if bytes.HasPrefix(head, []byte(magic)) {
			return bytes.Contains(head, []byte(made))
		}
	}
	return false
}

// pngHeader is the length of the signature and the first chunk of a PNG file.
const pngHeader = 8 + 25

// markPNG puts a chunk with the mark behind the first one.
func markPNG(data []byte) []byte {
	chunk := []byte("tEXtSoftware\x00" + made)
	var b bytes.Buffer
	b.Write(data[:pngHeader])
	b.Write(binary.BigEndian.AppendUint32(nil, uint32(len(chunk)-4)))
	b.Write(chunk)
	b.Write(binary.BigEndian.AppendUint32(nil, crc32.ChecksumIEEE(chunk)))
	b.Write(data[pngHeader:])
	return b.Bytes()
}

// A GIF file begins with 13 bytes, the last but two of which tell how large the
// table of colours is that follows. mostColours keeps it short enough for the mark
// to stand in the first bytes.
const (
	gifHeader   = 13
	gifFlags    = 10
	mostColours = 128
)

// markGIF puts a comment with the mark behind the table of colours.
func markGIF(data []byte) []byte {
	at := gifHeader
	if flags := data[gifFlags]; flags&0x80 != 0 {
		at += 3 << (flags&7 + 1)
	}
	var b bytes.Buffer
	b.Write(data[:at])
	b.Write([]byte{0x21, 0xfe, byte(len(made))})
	b.WriteString(made)
	b.WriteByte(0)
	b.Write(data[at:])
	return b.Bytes()
}
