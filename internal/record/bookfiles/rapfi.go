package bookfiles

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"
	"slices"
	"strings"

	"github.com/pierrec/lz4/v4"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/record/book"
)

// The database of Yixin and Rapfi is a number of records, and then each as its key and
// its message, both with their length in two bytes before them; all numbers are of the
// lower byte first. Rapfi compresses the whole as a frame of LZ4.
//
//	key      rule, width, height; the stones of black and then of white, x and y each,
//	         each side's in order of x and then y, in the smallest of the eight symmetries;
//	         a stone at -1, -1 is a pass
//	message  label, value (2 bytes), depth<<2 | bound (2 bytes), text; or nothing
//
// A key of the size 0 carries "charset="UTF-8"" as its text. The value is that of the side
// to move, the label that of the side that has moved.

// rapfiRules are the names of the rules by their number.
var rapfiRules = [...]string{"freestyle", "standard", "renju"}

// Labels, bounds and values of the format.
const (
	rapfiNone     = 0xff
	rapfiForced   = '!'
	rapfiWin      = 'w' // of the side that has moved
	rapfiLoss     = 'l'
	rapfiDraw     = 'd'
	rapfiExcluded = 'x'

	rapfiExact   = 3
	rapfiMate    = 30000
	rapfiMates   = rapfiMate - 500 // values beyond are mates
	rapfiMost    = 6000            // of other values
	rapfiScale   = 200             // the value at which the odds of winning are e to 1
	rapfiBoards  = 22
	rapfiPass    = 0xff
	rapfiCharset = `charset="UTF-8"`
	rapfiBoard   = "@BTXT@" // begins a text about cells, which ends with a backspace
)

// lz4Magic begins a frame of LZ4.
var lz4Magic = []byte{0x04, 0x22, 0x4d, 0x18}

// ErrNoForm is wrapped by the error for a book that a form cannot hold.
var ErrNoForm = errors.New("has no place for")

// rapfiRecord is a record of a database.
type rapfiRecord struct {
	rule, width, height int
	black, white        []byte // x, y
	second              bool   // white is to move
	label               byte
	value, depth        int16
	text                string
}

// rapfiRow is the fixed part of a message.
type rapfiRow struct {
	Label        byte
	Value, Depth int16
}

const rapfiRowBytes = 5

// readRapfi calls a function for each position of a database. Errors name the number of
// the record, from 1.
func readRapfi(in io.Reader, do func(r *rapfiRecord) error) error {
	last := &tail{in: in}
	buffered := bufio.NewReaderSize(last, 1<<16)
	if head, err := buffered.Peek(len(lz4Magic) + 1); err == nil && bytes.HasPrefix(head, lz4Magic) {
		last.wanted = 4
		if head[len(lz4Magic)]&lz4Checked != 0 {
			last.wanted = 8
		}
		buffered = bufio.NewReaderSize(lz4.NewReader(buffered), 1<<16)
	}
	var records uint32
	if err := binary.Read(buffered, binary.LittleEndian, &records); err != nil {
		return errors.New("want a database of Rapfi or Yixin; the file is too short")
	}
	for n := range records {
		key, err := readShort(buffered)
		if err == nil && len(key) > 0 {
			var message []byte
			if message, err = readShort(buffered); err == nil {
				var r *rapfiRecord
				if r, err = parseRapfi(key, message); err == nil && r != nil {
					err = do(r)
				}
			}
		}
		if err != nil {
			return fmt.Errorf("record %d of %d: %w", n+1, records, err)
		}
	}
	if _, err := buffered.ReadByte(); !errors.Is(err, io.EOF) {
		return errors.New("the file goes on after its last record, or its check sum is wrong")
	}
	if last.wanted > 0 && (len(last.bytes) < last.wanted || !bytes.Equal(last.bytes[len(last.bytes)-last.wanted:][:4], make([]byte, 4))) {
		return errors.New("the file is cut off after its last record")
	}
	return nil
}

// lz4Checked is the bit of a frame's first byte that says that a check sum ends it.
const lz4Checked = 1 << 2

// tail hands on what it reads and keeps the last bytes: a frame of LZ4 ends with four
// zeros and then, if it has one, a check sum, which the decoder does not miss.
type tail struct {
	in     io.Reader
	bytes  []byte
	wanted int // of the end of a frame; 0: there is no frame
}

func (t *tail) Read(p []byte) (int, error) {
	n, err := t.in.Read(p)
	t.bytes = append(t.bytes, p[max(0, n-8):n]...)
	t.bytes = t.bytes[max(0, len(t.bytes)-8):]
	return n, err
}

// readShort reads bytes with their length before them.
func readShort(in io.Reader) ([]byte, error) {
	var n uint16
	if err := binary.Read(in, binary.LittleEndian, &n); err != nil {
		return nil, errors.New("the file ends before it, or is damaged")
	}
	data := make([]byte, n)
	if _, err := io.ReadFull(in, data); err != nil {
		return nil, errors.New("the file ends in it, or is damaged")
	}
	return data, nil
}

// parseRapfi reads a record, nil for one that is of no position.
func parseRapfi(key, message []byte) (*rapfiRecord, error) {
	if len(key) < 3 || len(key)%2 == 0 {
		return nil, fmt.Errorf("a key of %d bytes", len(key))
	}
	r := &rapfiRecord{rule: int(key[0]), width: int(key[1]), height: int(key[2])}
	if r.width == 0 && r.height == 0 {
		return nil, nil
	}
	if r.rule >= len(rapfiRules) || r.width != r.height || r.width < gomoku.MinSize || r.width > rapfiBoards {
		return nil, fmt.Errorf("rule %d on a board of %dx%d: want rule 0 to %d, and %d to %d rows and columns",
			r.rule, r.width, r.height, len(rapfiRules)-1, gomoku.MinSize, rapfiBoards)
	}
	cells := key[3:]
	stones := len(cells) / 2
	r.second = stones%2 == 1
	for i := range stones {
		x, y := cells[2*i], cells[2*i+1]
		switch {
		case x == rapfiPass && y == rapfiPass:
		case int(x) >= r.width || int(y) >= r.height:
			return nil, fmt.Errorf("a stone at %d, %d", x, y)
		case i < (stones+1)/2:
			r.black = append(r.black, x, y)
		default:
			r.white = append(r.white, x, y)
		}
	}
	var row rapfiRow
	var fixed [rapfiRowBytes]byte
	copy(fixed[:], message)
	if _, err := binary.Decode(fixed[:], binary.LittleEndian, &row); err != nil {
		return nil, err
	}
	r.label, r.value, r.depth = row.Label, row.Value, row.Depth
	r.text = string(message[min(len(message), rapfiRowBytes):])
	return r, nil
}

// board returns the position of a record. The error is about rules and stones.
func (r *rapfiRecord) board() (*gomoku.Board, error) {
	rules, err := gomoku.Lookup(rapfiRules[r.rule])
	if err != nil {
		return nil, err
	}
	s := gomoku.Setup{Stones: make([]gomoku.Stone, r.width*r.height)}
	if r.second {
		s.ToMove = game.Second
	}
	for side, cells := range [2][]byte{r.black, r.white} {
		for i := 0; i < len(cells); i += 2 {
			at := &s.Stones[int(cells[i+1])*r.width+int(cells[i])]
			if *at != gomoku.Empty {
				return nil, errors.New("two stones on one cell")
			}
			*at = gomoku.StoneOf(game.Side(side))
		}
	}
	return gomoku.NewSetup(rules, r.width, s)
}

// comment returns the text of a record that is about the position.
func (r *rapfiRecord) comment() string {
	text := r.text
	if strings.HasPrefix(text, rapfiBoard) {
		_, text, _ = strings.Cut(text, "\b")
	}
	return book.CleanComment(text)
}

// bookLabel returns the label as a book has it: of the side to move.
func (r *rapfiRecord) bookLabel() book.Label {
	switch r.label {
	case rapfiForced:
		return book.Forced
	case rapfiWin, 'W':
		return book.Loss
	case rapfiLoss, 'L':
		return book.Win
	case rapfiDraw, 'D':
		return book.Draw
	case rapfiExcluded, 'X':
		return book.Excluded
	}
	return book.None
}

// bookValue returns the value as a book has it; ok is false for a record without one. A
// mate is what a search has claimed: it makes the value 1, and no proof.
func (r *rapfiRecord) bookValue(by book.Stamp) (v book.Value, ok bool) {
	if r.depth&3 != rapfiExact || r.value > rapfiMate || r.value < -rapfiMate {
		return v, false
	}
	v = book.Value{Source: book.Source{Engine: "rapfi"}, Depth: max(0, int(r.depth>>2)), Best: game.NoMove, Stamp: by}
	switch {
	case r.value > rapfiMates:
		v.Value = 1
	case r.value < -rapfiMates:
		v.Value = -1
	default:
		v.Value = math.Tanh(float64(r.value) / (2 * rapfiScale))
	}
	return v, true
}

// Rapfi brings the positions of a database into a book. What a person has said in the
// book stays.
func Rapfi(ctx context.Context, b *book.Book, in io.Reader, o ImportOptions) (sum Imported, err error) {
	const most = 10_000 // positions of a batch
	sum.Files = 1
	var batch []rapfiRecord
	flush := func() error {
		done := sum
		err := b.Update(ctx, func(w *book.Writer) error {
			for i := range batch {
				if err := putRapfi(w, &batch[i], &o, &done); err != nil {
					return err
				}
			}
			return nil
		})
		if err == nil {
			sum = done
		}
		batch = batch[:0]
		return err
	}
	err = readRapfi(in, func(r *rapfiRecord) error {
		batch = append(batch, *r)
		if len(batch) < most {
			return nil
		}
		if o.Progress != nil {
			o.Progress(sum.Games)
		}
		return flush()
	})
	if err == nil {
		err = flush()
	}
	return sum, err
}

// putRapfi writes a record into a book. What cannot be, or is over, is left out.
func putRapfi(w *book.Writer, r *rapfiRecord, o *ImportOptions, sum *Imported) error {
	sum.Games++
	pos, err := r.board()
	if err != nil || pos.Outcome() != game.Undecided {
		sum.Illegal++
		return nil
	}
	if o.Plies > 0 && pos.Ply() > o.Plies {
		return nil
	}
	created, err := w.Add(pos, o.Stamp)
	if err != nil {
		return err
	}
	if created {
		sum.Positions++
	}
	if v, ok := r.bookValue(o.Stamp); ok {
		sum.Values++
		if err := w.SetValue(pos, v); err != nil {
			return err
		}
	}
	if l := r.bookLabel(); l != book.None {
		set, err := w.SuggestLabel(pos, l, o.Stamp)
		if err != nil {
			return err
		}
		if set {
			sum.Labels++
		}
	}
	if text := r.comment(); text != "" {
		set, err := w.SuggestComment(pos, text, o.Stamp)
		if set {
			sum.Comments++
		}
		return err
	}
	return nil
}

// Written is what an export came to.
type Written struct {
	Positions int64 // or lines
	Left      int64 // positions that the form, or the way to them, left out
}

// WriteRapfi writes the positions of a variant as a database of Rapfi, compressed.
func WriteRapfi(ctx context.Context, b *book.Book, v book.Variant, out io.Writer) (sum Written, err error) {
	rule := slices.Index(rapfiRules[:], v.Rules.Name)
	if rule < 0 || v.Rules.OpenDistance > 0 || v.Size > rapfiBoards {
		return sum, fmt.Errorf("a database of Rapfi %w %v: it is of %s, without the opening rule", ErrNoForm, v, strings.Join(rapfiRules[:], ", "))
	}
	var body bytes.Buffer
	put := func(key, message []byte) {
		for _, data := range [][]byte{key, message} {
			body.Write(binary.LittleEndian.AppendUint16(nil, uint16(len(data))))
			body.Write(data)
		}
	}
	put([]byte{0, 0, 0}, append(make([]byte, rapfiRowBytes), rapfiCharset...))
	err = b.Each(ctx, v, func(e book.Entry) error {
		key, ok := rapfiKey(e.Board, byte(rule))
		if !ok {
			sum.Left++
			return nil
		}
		sum.Positions++
		put(key, rapfiMessage(&e.Position))
		return nil
	})
	if err != nil {
		return sum, err
	}
	z := lz4.NewWriter(out)
	if err := z.Apply(lz4.ChecksumOption(true)); err != nil {
		return sum, err
	}
	_, err = z.Write(binary.LittleEndian.AppendUint32(nil, uint32(sum.Positions+1)))
	if err == nil {
		_, err = body.WriteTo(z)
	}
	return sum, cmp.Or(err, z.Close())
}

// rapfiKey returns the key of a position; ok is false for one that moves in turn do not
// lead to.
func rapfiKey(b *gomoku.Board, rule byte) (key []byte, ok bool) {
	size := b.Size()
	for sym := range gomoku.Symmetries {
		var sides [2][][2]byte
		for cell := range size * size {
			if s := b.At(cell); s != gomoku.Empty {
				to := gomoku.Transform(size, sym, cell)
				sides[s.Side()] = append(sides[s.Side()], [2]byte{byte(to % size), byte(to / size)})
			}
		}
		if d := len(sides[0]) - len(sides[1]); d != int(b.ToMove()) {
			return nil, false
		}
		one := []byte{rule, byte(size), byte(size)}
		for _, cells := range sides {
			slices.SortFunc(cells, func(a, b [2]byte) int { return bytes.Compare(a[:], b[:]) })
			for _, c := range cells {
				one = append(one, c[:]...)
			}
		}
		if key == nil || bytes.Compare(one, key) < 0 {
			key = one
		}
	}
	return key, true
}

// rapfiMessage returns the message of a position.
func rapfiMessage(p *book.Position) []byte {
	row := rapfiRow{Label: rapfiNone}
	proof, plies := p.Proof()
	switch {
	case p.Label == book.Forced:
		row.Label = rapfiForced
	case p.Label == book.Excluded:
		row.Label = rapfiExcluded
	case proof == book.Won:
		row.Label = rapfiLoss
	case proof == book.Lost:
		row.Label = rapfiWin
	case proof == book.Drawn:
		row.Label = rapfiDraw
	}
	depth := 0
	for i := range p.Values {
		depth = max(depth, p.Values[i].Depth)
	}
	if value, ok := p.Worth(); ok {
		row.Depth = int16(min(depth, 1<<12))<<2 | rapfiExact
		row.Value = int16(math.Round(max(-rapfiMost, min(rapfiMost, 2*rapfiScale*math.Atanh(value)))))
		if plies > 0 && proof == book.Won {
			row.Value = int16(rapfiMate - min(plies, 499))
		}
		if plies > 0 && proof == book.Lost {
			row.Value = int16(min(plies, 499) - rapfiMate)
		}
	}
	message, err := binary.Append(nil, binary.LittleEndian, row)
	if err != nil {
		panic(err) // the row has a fixed size
	}
	return append(message, p.Comment...)
}
