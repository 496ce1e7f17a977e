package record

import (
	"bytes"
	"path/filepath"
	"strings"
	"unicode/utf8"
)

// Format is a form of files.
type Format uint8

// The formats, in the order of FormatNames.
const (
	Unknown Format = iota
	SGF
	PSQ
	Lib
	Text
)

// formatNames are the names of the formats, which are also the usual extensions of
// files, but for text.
var formatNames = [...]string{SGF: "sgf", PSQ: "psq", Lib: "lib", Text: "text"}

// FormatNames returns the names of the formats.
func FormatNames() []string { return append([]string(nil), formatNames[SGF:]...) }

// String returns the format's name, "" for Unknown.
func (f Format) String() string { return formatNames[f] }

// Extension returns the usual extension of a file, ".sgf".
func (f Format) Extension() string {
	if f == Text {
		return ".txt"
	}
	return "." + f.String()
}

// FormatOf returns the format of that name, Unknown for another name.
func FormatOf(name string) Format {
	for f := range Format(len(formatNames)) {
		if f != Unknown && formatNames[f] == strings.ToLower(name) {
			return f
		}
	}
	return Unknown
}

// ByExtension returns the format that the name of a file says, Unknown if it says
// none.
func ByExtension(path string) Format {
	ext := strings.ToLower(filepath.Ext(path))
	for f := range Format(len(formatNames)) {
		if f != Unknown && f.Extension() == ext {
			return f
		}
	}
	return Unknown
}

// HeadBytes is how much of the beginning of a file tells its format.
const HeadBytes = 4096

// libMagic begins a library of RenLib, psqMagic a game of Piskvork.
var (
	libMagic = []byte("\xffRenLib\xff")
	psqMagic = []byte("Piskvorky ")
)

// Detect returns the format of a file by its first HeadBytes bytes, or all if it
// has fewer. The name, which may be "", decides only whether what begins with a
// move to the centre is a library of RenLib 2, which had no header.
func Detect(head []byte, name string) Format {
	switch {
	case bytes.HasPrefix(head, libMagic):
		return Lib
	case len(head) > 1 && head[0] == libCentre && ByExtension(name) == Lib:
		return Lib
	}
	text := bytes.TrimLeft(bytes.TrimPrefix(head, []byte("\xef\xbb\xbf")), " \t\r\n")
	switch {
	case bytes.IndexByte(head, 0) >= 0 || !mostlyText(head):
		return Unknown
	case bytes.HasPrefix(text, []byte("(")):
		return SGF
	case bytes.HasPrefix(text, psqMagic):
		return PSQ
	}
	return Text
}

// mostlyText reports whether head is UTF-8, but for a rune that its end may
// cut, or for comments in another encoding.
func mostlyText(head []byte) bool {
	bad := 0
	for i := 0; i < len(head); {
		c, n := utf8.DecodeRune(head[i:])
		if c == utf8.RuneError && n == 1 || c < ' ' && c != '\t' && c != '\r' && c != '\n' {
			bad++
		}
		i += n
	}
	return bad <= len(head)/4
}
