package record

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
)

// A library of RenLib 3 is a header of 20 bytes, which begins with FF "RenLib" FF
// and the two bytes of the version, and the nodes of a tree in the order in which a
// reader meets them. A node is
//
//	position  1 byte: 16 times the row from the top, from 0, plus the column from
//	          the left, from 1; 0 is a pass, and as the first node of all the root
//	flags     1 byte, below
//	more      2 bytes if the flag extension is set, the high byte first
//	comment   if one of its flags is set
//	text      for the board, if its flag is set
//
// Texts end with a zero byte and are padded to an even length with another one.
// A comment is one line and, after a byte 8, further lines.
const (
	libDown       = 0x80 // another node of the same parent follows this one's line
	libRight      = 0x40 // nothing follows the node on its line
	libOldComment = 0x20 // of RenLib 2
	libMark       = 0x10
	libComment    = 0x08
	libNoMove     = 0x02 // a place for a text alone
	libExtension  = 0x01
	libBoardText  = 0x01 // in the low byte of the extension

	libHeader  = 20
	libSize    = 15
	libVersion = 304 // 3.04, the last one

	libLines = 8 // separates the first line of a comment from others
)

// MaxLib bounds a library, in bytes.
const MaxLib = 128 << 20

// readLib reads a library, which is one tree.
func readLib(in io.Reader, o *Options, asked charset) (*Tree, error) {
	data, err := disk.ReadAll(in, MaxLib)
	if err != nil {
		return nil, err
	}
	d := libDecoder{data: data, tree: New(libSize), o: o}
	d.tree.Sized = true
	if err := d.run(); err != nil {
		return nil, &Error{Byte: int64(d.at), Err: err}
	}
	d.decodeTexts(asked)
	return d.tree, nil
}

// libDecoder reads the nodes of a library.
type libDecoder struct {
	data    []byte
	at      int
	tree    *Tree
	o       *Options
	parent  int32         // of the next node
	parents []int32       // of the nodes that follow a line
	again   map[int32]int // further comments of the nodes that are there more than once
}

var errCutLib = errors.New("the file ends inside a node")

func (d *libDecoder) run() error {
	if !bytes.HasPrefix(d.data, libMagic) || len(d.data) < libHeader {
		return errors.New("no library of RenLib: want a header of 20 bytes that begins with FF RenLib FF")
	}
	if v := 100*int(d.data[8]) + int(d.data[9]); v > libVersion {
		return fmt.Errorf("version %d.%02d of RenLib: want at most %d.%02d", v/100, v%100, libVersion/100, libVersion%100)
	}
	d.at = libHeader
	for ended := false; !ended && d.at < len(d.data); {
		begin := d.at
		var err error
		if ended, err = d.node(begin == libHeader); err != nil {
			d.at = begin
			return err
		}
	}
	return nil
}

// libNode is a node as it is in the file.
type libNode struct {
	position, flags byte
	comment, text   []byte
}

// node reads one node and puts it into the tree; ended says that it was the last
// one wanted.
func (d *libDecoder) node(first bool) (ended bool, err error) {
	n, err := d.read()
	if err != nil {
		return false, err
	}
	if first && n.position == 0 {
		return false, d.remark(0, &n)
	}
	id := d.parent
	if n.flags&libNoMove != 0 {
		err = d.place(&n)
	} else {
		id, err = d.move(&n)
	}
	if err == nil && !d.o.holds(d.tree) {
		err = d.o.tooMany()
	}
	if err != nil {
		return false, err
	}
	if n.flags&libDown != 0 {
		if len(d.parents) == MaxNodes {
			return false, fmt.Errorf("%w: more than %d nodes", ErrTooBig, MaxNodes)
		}
		d.parents = append(d.parents, d.parent)
	}
	if n.flags&libRight == 0 {
		d.parent = id
		return false, nil
	}
	if d.o.MainLine && n.flags&libNoMove == 0 {
		return true, nil
	}
	last := len(d.parents) - 1
	if last < 0 {
		if left := len(d.data) - d.at; left > 0 {
			return false, fmt.Errorf("%d bytes follow the last node", left)
		}
		return true, nil
	}
	d.parent, d.parents = d.parents[last], d.parents[:last]
	return false, nil
}

// cell returns the move of a node.
func (n *libNode) cell() (game.Move, error) {
	if n.position == 0 {
		return Pass, nil
	}
	x, down := int(n.position%16)-1, int(n.position/16)
	if x < 0 || x >= libSize || down >= libSize {
		return 0, fmt.Errorf("position 0x%02x is not on the board of %dx%d", n.position, libSize, libSize)
	}
	return cellOf(libSize, x, down), nil
}

// move puts a move into the tree, with the text on its cell.
func (d *libDecoder) move(n *libNode) (id int32, err error) {
	m, err := n.cell()
	if err != nil {
		return 0, err
	}
	if err := d.label(n, m); err != nil {
		return 0, err
	}
	if id, err = d.tree.child(d.parent, m, d.tree.ToMove(d.parent)); err == nil {
		err = d.remark(id, n)
	}
	return id, err
}

// place puts a text into the tree that is on a cell without a move. A comment on
// it, which RenLib does not make, is taken for one on the move before.
func (d *libDecoder) place(n *libNode) error {
	m, err := n.cell()
	switch {
	case err != nil:
		return err
	case n.flags&libRight == 0:
		return errors.New("moves follow a text that is no move")
	}
	n.flags &^= libMark
	if err := d.remark(d.parent, n); err != nil {
		return err
	}
	return d.label(n, m)
}

// label adds the text of a node to the board on which its cell is empty.
func (d *libDecoder) label(n *libNode, m game.Move) error {
	if len(n.text) == 0 {
		return nil
	}
	note := d.tree.Remark(d.parent)
	if len(note.Labels) == MaxDepth {
		return fmt.Errorf("%w: more than %d texts on one board", ErrTooBig, MaxDepth)
	}
	note.Labels = append(note.Labels, Label{At: m, Text: string(n.text)})
	return nil
}

// remark puts what is said of a move into the tree. Different comments of a move that is there
// more than once are lines of one.
func (d *libDecoder) remark(id int32, n *libNode) error {
	if len(n.comment) == 0 && n.flags&libMark == 0 {
		return nil
	}
	note, text := d.tree.Remark(id), string(n.comment)
	if n.flags&libMark != 0 {
		note.Hot = 1
	}
	if note.Comment == "" || text == "" {
		note.Comment += text
		return nil
	}
	if d.again == nil {
		d.again = map[int32]int{}
	}
	if d.again[id]++; d.again[id] >= MaxDepth {
		return fmt.Errorf("%w: more than %d comments of one move", ErrTooBig, MaxDepth)
	}
	if !strings.Contains("\n"+note.Comment+"\n", "\n"+text+"\n") {
		note.Comment += "\n" + text
	}
	return nil
}

// read reads a node's bytes.
func (d *libDecoder) read() (n libNode, err error) {
	rest := d.data[d.at:]
	if len(rest) < 2 {
		return n, errCutLib
	}
	n.position, n.flags = rest[0], rest[1]
	d.at += 2
	more := byte(0)
	if n.flags&libExtension != 0 {
		if len(rest) < 4 {
			return n, errCutLib
		}
		more = rest[3]
		d.at += 2
	}
	switch {
	case n.flags&libOldComment != 0:
		err = errors.New("a comment of RenLib 2: want a library that RenLib 3 has saved")
	case n.flags&libComment != 0:
		n.comment, err = d.text()
		n.comment = commentLines(n.comment)
	}
	if err == nil && more&libBoardText != 0 {
		n.text, err = d.text()
	}
	return n, err
}

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

// commentLines returns a comment with ends of lines as \n.
func commentLines(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("\r\n"), []byte("\n"))
	return bytes.Replace(text, []byte{libLines}, []byte("\n"), 1)
}

// decodeTexts turns texts into UTF-8. Either all of a file are in it, or none.
func (d *libDecoder) decodeTexts(asked charset) {
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
	c := cmp.Or(asked, western)
	for id := range t.Nodes {
		note := t.Note(int32(id))
		if note == nil {
			continue
		}
		note.Comment = c.decode(note.Comment)
		for i := range note.Labels {
			note.Labels[i].Text = c.decode(note.Labels[i].Text)
		}
	}
}
