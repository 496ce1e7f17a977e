package record

import (
	"errors"
	"io"
	"strings"
	"syscall/js"
)

// A browser has the tables of all encodings.

// decoder returns the browser's decoder of an encoding; false if there is none.
func decoder(name string) (d js.Value, ok bool) {
	defer func() { ok = recover() == nil }() // it throws
	return js.Global().Get("TextDecoder").New(name), true
}

// canonicalCharset returns the name of an encoding that has several; false if there is none.
func canonicalCharset(name string) (canonical string, ok bool) {
	d, ok := decoder(name)
	if !ok {
		return "", false
	}
	return d.Get("encoding").String(), true
}

// text returns a text in UTF-8.
func (c charset) text(text string) (string, error) {
	d, ok := decoder(string(c))
	if !ok {
		return "", errors.New("no such encoding: " + string(c))
	}
	array := js.Global().Get("Uint8Array").New(len(text))
	js.CopyBytesToJS(array, []byte(text))
	return d.Call("decode", array).String(), nil
}

// reader returns what in says in UTF-8. It reads all of it.
func (c charset) reader(in io.Reader) io.Reader {
	data, err := io.ReadAll(in)
	if err == nil {
		var text string
		if text, err = c.text(string(data)); err == nil {
			return strings.NewReader(text)
		}
	}
	return errReader{err}
}

// errReader is a reader that fails.
type errReader struct{ err error }

func (r errReader) Read([]byte) (int, error) { return 0, r.err }
