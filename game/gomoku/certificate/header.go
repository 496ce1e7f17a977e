package certificate

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

const magic = "carozero certificate "

// Words of the header for pairs of flags and for single ones.
var (
	sidesWords = []string{"none", "first", "second", "both"}
	blockWords = []string{"none", "opponent", "edge"}
	yesNo      = []string{"no", "yes"}
	sideWords  = []string{game.First.String(), game.Second.String()}
)

// header returns the lines of the header of a certificate with so many nodes, or words.
func (c *Certificate) header(nodes int) []byte {
	r, n := &c.Rules, gomoku.Notation{Size: c.Size}
	format := 1
	if !c.Win() {
		format = 2
	}
	text := fmt.Appendf(nil, "%s%d\nrule %s\nexact %s\n", magic, format, r.Name, sidesWords[bits(r.Exact[0], r.Exact[1])])
	text = fmt.Appendf(text, "blocked %s\noverline-free %s\n", blockWords[bits(r.OpponentBlocks, false)+bits(r.EdgeBlocks, false)], yesNo[bits(r.OverlineFree, false)])
	text = fmt.Appendf(text, "renju %s\ndouble-three %s\n", sidesWords[bits(r.Renju[0], r.Renju[1])], yesNo[bits(r.DoubleThree, false)])
	text = fmt.Appendf(text, "captures %s\nopen-distance %d\nsize %d\n", yesNo[bits(r.Captures, false)], r.OpenDistance, c.Size)
	for side, word := range sideWords {
		var cells []game.Move
		for cell, s := range c.Start.Stones {
			if s == gomoku.StoneOf(game.Side(side)) {
				cells = append(cells, game.Move(cell))
			}
		}
		stones := n.FormatMoves(cells)
		if stones == "" {
			stones = "-"
		}
		text = fmt.Appendf(text, "%s %s\n", word, stones)
	}
	text = fmt.Appendf(text, "captured %d %d\nto-move %v\n", c.Start.Captured[0], c.Start.Captured[1], c.Start.ToMove)
	if c.Win() {
		return fmt.Appendf(text, "winner %v\nplies %d\nnodes %d\n", c.Winner, c.Plies, nodes)
	}
	return fmt.Appendf(text, "holds %s\nwords %d\n", sidesWords[bits(c.Holds[0], c.Holds[1])], nodes)
}

// bits returns a number of two flags, the first one worth 1.
func bits(one, two bool) (n int) {
	if one {
		n++
	}
	if two {
		n += 2
	}
	return n
}

var ruleName = regexp.MustCompile(`^[a-z0-9-]{1,32}$`)

// headerReader reads the lines of a header one after the other. The first error stays.
type headerReader struct {
	lines []string
	err   error
}

// parseHeader reads a header, and returns what it says but for the moves.
func parseHeader(text string) (c *Certificate, nodes int, err error) {
	c = &Certificate{}
	h := &headerReader{lines: strings.Split(strings.TrimSuffix(text, "\n"), "\n")[1:]}
	r := &c.Rules
	r.Name = h.value("rule")
	if h.err == nil && !ruleName.MatchString(r.Name) {
		h.fail("rule %q: want 1 to 32 of a-z, 0-9 and -", r.Name)
	}
	exact := h.word("exact", sidesWords)
	blocked := h.word("blocked", blockWords)
	r.OverlineFree = h.word("overline-free", yesNo) == 1
	renju := h.word("renju", sidesWords)
	r.DoubleThree = h.word("double-three", yesNo) == 1
	r.Captures = h.word("captures", yesNo) == 1
	r.OpenDistance = h.number(h.value("open-distance"), 0, gomoku.MaxSize)
	r.Exact = [2]bool{exact&1 != 0, exact&2 != 0}
	r.Renju = [2]bool{renju&1 != 0, renju&2 != 0}
	r.OpponentBlocks, r.EdgeBlocks = blocked > 0, blocked > 1
	c.Size = h.number(h.value("size"), gomoku.MinSize, gomoku.MaxSize)
	c.Start.Stones = make([]gomoku.Stone, c.Size*c.Size)
	h.stones(game.First, c)
	h.stones(game.Second, c)
	first, second, _ := strings.Cut(h.value("captured"), " ")
	c.Start.Captured = [2]int{h.number(first, 0, 99), h.number(second, 0, 99)}
	c.Start.ToMove = game.Side(h.word("to-move", sideWords))
	if strings.HasPrefix(text, magic+"1\n") {
		c.Winner = game.Side(h.word("winner", sideWords))
		c.Plies = h.number(h.value("plies"), 0, 9999)
		nodes = h.number(h.value("nodes"), 0, MaxNodes)
	} else {
		holds := 1 + h.word("holds", sidesWords[1:])
		c.Holds = [2]bool{holds&1 != 0, holds&2 != 0}
		nodes = h.number(h.value("words"), 0, MaxNodes)
	}
	if h.err == nil && len(h.lines) > 0 {
		h.fail("the header goes on after its last line")
	}
	if h.err == nil {
		h.err = agree(*r)
	}
	if h.err == nil && string(c.header(nodes)) != text {
		h.fail("the header is not in its one form")
	}
	return c, nodes, h.err
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

func (h *headerReader) fail(format string, args ...any) {
	if h.err == nil {
		h.err = malformed(format, args...)
	}
}

// value returns what the next line says of its key.
func (h *headerReader) value(key string) string {
	if h.err == nil && len(h.lines) == 0 {
		h.fail("the header has no line %q", key)
	}
	if h.err != nil {
		return ""
	}
	got, value, _ := strings.Cut(h.lines[0], " ")
	h.lines = h.lines[1:]
	if got != key {
		h.fail("a line %.40q where %q should be", got, key)
	}
	return value
}

// word returns the index of the value of a key among words.
func (h *headerReader) word(key string, words []string) int {
	value := h.value(key)
	i := slices.Index(words, value)
	if i < 0 {
		h.fail("%s %.40q: want %s", key, value, strings.Join(words, ", "))
		return 0
	}
	return i
}

// number returns a number from least to most.
func (h *headerReader) number(text string, least, most int) int {
	if h.err != nil {
		return 0
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < least || n > most {
		h.fail("%.40q: want a number, %d to %d", text, least, most)
		return 0
	}
	return n
}

// stones puts the stones of a side's line on the start position.
func (h *headerReader) stones(side game.Side, c *Certificate) {
	text := h.value(side.String())
	if h.err != nil || text == "-" {
		return
	}
	cells, err := gomoku.Notation{Size: c.Size}.ParseMoves(text)
	if err != nil {
		h.fail("%v: %w", side, err)
		return
	}
	for _, m := range cells {
		if c.Start.Stones[m] != gomoku.Empty {
			h.fail("%v: %s has two stones", side, gomoku.Notation{Size: c.Size}.FormatMove(m))
			return
		}
		c.Start.Stones[m] = gomoku.StoneOf(side)
	}
}
