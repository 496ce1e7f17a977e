//go:build !js

package record

import (
	"io"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/htmlindex"
	"golang.org/x/text/transform"
)

// canonicalCharset returns the name of an encoding that has several; false if there is none.
func canonicalCharset(name string) (canonical string, ok bool) {
	enc, err := htmlindex.Get(name)
	if err == nil {
		canonical, err = htmlindex.Name(enc)
	}
	return canonical, err == nil
}

// encoding returns the encoding, which lookupCharset has found; c is not "".
func (c charset) encoding() encoding.Encoding {
	enc, err := htmlindex.Get(string(c))
	if err != nil {
		panic(err) // a name that every build has
	}
	return enc
}

// text returns a text in UTF-8.
func (c charset) text(text string) (string, error) { return c.encoding().NewDecoder().String(text) }

// reader returns what in says in UTF-8.
func (c charset) reader(in io.Reader) io.Reader {
	return transform.NewReader(in, c.encoding().NewDecoder())
}
