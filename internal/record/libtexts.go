package record

import (
	"bytes"
	"errors"
	"strings"
	"unicode/utf8"
)

// text reads a text up to its zero byte, and the other one that makes its length
// even.
func (d *libDecoder) text() ([]byte, error) {
	end := bytes.IndexByte(d.data[d.at:], 0)
	if end < 0 {
		return nil, errors.New("the file ends inside a text")
	}
	text := d.data[d.at : d.at+end]
	d.at += end + 2 - end%2
	if d.at > len(d.data) {
		return nil, errors.New("the file ends inside a text")
	}
	return text, nil
}

// swedish are the letters that RenLib 2 had in place of brackets.
var swedish = strings.NewReplacer("}", "å", "{", "ä", "|", "ö", "]", "Å", "[", "Ä", "\\", "Ö")

// oldComment reads a comment of RenLib 2.
func (d *libDecoder) oldComment() ([]byte, error) {
	for end := d.at; end < len(d.data); end++ {
		if d.data[end] < 0x80 {
			continue
		}
		text := bytes.Clone(d.data[d.at : end+1])
		text[len(text)-1] &= 0x7f
		if d.at += len(text) + len(text)%2; d.at > len(d.data) {
			break
		}
		return []byte(swedish.Replace(string(commentLines(text)))), nil
	}
	return nil, errors.New("the file ends inside a comment")
}

// commentLines returns a comment with ends of lines as \n.
func commentLines(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.Replace(text, []byte{libLines}, []byte("\n"), 1)
}

// decodeTexts turns texts into UTF-8. Either all of a file are in it, or none.
func (d *libDecoder) decodeTexts(asked *charset) {
	t := d.tree
	valid := true
	for i := range t.notes {
		valid = valid && utf8.ValidString(t.notes[i].Comment)
		for _, l := range t.notes[i].Labels {
			valid = valid && utf8.ValidString(l.Text)
		}
	}
	if valid {
		return
	}
	c := guess(asked, []byte{0xff})
	t.Charset = c.charsetName()
	for id := range t.Nodes {
		note := t.Note(int32(id))
		if note == nil {
			continue
		}
		if !d.old[int32(id)] {
			note.Comment = c.decode([]byte(note.Comment))
		}
		for i := range note.Labels {
			note.Labels[i].Text = c.decode([]byte(note.Labels[i].Text))
		}
	}
}
