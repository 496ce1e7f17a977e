package record

import (
	"fmt"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
)

// western is the encoding of texts that say none and are no UTF-8.
const western = "windows-1252"

// charset is an encoding of texts; nil is UTF-8.
type charset struct {
	name string // as people write it in files
	enc  encoding.Encoding
}

// LookupCharset returns an error unless a name is that of a known encoding, such as
// "utf-8", "windows-1252", "gbk", "big5", "shift_jis", "euc-kr" or "windows-1251".
func LookupCharset(name string) error {
	_, err := lookupCharset(name)
	return err
}

// lookupCharset returns the encoding of a name, nil for UTF-8 and for "".
func lookupCharset(name string) (*charset, error) {
	name = strings.ToLower(strings.TrimSpace(name))
	if name == "" {
		return nil, nil
	}
	enc, err := htmlindex.Get(name)
	if err != nil {
		return nil, fmt.Errorf("unknown charset %q: want one such as utf-8, windows-1252, gbk or shift_jis", Excerpt(name))
	}
	canonical, err := htmlindex.Name(enc)
	switch {
	case err != nil:
		return nil, err
	case canonical == "utf-8":
		return nil, nil
	case strings.HasPrefix(canonical, "utf-16"), canonical == "replacement":
		return nil, fmt.Errorf("charset %q: want one that holds ASCII as it is, such as utf-8 or gbk", name)
	}
	return &charset{canonical, enc}, nil
}

// decode returns a text as UTF-8.
func (c *charset) decode(text []byte) string {
	if c == nil {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	out, err := c.enc.NewDecoder().Bytes(text)
	if err != nil {
		return strings.ToValidUTF8(string(text), "\uFFFD")
	}
	return string(out)
}

// encode returns a text in the encoding, and how many of its characters the
// encoding does not have; they become question marks.
func (c *charset) encode(text string) (out string, lost int) {
	if c == nil {
		return text, 0
	}
	encoder := c.enc.NewEncoder()
	if out, err := encoder.String(text); err == nil {
		return out, 0
	}
	var b strings.Builder
	for _, r := range text {
		one, err := encoder.String(string(r))
		if err != nil {
			one, lost = "?", lost+1
		}
		b.WriteString(one)
	}
	return b.String(), lost
}

// guess returns the encoding of texts whose file names none: UTF-8 if all of them
// are, or else the one asked for, or else the western one.
func guess(asked *charset, texts ...[]byte) *charset {
	for _, text := range texts {
		if utf8.Valid(text) {
			continue
		}
		if asked != nil {
			return asked
		}
		c, err := lookupCharset(western)
		if err != nil {
			panic(err) // a name that every build has
		}
		return c
	}
	return nil
}

// charsetName returns the name of an encoding, "" for UTF-8.
func (c *charset) charsetName() string {
	if c == nil {
		return ""
	}
	return c.name
}
