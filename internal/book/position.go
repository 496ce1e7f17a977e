package book

import (
	"bytes"
	"cmp"
	"encoding/binary"
	"fmt"
	"math"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	"github.com/carozero/carozero/game"
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

// String returns the label's name.
func (l Label) String() string { return labelNames[l] }

// LabelOf returns the label of a name; ok is false for another name.
func LabelOf(name string) (l Label, ok bool) {
	i := slices.Index(labelNames[:], name)
	return Label(max(i, 0)), i >= 0
}

// result returns how the game ends according to the label, Unproven if it does not say so.
func (l Label) result() game.Result {
	switch l {
	case Win:
		return game.Won
	case Loss:
		return game.Lost
	case Draw:
		return game.Drawn
	}
	return game.Unproven
}

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
	Value float64     // -1..1, kept in millionths
	Proof game.Result // proven, by whatever the engine proves
	Plies int         // to the end of the game, if Proof is not Unproven
	Nodes int64       // visits of a tree search, nodes of another
	Depth int         // of the search; 0: unknown
	Best  game.Move   // in the caller's orientation; game.NoMove: unknown
	Stamp             // of the writing
}

// Position is what a book says of a position.
type Position struct {
	Label    Label
	Expanded bool // the builder has judged its successors
	Comment  string
	Stamp            // of the label and the comment
	Values   []Value // by source, in the order in which the book met them

	// Certified is what the certificate says of the position, Unproven without one, and
	// CertifiedPlies the plies to the end of the game.
	Certified      game.Result
	CertifiedPlies int
}

// Proof returns what is proven of the position: by a certificate, a label or an engine.
func (p *Position) Proof() (r game.Result, plies int) {
	if p.Certified != game.Unproven {
		return p.Certified, p.CertifiedPlies
	}
	if r := p.Label.result(); r != game.Unproven {
		return r, 0
	}
	for i := range p.Values {
		if v := &p.Values[i]; v.Proof != game.Unproven {
			return v.Proof, v.Plies
		}
	}
	return game.Unproven, 0
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
	if r, _ := p.Proof(); r != game.Unproven {
		return float64(r.Value()), true
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
	var toMove, winner string
	var plies int64
	n, _ := fmt.Sscanf(string(data[:min(len(data), 64)]), "%s\nwinner %s\nplies %d\n", &toMove, &winner, &plies)
	switch {
	case n < 3 || plies < 1 || plies > maxPlies:
		return 0
	case winner == toMove:
		return plies
	}
	return -plies
}

// proofOf reads what certified returns.
func proofOf(certified int64) (r game.Result, plies int) {
	switch {
	case certified > 0:
		return game.Won, int(certified)
	case certified < 0:
		return game.Lost, int(-certified)
	}
	return game.Unproven, 0
}

// Bounds of what is written.
const (
	MaxComment = 4096 // bytes of a comment
	MaxName    = 256  // bytes of a name of an author, engine, network or build
	maxPlies   = 1 << 12
	millionths = 1e6
)

// CheckComment returns an error that wraps ErrText for a comment that a book does not
// take.
func CheckComment(text string) error { return checkText("a comment", text, MaxComment) }

// CheckName returns an error that wraps ErrText for a name that a book does not take.
func CheckName(name string) error { return checkText("a name", name, MaxName) }

// control reports whether a rune steers a terminal or hides text: the controls of ASCII
// and Latin-1, and those that turn the direction of what is shown.
func control(r rune) bool {
	return r < ' ' || r >= 0x7f && r < 0xa0 || r >= 0x202a && r <= 0x202e || r >= 0x2066 && r <= 0x2069 || r == 0x2028 ||
		r == 0x2029
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
	case v.Proof > game.Lost || v.Plies < 0 || v.Plies > maxPlies || v.Nodes < 0 || v.Depth < 0 || v.Depth > maxPlies:
		return fmt.Errorf("a value with the proof %d in %d plies, %d nodes and depth %d", v.Proof, v.Plies, v.Nodes, v.Depth)
	case v.Best != game.NoMove && int(v.Best) >= cells:
		return fmt.Errorf("a best move %d on a board of %d cells", v.Best, cells)
	case v.Engine == "":
		return fmt.Errorf("%w: a value without the name of its engine", ErrText)
	}
	return cmp.Or(CheckName(v.Engine), CheckName(v.Network), CheckName(v.Build), CheckName(v.Author))
}

// judgement is a value in the column judged of its position, which holds one for each source,
// by ascending numbers, each in 32 bytes, big-endian.
type judgement struct {
	Source   uint32 // its number
	Value    uint32 // in millionths, and a million
	Proof    game.Result
	Plies    uint16
	Nodes    uint64
	Depth    uint16
	Best     uint16 // cell of the best move as it is stored, and 1; 0: unknown
	Author   uint32 // its number
	TimeHigh int8   // seconds since 1970, in 5 bytes
	TimeLow  uint32
}

const judgementBytes = 32

// judgementOf returns the judgement of a value whose best move is as it is stored.
func judgementOf(source, author int64, v *Value) judgement {
	r := judgement{
		Source: uint32(source), Value: uint32(math.Round(v.Value*millionths) + millionths), Proof: v.Proof,
		Plies: uint16(v.Plies), Nodes: uint64(v.Nodes), Depth: uint16(v.Depth), Author: uint32(author),
		TimeHigh: int8(v.Time.Unix() >> 32), TimeLow: uint32(v.Time.Unix()),
	}
	if v.Best != game.NoMove {
		r.Best = uint16(v.Best) + 1
	}
	return r
}

// insert returns the records of a position with r in place of that of its source, or added.
func (r judgement) insert(judged []byte) ([]byte, error) {
	at, rest := 0, 0
	for ; at+judgementBytes <= len(judged); at += judgementBytes {
		if source := binary.BigEndian.Uint32(judged[at:]); source >= r.Source {
			if source == r.Source {
				rest = judgementBytes
			}
			break
		}
	}
	out, err := binary.Append(bytes.Clone(judged[:at]), binary.BigEndian, r)
	return append(out, judged[at+rest:]...), err
}

// values reads the records of a position on a board of so many cells. Best moves are as they
// are stored.
func (b *Book) values(judged []byte, cells int) (list []Value, err error) {
	for ; len(judged) > 0; judged = judged[judgementBytes:] {
		var r judgement
		if _, err := binary.Decode(judged, binary.BigEndian, &r); err != nil {
			return nil, damaged("values of %d bytes, want a multiple of %d", len(judged), judgementBytes)
		}
		v := Value{
			Value: (float64(r.Value) - millionths) / millionths, Proof: r.Proof, Plies: int(r.Plies),
			Nodes: int64(r.Nodes), Depth: int(r.Depth), Best: game.NoMove,
		}
		v.Time = time.Unix(int64(r.TimeHigh)<<32|int64(r.TimeLow), 0).UTC()
		if r.Best > 0 {
			v.Best = game.Move(r.Best - 1)
		}
		if v.Source, err = b.source(int64(r.Source)); err != nil {
			return nil, err
		}
		if v.Author, err = b.author(int64(r.Author)); err != nil {
			return nil, err
		}
		if err := v.check(cells); err != nil {
			return nil, damaged("%v", err)
		}
		list = append(list, v)
	}
	return list, nil
}
