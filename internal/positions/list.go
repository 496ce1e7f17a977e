package positions

import (
	"fmt"
	"io"
	"math"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/bounded"
)

// maxLine is the longest line of a list, in bytes.
const maxLine = 64 << 10

// list is a text with one position a line. What follows a # is a comment;
// empty lines are passed over.
type list struct {
	path string
	in   *bounded.Lines
	*agreement
}

func newList(path string, in io.Reader, a *agreement) *list {
	return &list{path: path, in: bounded.NewLines(in, maxLine, math.MaxInt), agreement: a}
}

func (l *list) next() (Game, error) {
	for line, ok := l.in.Next(); ok; line, ok = l.in.Next() {
		text, _, _ := strings.Cut(strings.TrimPrefix(line, "\ufeff"), "#")
		if text = strings.TrimSpace(text); text == "" {
			continue
		}
		v, err := l.settle(l.path, claim{})
		if err != nil {
			return Game{}, err
		}
		g := Game{Variant: v, Single: true, Source: fmt.Sprintf("%s:%d", l.path, l.in.Number())}
		if err = g.parse(text); err == nil {
			err = g.replay()
		}
		if err != nil {
			return Game{}, fmt.Errorf("%s: %w", g.Source, err)
		}
		return g, nil
	}
	if err := l.in.Err(); err != nil {
		return Game{}, fmt.Errorf("%s:%d: %w", l.path, l.in.Number()+1, err)
	}
	return Game{}, io.EOF
}

// parse reads a game in the notation of its variant.
func (g *Game) parse(text string) error {
	var err error
	g.start, g.Moves, err = g.Variant.ParseGame(text)
	return err
}

// outcomes maps the words of the sample files to outcomes.
var outcomes = map[string]game.Outcome{
	game.FirstWins.String():  game.FirstWins,
	game.SecondWins.String(): game.SecondWins,
	game.Draw.String():       game.Draw,
}
