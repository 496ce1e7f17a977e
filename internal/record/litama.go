package record

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/carozero/carozero/game"
)

// A litama file has games of Onitama as the server Litama tells them
// (github.com/TheBlocks/Litama, its messages of the type "state"), one JSON object each:
//
//	{"messageType": "state", "usernames": {"blue": "Ann", "red": "Ben"}, "currentTurn": "blue",
//	 "startingCards": {"blue": ["monkey", "ox"], "red": ["tiger", "boar"], "side": "crab"},
//	 "moves": ["monkey:a1b2", "tiger:d5d3"], "board": "0121101000000300000033403", ...}
//
// Blue has the first rank, and columns count from its left. The board goes rank by rank
// from a1 to e5: 0 is empty, 1 and 2 are Blue's students and master, 3 and 4 Red's. The
// colour of the side card begins; here the player who begins has the first rank, so
// squares are turned by half a turn where Red does.
type litamaState struct {
	Type          string       `json:"messageType"`
	Usernames     litamaNames  `json:"usernames"`
	CurrentTurn   string       `json:"currentTurn"`
	Cards         *litamaCards `json:"cards"`
	StartingCards *litamaCards `json:"startingCards"`
	Moves         []string     `json:"moves"`
	Board         string       `json:"board"`
	GameState     string       `json:"gameState"`
	Winner        string       `json:"winner"`
}

// litamaNames are the players by colour.
type litamaNames struct {
	Blue string `json:"blue"`
	Red  string `json:"red"`
}

// litamaCards are the names of cards by who holds them.
type litamaCards struct {
	Blue []string `json:"blue"`
	Red  []string `json:"red"`
	Side string   `json:"side"`
}

// The words of Litama.
const (
	litamaType    = "state"
	litamaWaiting = "waiting for player"
	litamaGoesOn  = "in progress"
	litamaEnded   = "ended"
	litamaNobody  = "none"
)

// maxLitama bounds the bytes of a state.
const maxLitama = 1 << 20

// A Dealt notation is one of games that begin with cards.
type Dealt interface {
	// Deal reads the text of a deal, and returns it as games of this program begin with
	// it, and the colour, "blue" or "red", of the player who moves first.
	Deal(text string) (deal, first string, err error)
}

var (
	litamaCard = regexp.MustCompile(`^[A-Za-z]{1,32}$`)
	litamaMove = regexp.MustCompile(`^([A-Za-z]{1,32}):([a-e][1-5])([a-e][1-5])$`)
)

// litamaFile reads the states of a file.
type litamaFile struct {
	in       *countedReader
	states   *json.Decoder
	notation game.Notation
	dealt    Dealt
}

// countedReader reads no more than left bytes, if that is set anew in time.
type countedReader struct {
	in   io.Reader
	left int
}

func (c *countedReader) Read(p []byte) (int, error) {
	if c.left <= 0 {
		return 0, fmt.Errorf("a game of more than %d bytes", maxLitama)
	}
	n, err := c.in.Read(p[:min(len(p), c.left)])
	c.left -= n
	return n, err
}

// newLitama returns a reader of states, whose moves o.Notation must read.
func newLitama(in io.Reader, o *Options) (*litamaFile, error) {
	dealt, ok := o.Notation.(Dealt)
	if !ok {
		return nil, errors.New("a game of Onitama, as the server Litama tells it: choose the game onitama to read it")
	}
	b := buffered(in)
	if head, _ := b.Peek(3); bytes.Equal(head, []byte("\xef\xbb\xbf")) {
		_, _ = b.Discard(3) // has been read already
	}
	f := &litamaFile{in: &countedReader{in: b}, notation: o.Notation, dealt: dealt}
	f.states = json.NewDecoder(f.in)
	return f, nil
}

func (f *litamaFile) next() (*Tree, error) {
	for {
		f.in.left = maxLitama
		var s litamaState
		at := f.states.InputOffset()
		err := f.states.Decode(&s)
		if errors.Is(err, io.EOF) {
			return nil, io.EOF
		}
		if err == nil && (s.Type != "" && s.Type != litamaType || s.GameState == litamaWaiting) {
			continue // something else that the server says
		}
		var t *Tree
		if err == nil {
			t, err = f.tree(&s)
		}
		if err != nil {
			return nil, &Error{Byte: at, Err: fmt.Errorf("litama: %w", err)}
		}
		t.Byte = at
		return t, nil
	}
}

// tree returns the game of a state.
func (f *litamaFile) tree(s *litamaState) (*Tree, error) {
	if len(s.Moves) > MaxDepth {
		return nil, fmt.Errorf("%w: %d moves; want at most %d", ErrTooBig, len(s.Moves), MaxDepth)
	}
	cards := s.StartingCards
	if cards == nil && len(s.Moves) == 0 {
		cards = s.Cards
	}
	if cards == nil {
		return nil, errors.New("startingCards: missing")
	}
	first, err := s.first()
	if err != nil {
		return nil, err
	}
	b, err := newLitamaBoard(cards, first)
	if err != nil {
		return nil, err
	}
	t := New(0)
	if t.Start, _, err = f.dealt.Deal(b.deal()); err != nil {
		return nil, err
	}
	var text strings.Builder
	for i, m := range s.Moves {
		word := litamaMove.FindStringSubmatch(m)
		if word == nil {
			return nil, fmt.Errorf("move %d, %q: want a card and two squares, as in crane:c1d2", i+1, Excerpt(m))
		}
		if err := b.play(word[1], word[2], word[3]); err != nil {
			return nil, fmt.Errorf("move %d, %s: %w", i+1, m, err)
		}
		fmt.Fprintf(&text, "%s %s%s ", word[1], turned(word[2], first), turned(word[3], first))
	}
	if s.Board != "" && s.Board != b.String() {
		return nil, fmt.Errorf("board %q: its moves lead to %q", Excerpt(s.Board), b)
	}
	if s.Cards != nil && !s.Cards.equal(b.cards()) {
		return nil, fmt.Errorf("cards: its moves lead to %s", b.deal())
	}
	moves, err := f.notation.ParseMoves(text.String())
	if err != nil {
		return nil, err
	}
	if _, err := t.Extend(0, game.First, moves, nil); err != nil {
		return nil, err
	}
	names := [2]string{s.Usernames.Blue, s.Usernames.Red}
	t.Black, t.White = names[first], names[1-first]
	switch s.Winner {
	case litamaColours[first]:
		t.Result = "B+"
	case litamaColours[1-first]:
		t.Result = "W+"
	case "", litamaNobody:
	default:
		return nil, fmt.Errorf("winner %q: want blue, red or none", Excerpt(s.Winner))
	}
	return t, nil
}

// first returns the colour that made the first move.
func (s *litamaState) first() (int, error) {
	for colour, name := range litamaColours {
		if s.CurrentTurn == name {
			return (colour + len(s.Moves)) % 2, nil
		}
	}
	return 0, fmt.Errorf("currentTurn %q: want blue or red", Excerpt(s.CurrentTurn))
}
