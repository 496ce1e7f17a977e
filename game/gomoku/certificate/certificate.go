// Package certificate holds proofs of wins and draws that anybody can check: a format,
// its writers, and a checker that knows nothing but the rules.
//
// # What it is for
//
// A solver's claim is as good as the solver. A [Certificate] makes the claim stand by
// itself: it has the winner's move in every position that the loser can bring about,
// and a reader needs the rules and FORMAT.md alone to find out whether all of it is
// true. check.py beside this file is a second reader, in Python, that was written
// from that page; the tests hold both to each other and to a slow twin.
//
// # The walk
//
// A certificate is a text header (the rules as data, the start position, the winner,
// the plies of the longest line, the number of nodes), the winner's moves, a byte or
// two each, and a SHA-256. The moves stand in the order in which one walk asks for
// them:
//
//	at the winner's turn:  done, if the winner has a move that wins at once
//	                       done, if the walk has been in the position before
//	                       else play the next move of the file, and walk on
//	at the loser's turn:   play each legal move in ascending order, and walk on
//
// Such a walk ends, since every move adds to the stones on the board and captured
// together. It is also why there are no references between the nodes of the graph:
// the reader knows where it has been. So nothing can point to a wrong place, no cycle
// can be written, and one proof has one form as bytes. [New] takes the same walk to
// write a certificate, with a [Strategy] in place of the file.
//
// # Draws
//
// A second form says that a side, or both, do not lose (replies.go). The walk is the same,
// with a draw as good as a win, and it may end early: at a pairing, pairs of empty cells
// of which every line that the other side could win by has one. [NewHold] writes it.
//
// # What is not played
//
// Most moves against a four are answered by the five. While there is a cell c where
// the winner, were it to move, would win at once, the only replies to play are those
// that can change this, which lie around c (replies.go); FORMAT.md has the
// argument for each kind of rules. The slow twin of the tests plays all of them.
//
// # Letters
//
// m is a move of the winner, r a reply of the loser, c a cell where the winner would
// win at once.
package certificate

import (
	"bytes"
	"cmp"
	"crypto/sha256"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// Sentinel errors. Returned errors wrap one of them in a line that says what is wrong.
var (
	// ErrFormat: the bytes are no certificate of this format.
	ErrFormat = errors.New("no certificate")
	// ErrRefuted: the moves do not prove what the header says.
	ErrRefuted = errors.New("refuted")
	// ErrNodes: the proof has more nodes than the limit.
	ErrNodes = errors.New("too many nodes")
)

// Limits of the format.
const (
	MaxNodes  = 1 << 24
	MaxBytes  = maxHeader + 2*MaxNodes + sha256.Size
	maxHeader = 4096
)

// Certificate says that a side wins from a position, or that one or both sides do not
// lose, and how.
type Certificate struct {
	Rules gomoku.Rules
	Size  int
	Start gomoku.Setup

	// Of a win, format 1.
	Winner game.Side
	Plies  int // to the end of the game at most

	// Holds are the sides that do not lose, by game.Side, format 2. Neither: a win is
	// certified. Both: a draw is.
	Holds [2]bool

	// Moves are those of the winner, one a node, in the order of the walk. In format 2
	// they are the words of the file: moves and pairings.
	Moves []game.Move
}

// Win reports whether the certificate is of a win.
func (c *Certificate) Win() bool { return c.Holds == [2]bool{} }

// Encode returns the bytes of the certificate. c must have come from Decode or New.
func (c *Certificate) Encode() []byte {
	data := []byte(c.header(len(c.Moves)) + "\n")
	for _, m := range c.Moves {
		if c.width() == 2 {
			data = append(data, byte(m>>8))
		}
		data = append(data, byte(m))
	}
	sum := sha256.Sum256(data)
	return append(data, sum[:]...)
}

// Digest returns the SHA-256 at the end of an encoded certificate.
func Digest(data []byte) []byte { return data[max(0, len(data)-sha256.Size):] }

// Is reports whether a file that begins with head means to be a certificate.
func Is(head []byte) bool {
	return bytes.HasPrefix(head, []byte(magic+"1\n")) || bytes.HasPrefix(head, []byte(magic+"2\n"))
}

// Decode reads a certificate. It checks the form, the digest and that the rules and
// the start position are possible, but not the proof: see Check. What it takes of memory
// is in proportion to data. Its errors wrap ErrFormat.
func Decode(data []byte) (*Certificate, error) {
	head, _, found := bytes.Cut(data[:min(len(data), maxHeader)], []byte("\n\n"))
	if !Is(data) {
		return nil, malformed("it does not begin with %q or %q", magic+"1", magic+"2")
	}
	if !found {
		return nil, malformed("the header does not end within %d bytes", maxHeader)
	}
	c, nodes, err := parseHeader(string(head) + "\n")
	if err != nil {
		return nil, err
	}
	body := data[len(head)+2:]
	width := c.width()
	if want := nodes*width + sha256.Size; len(body) != want {
		return nil, malformed("%d bytes follow the header: %d of %d bytes each and the digest take %d", len(body), nodes,
			width, want)
	}
	end := len(data) - sha256.Size
	if sum := sha256.Sum256(data[:end]); !bytes.Equal(sum[:], data[end:]) {
		return nil, malformed("the digest is not that of the content")
	}
	c.Moves = make([]game.Move, nodes)
	for i := range c.Moves {
		m := 0
		for _, b := range body[i*width : (i+1)*width] {
			m = m<<8 | int(b)
		}
		if m >= c.Size*c.Size && (c.Win() || m != int(c.pairing())) {
			return nil, malformed("move %d is %d: the board has %d cells", i+1, m, c.Size*c.Size)
		}
		c.Moves[i] = game.Move(m)
	}
	if _, err := c.Board(); err != nil {
		return nil, err
	}
	return c, nil
}

// Board returns the start position. The error wraps ErrFormat.
func (c *Certificate) Board() (*gomoku.Board, error) {
	b, err := gomoku.NewSetup(c.Rules, c.Size, c.Start)
	switch {
	case err != nil:
		return nil, malformed("%w", err)
	case b.Outcome() != game.Undecided:
		return nil, malformed("the game is over at the start: %v (%s)", b.Outcome(), b.Reason())
	}
	return b, nil
}

// width is the bytes of a move.
func (c *Certificate) width() int {
	if c.Size <= 15 || c.Size == 16 && c.Win() {
		return 1
	}
	return 2
}

// pairing is the word that begins a pairing of format 2.
func (c *Certificate) pairing() game.Move { return 1<<(8*c.width()) - 1 }

func malformed(format string, args ...any) error {
	return fmt.Errorf("%w: %w", ErrFormat, fmt.Errorf(format, args...))
}

const magic = "carozero certificate "

// Words of the header for pairs of flags, blocked ends, single flags and sides.
var (
	sidesWords = []string{"none", "first", "second", "both"}
	blockWords = []string{"none", "opponent", "edge"}
	yesNo      = []string{"no", "yes"}
	sideWords  = []string{game.First.String(), game.Second.String()}
)

// header returns the lines of the header of a certificate with so many nodes, or words.
func (c *Certificate) header(nodes int) string {
	r, format := &c.Rules, 1
	end := fmt.Sprintf("winner %v\nplies %d\nnodes %d\n", c.Winner, c.Plies, nodes)
	if !c.Win() {
		format, end = 2, fmt.Sprintf("holds %s\nwords %d\n", sidesWords[bits(c.Holds)], nodes)
	}
	return fmt.Sprintf("%s%d\nrule %s\nexact %s\nblocked %s\noverline-free %s\nrenju %s\ndouble-three %s\n"+
		"captures %s\nopen-distance %d\nsize %d\nfirst %s\nsecond %s\ncaptured %d %d\nto-move %v\n%s",
		magic, format, r.Name, sidesWords[bits(r.Exact)], blockWords[bit(r.OpponentBlocks)+bit(r.EdgeBlocks)],
		yesNo[bit(r.OverlineFree)], sidesWords[bits(r.Renju)], yesNo[bit(r.DoubleThree)],
		yesNo[bit(r.Captures)], r.OpenDistance, c.Size, c.stones(game.First), c.stones(game.Second),
		c.Start.Captured[0], c.Start.Captured[1], c.Start.ToMove, end)
}

// stones names the cells with a side's stones in the start position, "-" for none.
func (c *Certificate) stones(side game.Side) string {
	var cells []game.Move
	for cell, s := range c.Start.Stones {
		if s == gomoku.StoneOf(side) {
			cells = append(cells, game.Move(cell))
		}
	}
	return cmp.Or(gomoku.Notation{Size: c.Size}.FormatMoves(cells), "-")
}

func bit(flag bool) int {
	if flag {
		return 1
	}
	return 0
}

// bits returns a number of two flags, the first one worth 1, and pair the flags of a number.
func bits(flags [2]bool) int { return bit(flags[0]) + 2*bit(flags[1]) }
func pair(bits int) [2]bool  { return [2]bool{bits&1 != 0, bits&2 != 0} }

var ruleName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// parseHeader reads a header, and returns what it says but for the moves. It takes from each line
// what it can, and refuses a header that does not come back from that.
func parseHeader(text string) (c *Certificate, nodes int, err error) {
	lines := map[string]string{}
	for _, line := range strings.Split(text, "\n")[1:] {
		key, value, _ := strings.Cut(line, " ")
		lines[key] = value
	}
	word := func(key string, words []string) int { return max(0, slices.Index(words, lines[key])) }
	number := func(key, text string, least, most int) int {
		n, wrong := strconv.Atoi(text)
		if err == nil && (wrong != nil || n < least || n > most) {
			err = malformed("%s %.40q: want a number, %d to %d", key, text, least, most)
		}
		return n
	}
	blocked := word("blocked", blockWords)
	c = &Certificate{Rules: gomoku.Rules{
		Name: lines["rule"], Exact: pair(word("exact", sidesWords)), Renju: pair(word("renju", sidesWords)),
		OpponentBlocks: blocked > 0, EdgeBlocks: blocked > 1, OverlineFree: word("overline-free", yesNo) == 1,
		DoubleThree: word("double-three", yesNo) == 1, Captures: word("captures", yesNo) == 1,
		OpenDistance: number("open-distance", lines["open-distance"], 0, gomoku.MaxSize),
	}}
	c.Size = number("size", lines["size"], gomoku.MinSize, gomoku.MaxSize)
	first, second, _ := strings.Cut(lines["captured"], " ")
	c.Start.Captured = [2]int{number("captured", first, 0, 99), number("captured", second, 0, 99)}
	c.Start.ToMove = game.Side(word("to-move", sideWords))
	if strings.HasPrefix(text, magic+"1\n") {
		c.Winner = game.Side(word("winner", sideWords))
		c.Plies = number("plies", lines["plies"], 0, 9999)
		nodes = number("nodes", lines["nodes"], 0, MaxNodes)
	} else {
		c.Holds = pair(word("holds", sidesWords))
		nodes = number("words", lines["words"], 0, MaxNodes)
	}
	if err != nil {
		return nil, 0, err
	}
	c.Start.Stones = make([]gomoku.Stone, c.Size*c.Size)
	for side, key := range sideWords {
		if lines[key] == "-" {
			continue
		}
		cells, err := gomoku.Notation{Size: c.Size}.ParseMoves(lines[key])
		if err != nil {
			return nil, 0, malformed("%s: %w", key, err)
		}
		for _, m := range cells {
			c.Start.Stones[m] = gomoku.StoneOf(game.Side(side))
		}
	}
	if !ruleName.MatchString(c.Rules.Name) {
		return nil, 0, malformed("rule %.40q: want 1 to 32 of a-z, 0-9 and -", c.Rules.Name)
	}
	if err := agree(c.Rules); err != nil {
		return nil, 0, err
	}
	if c.header(nodes) != text {
		return nil, 0, malformed("the header is not in its one form")
	}
	return c, nodes, nil
}

// agree returns an error for rules that contradict each other, or a known name.
func agree(r gomoku.Rules) error {
	if err := r.Validate(); err != nil {
		return malformed("%w", err)
	}
	known, err := gomoku.Lookup(r.Name)
	known.OpenDistance = r.OpenDistance
	if err == nil && known != r {
		return malformed("the rules are not those of %s", r.Name)
	}
	return nil
}
