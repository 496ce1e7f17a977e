package board

import (
	"context"
	"fmt"
	"regexp"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// Bounds of an import: a page has to hold what comes of it.
const (
	mostImported = 1_000
	MaxNodes     = 100_000   // of a game
	mostMarks    = 1_000_000 // a few bytes are many marks
)

// Imported is the answer to an import.
type Imported struct {
	Format string  `json:"format"` // sgf, psq, lib, text or diagram
	Games  []*Game `json:"games"`
}

// Import answers /api/import: it reads games of whatever form, until ctx ends. query returns
// the parameters of the request, "" for one that it has not.
func (d *Defaults) Import(ctx context.Context, query func(name string) string, data []byte) (*Reply, *Problem) {
	fallback, p := d.fallback(query)
	if p != nil {
		return nil, p
	}
	found, err := parseGames(ctx, data, fallback)
	switch {
	case ctx.Err() != nil:
		return nil, Refusal(unavailable, "whoever asked is gone")
	case isTooBig(err):
		return nil, Refusal(tooLarge, "%v", OneLine(err))
	case err != nil:
		return nil, Refusal(badRequest, "%v", OneLine(err)).As(CodeOf(err))
	}
	return JSON(ok, found), nil
}

// fallback returns the variant of games that name none: the page's usual one, with what the
// query names instead. Of another game nothing of that is kept.
func (d *Defaults) fallback(query func(name string) string) (games.VariantOptions, *Problem) {
	o := games.VariantOptions{Game: d.Game, Rule: d.Rule, Size: d.Size}
	if name := query("game"); name != "" && name != d.Game {
		o = games.VariantOptions{Game: name}
	}
	if rules := query("rules"); rules != "" {
		o.Rule = rules
	}
	if size := query("size"); size != "" {
		n, err := strconv.ParseInt(size, 10, 32)
		if err != nil || n < 1 {
			return o, Invalid("size", "%s: want the columns of a board", analysis.Shown(size))
		}
		o.Size = int(n)
	}
	if _, err := games.NewVariant(o); err != nil {
		wrong, text := analysis.WrongOption(o, err)
		return o, Invalid(wrong, "%s", text)
	}
	return o, nil
}

// drawing tells a diagram: rows of points and stones alone.
var drawing = regexp.MustCompile(`^[.XxOo \t\r\n]*\.[.XxOo \t\r\n]*\n[.XxOo \t\r\n]*$`)

// cardDrawing tells a diagram of a game with cards: a line names the one that nobody holds.
var cardDrawing = regexp.MustCompile(`(?im)^[ \t]*side[ \t]*:`)

// parseGames reads whatever form a game has, until ctx ends.
func parseGames(ctx context.Context, data []byte, fallback games.VariantOptions) (*Imported, error) {
	if text := strings.TrimPrefix(string(data), "\ufeff"); drawing.MatchString(text) {
		g, err := parseDiagram(text, fallback)
		return &Imported{Format: "diagram", Games: []*Game{g}}, err
	} else if cardDrawing.MatchString(text) {
		g, err := parseCardDiagram(text)
		return &Imported{Format: "diagram", Games: []*Game{g}}, err
	} else if gamefiles.Dealt(data[:min(len(data), record.HeadBytes)]) {
		fallback = games.VariantOptions{Game: games.GameOf(false)}
	}
	v, err := games.NewVariant(fallback)
	if err != nil {
		return nil, err
	}
	o := gamefiles.ReadOptions(v)
	o.MaxGames, o.MaxNodes, o.MaxMarks = mostImported, MaxNodes, mostMarks
	trees, format, err := record.Parse(data, o)
	if err != nil {
		return nil, err
	}
	found := &Imported{Format: format.String(), Games: []*Game{}}
	for i, t := range trees {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		g, err := gameOf(t, fallback)
		if err != nil && len(trees) > 1 {
			err = fmt.Errorf("game %d: %w", i+1, err)
		}
		if err != nil {
			return nil, err
		}
		found.Games = append(found.Games, g)
	}
	return found, nil
}

// parseCardDiagram reads a drawing of a game with cards.
func parseCardDiagram(text string) (*Game, error) {
	v, err := games.NewVariant(games.VariantOptions{Game: games.GameOf(false)})
	if err != nil {
		return nil, err
	}
	pos, err := v.ParseDiagram(games.Diagram{Text: text})
	if err != nil {
		return nil, err
	}
	g := newGame(v)
	g.InitialPosition = v.FormatGame(pos, nil)
	return g, nil
}

// parseDiagram reads a drawing as stones that are set up.
func parseDiagram(text string, o games.VariantOptions) (*Game, error) {
	v, err := games.NewVariant(o)
	if err == nil && v.Lines() == nil {
		v, err = games.NewVariant(games.VariantOptions{Game: games.GameOf(true)})
	}
	if err != nil {
		return nil, err
	}
	o = v.Options()
	rows, err := v.Lines().DrawnSize(text)
	if err != nil {
		return nil, err
	}
	o.Size = rows
	if v, err = games.NewVariant(o); err != nil {
		return nil, err
	}
	pos, err := v.ParseDiagram(games.Diagram{Text: text})
	if err != nil {
		return nil, err
	}
	g, n := newGame(v), v.Notation()
	for cell, stone := range v.Stones(pos) {
		if stone != games.NoStone {
			g.InitialStones = append(g.InitialStones, [2]string{
				analysis.PlayerOf(game.Side(stone - games.FirstStone)), n.FormatMove(game.Move(cell)),
			})
		}
	}
	g.InitialPlayer = analysis.PlayerOf(pos.ToMove())
	return g, nil
}
