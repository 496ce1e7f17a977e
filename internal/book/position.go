package book

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/bits"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Label is what a person says of a position. The zero value says nothing.
type Label uint8

// The labels. Win and Loss are of the side to move. A move that leads to a Forced
// position is the one to play, one that leads to an Excluded one is never played.
const (
	None Label = iota
	Win
	Loss
	Draw
	Forced
	Excluded
)

var labelNames = [...]string{"none", "win", "loss", "draw", "forced", "excluded"}

// LabelNames returns the names of the labels, that of None first.
func LabelNames() []string { return slices.Clone(labelNames[:]) }

// String returns the label's name.
func (l Label) String() string { return labelNames[l] }

// LabelOf returns the label of a name; ok is false for another name.
func LabelOf(name string) (l Label, ok bool) {
	i := slices.Index(labelNames[:], name)
	return Label(max(i, 0)), i >= 0
}

// result returns how the game ends according to the label, Unproven if it does not say so.
func (l Label) result() Result {
	switch l {
	case Win:
		return Won
	case Loss:
		return Lost
	case Draw:
		return Drawn
	}
	return Unproven
}

// Result is how a game ends for the side to move, as an engine has proven it.
type Result uint8

// The results. Unproven is the zero value: nothing is proven.
const (
	Unproven Result = iota
	Won
	Drawn
	Lost
)

// Stamp says who wrote something, and when, to the second.
type Stamp struct {
	Author string
	Time   time.Time
}

// Source is who judged a position: an engine by the name of its kind, the network that it
// used ("" for none) and the build of the program.
type Source struct{ Engine, Network, Build string }

// Value is one engine's judgement of a position, for the side to move.
type Value struct {
	Source
	Value float64   // -1..1, kept in millionths
	Proof Result    // proven, by whatever the engine proves
	Plies int       // to the end of the game, if Proof is not Unproven
	Nodes int64     // visits of a tree search, nodes of another
	Depth int       // of the search; 0: unknown
	Best  game.Move // in the caller's orientation; game.NoMove: unknown
	Stamp           // of the writing
}

// Results counts games by how they ended for the side to move.
type Results struct{ Wins, Draws, Losses int64 }

// Games returns how many games were counted.
func (r Results) Games() int64 { return r.Wins + r.Draws + r.Losses }

// Score returns the mean result, 0..1 for the side to move, and NaN without games.
func (r Results) Score() float64 {
	return (float64(r.Wins) + float64(r.Draws)/2) / float64(r.Games())
}

// Position is what a book says of a position.
type Position struct {
	Label    Label
	Expanded bool // the builder has judged its successors
	Comment  string
	Stamp    // of the label and the comment
	Results  Results
	Values   []Value // by source, in the order in which the book met them

	// Certified is what the certificate says of the position, Unproven without one, and
	// CertifiedPlies the plies to the end of the game.
	Certified      Result
	CertifiedPlies int
}

// Proof returns what is proven of the position: by a certificate, a label or an engine.
func (p *Position) Proof() (r Result, plies int) {
	if p.Certified != Unproven {
		return p.Certified, p.CertifiedPlies
	}
	if r := p.Label.result(); r != Unproven {
		return r, 0
	}
	for i := range p.Values {
		if v := &p.Values[i]; v.Proof != Unproven {
			return v.Proof, v.Plies
		}
	}
	return Unproven, 0
}

// Engines of values that are no judgement of a search.
const (
	// Minimax values were backed up from successors in the book.
	Minimax = "minimax"

	// Quiet and Fours say what came of looking for a win with quiet moves, and by fours
	// alone: a proof, or nothing.
	Quiet = "pn"
	Fours = "fours"
)

// Worth returns what the position is worth to the side to move: what is proven of it, or
// what was backed up from its successors, or what the engines say; ok is false where
// nothing is known.
func (p *Position) Worth() (value float64, ok bool) {
	switch r, _ := p.Proof(); r {
	case Won:
		return 1, true
	case Lost:
		return -1, true
	case Drawn:
		return 0, true
	}
	for i := range p.Values {
		if p.Values[i].Engine == Minimax {
			return p.Values[i].Value, true
		}
	}
	return p.Judged()
}

// Judged returns the mean of the engines' values; ok is false where there are none.
func (p *Position) Judged() (value float64, ok bool) {
	n := 0
	for i := range p.Values {
		switch v := &p.Values[i]; v.Engine {
		case Minimax, Quiet, Fours:
		default:
			value += v.Value
			n++
		}
	}
	return value / float64(max(n, 1)), n > 0
}

// certified returns what a certificate says of its position as the book keeps it: in how
// many plies the side to move wins, negative if it loses; 0 where that cannot be read, which
// Verify tells.
func certified(data []byte) int64 {
	_, data, _ = bytes.Cut(data, []byte("\nto-move "))
	head := string(data[:min(len(data), 64)])
	var toMove, winner string
	var plies int64
	if n, _ := fmt.Sscanf(head, "%s\nwinner %s\nplies %d\n", &toMove, &winner, &plies); n < 3 || plies < 1 || plies > maxPlies {
		return 0
	}
	if winner == toMove {
		return plies
	}
	return -plies
}

// settled reads what certified returns.
func settled(certified int64) (r Result, plies int) {
	switch {
	case certified > 0:
		return Won, int(min(certified, maxPlies+1))
	case certified < 0:
		return Lost, int(-max(certified, -maxPlies-1))
	}
	return Unproven, 0
}

// Bounds of what is written.
const (
	MaxComment = 4096 // bytes of a comment
	MaxName    = 256  // bytes of a name of an author, engine, network, build or origin
	maxPlies   = 1 << 12
	millionths = 1e6
)

// CheckComment returns an error that wraps ErrText for a comment that a book does not
// take.
func CheckComment(text string) error { return checkText("a comment", text, MaxComment) }

// CheckName returns an error that wraps ErrText for a name that a book does not take.
func CheckName(name string) error { return checkText("a name", name, MaxName) }

// CleanComment returns the nearest text that a book takes: without control characters
// and what is no UTF-8, and cut to the bound.
func CleanComment(text string) string {
	text = strings.Map(func(r rune) rune {
		if control(r) {
			return ' '
		}
		return r
	}, strings.ToValidUTF8(text, ""))
	text = strings.TrimSpace(text)
	for len(text) > MaxComment {
		_, n := utf8.DecodeLastRuneInString(text)
		text = text[:len(text)-n]
	}
	return text
}

// control reports whether a rune steers a terminal or hides text: the controls of ASCII
// and Latin-1, and those that turn the direction of what is shown.
func control(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 || r == 0x2029
}

func checkText(what, text string, most int) error {
	switch {
	case len(text) > most:
		return fmt.Errorf("%w: %s of %d bytes, want at most %d", ErrText, what, len(text), most)
	case !utf8.ValidString(text):
		return fmt.Errorf("%w: %s that is no UTF-8", ErrText, what)
	case strings.ContainsFunc(text, control):
		return fmt.Errorf("%w: %s with control characters", ErrText, what)
	}
	return nil
}

// check returns an error for a value that a book does not take.
func (v *Value) check(cells int) error {
	switch {
	case math.IsNaN(v.Value) || v.Value < -1 || v.Value > 1:
		return fmt.Errorf("a value of %v: want -1 to 1", v.Value)
	case v.Proof > Lost || v.Plies < 0 || v.Plies > maxPlies || v.Proof == Unproven && v.Plies != 0:
		return fmt.Errorf("a proof %d in %d plies: want one of win, draw and loss, in at most %d", v.Proof, v.Plies, maxPlies)
	case v.Nodes < 0 || v.Depth < 0 || v.Depth > maxPlies:
		return fmt.Errorf("%d nodes to depth %d: want neither below 0", v.Nodes, v.Depth)
	case v.Best != game.NoMove && int(v.Best) >= cells:
		return fmt.Errorf("a best move %d on a board of %d cells", v.Best, cells)
	case v.Engine == "":
		return fmt.Errorf("%w: a value without the name of its engine", ErrText)
	}
	for _, name := range []string{v.Engine, v.Network, v.Build, v.Author} {
		if err := checkText("a name", name, MaxName); err != nil {
			return err
		}
	}
	return nil
}

// String returns "win", "loss" or "draw", and "" for Unproven.
func (r Result) String() string { return [...]string{"", "win", "draw", "loss"}[r] }

// A key is what the rules read of a position, as bytes:
//
//	1 byte     bit 0: second is to move; bit 1: stones have been captured
//	2 bytes    stones captured by first and by second, only if bit 1 is set
//	uvarint    number of stones of first
//	uvarints   first's cells in ascending order, each as its distance from the one
//	           before (the first one from -1), less 1
//	uvarints   second's cells, likewise
//
// The rules read nothing else of the history: even the opening rule looks at the stones
// alone. A position is stored under the smallest key of its eight symmetries.

// Bits of a key's first byte.
const (
	secondToMove = 1 << 0
	captures     = 1 << 1
)

// cellWords holds a bit for each cell of the largest board.
type cellWords [(gomoku.MaxSize*gomoku.MaxSize + 63) / 64]uint64

// images holds the images of all cells under each symmetry, by the size of the board. It
// never changes.
var images = newImages()

func newImages() *[gomoku.MaxSize + 1][gomoku.Symmetries][]uint16 {
	var all [gomoku.MaxSize + 1][gomoku.Symmetries][]uint16
	for size := gomoku.MinSize; size <= gomoku.MaxSize; size++ {
		for sym := range gomoku.Symmetries {
			for cell := range size * size {
				all[size][sym] = append(all[size][sym], uint16(gomoku.Transform(size, sym, cell)))
			}
		}
	}
	return &all
}

// place is where a position is stored, and the symmetry that takes its cells to those of
// the key.
type place struct {
	key []byte
	sym int
}

// placeOf returns the place of a position.
func placeOf(b *gomoku.Board) place {
	var stones [2][]int
	var room [2][64]int
	size := b.Size()
	for side := range stones {
		stones[side] = room[side][:0]
		for y := range size {
			for row := b.Row(game.Side(side), y); row != 0; row &= row - 1 {
				if x := bits.TrailingZeros32(row); x < size {
					stones[side] = append(stones[side], y*size+x)
				}
			}
		}
	}
	head := []byte{0}
	if b.ToMove() == game.Second {
		head[0] |= secondToMove
	}
	if taken := [2]int{b.Captured(game.First), b.Captured(game.Second)}; taken != [2]int{} {
		head[0] |= captures
		head = append(head, byte(taken[0]), byte(taken[1]))
	}
	head = binary.AppendUvarint(head, uint64(len(stones[game.First])))
	best := place{}
	var other []byte
	for sym := range gomoku.Symmetries {
		other = append(other[:0], head...)
		for _, cells := range stones {
			other = appendCells(other, images[size][sym], cells)
		}
		if best.key == nil || bytes.Compare(other, best.key) < 0 {
			best.key, best.sym, other = other, sym, best.key
		}
	}
	return best
}

// Key returns the key of a position without its variant, the same for all its symmetries.
func Key(b *gomoku.Board) string { return string(placeOf(b).key) }

// Board returns the position of a key, without a history, in the orientation in which it
// is stored. The error wraps ErrDamaged unless it is a key that Key gives.
func (v Variant) Board(key string) (*gomoku.Board, error) { return v.boardOf([]byte(key)) }

// appendCells appends the images of cells under a symmetry.
func appendCells(key []byte, image []uint16, cells []int) []byte {
	var set cellWords
	for _, c := range cells {
		to := image[c]
		set[to>>6] |= 1 << (to & 63)
	}
	last := -1
	for i, w := range set {
		for ; w != 0; w &= w - 1 {
			at := i<<6 + bits.TrailingZeros64(w)
			key = binary.AppendUvarint(key, uint64(at-last-1))
			last = at
		}
	}
	return key
}

// inverse returns the symmetry that undoes another: turns are undone by the rest of a
// full turn, and what begins with a transposition is a reflection.
func inverse(sym int) int {
	if sym >= 4 {
		return sym
	}
	return (4 - sym) % 4
}

// stored returns a move of the caller as it is stored, own a stored one as the caller
// has it. NoMove stays.
func (p place) stored(size int, m game.Move) game.Move { return turned(size, p.sym, m) }
func (p place) own(size int, m game.Move) game.Move    { return turned(size, inverse(p.sym), m) }

func turned(size, sym int, m game.Move) game.Move {
	if m == game.NoMove {
		return m
	}
	return game.Move(images[size][sym][m])
}

// boardOf returns the position of a key. The error wraps ErrDamaged unless the key is
// one that placeOf gives.
func (v Variant) boardOf(key []byte) (*gomoku.Board, error) {
	s, err := v.setupOf(key)
	if err != nil {
		return nil, err
	}
	b, err := gomoku.NewSetup(v.Rules, v.Size, s)
	if err != nil {
		return nil, damaged("position %x: %v", key, err)
	}
	if b.Outcome() != game.Undecided {
		return nil, damaged("position %x: the game is over in it", key)
	}
	if p := placeOf(b); !bytes.Equal(p.key, key) {
		return nil, damaged("position %x is not stored under its smallest key", key)
	}
	return b, nil
}

// setupOf reads a key.
func (v Variant) setupOf(key []byte) (s gomoku.Setup, err error) {
	s.Stones = make([]gomoku.Stone, v.Size*v.Size)
	rest := key
	if len(rest) == 0 {
		return s, damaged("a position without a key")
	}
	flags := rest[0]
	s.ToMove, rest = game.Side(flags&secondToMove), rest[1:]
	if flags&captures != 0 && len(rest) >= 2 {
		s.Captured, rest = [2]int{int(rest[0]), int(rest[1])}, rest[2:]
	}
	first, n := binary.Uvarint(rest)
	if n <= 0 || first > uint64(len(s.Stones)) {
		return s, damaged("position %x: its number of stones cannot be read", key)
	}
	rest = rest[n:]
	last := -1
	for i := 0; len(rest) > 0; i++ {
		gap, n := binary.Uvarint(rest)
		if i == int(first) {
			last = -1
		}
		if n <= 0 || gap >= uint64(len(s.Stones)) || last+1+int(gap) >= len(s.Stones) {
			return s, damaged("position %x: stone %d is on no cell of the board", key, i+1)
		}
		rest, last = rest[n:], last+1+int(gap)
		if s.Stones[last] != gomoku.Empty {
			return s, damaged("position %x: two stones on one cell", key)
		}
		s.Stones[last] = gomoku.FirstStone
		if i >= int(first) {
			s.Stones[last] = gomoku.SecondStone
		}
	}
	return s, nil
}

func damaged(format string, args ...any) error {
	return fmt.Errorf("%w: %s", ErrDamaged, fmt.Sprintf(format, args...))
}
