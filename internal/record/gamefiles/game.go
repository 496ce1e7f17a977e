package gamefiles

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Game is a recorded game, or a single position. Its moves have been replayed
// through the rules and are legal.
type Game struct {
	Variant games.Variant
	Moves   []game.Move // from the start of the game
	Opening int         // leading moves that no player chose; 0 if unknown

	// Values are what a search thought of each move when it chose it, for the
	// first player in the searcher's units; NaN where it is unknown, nil if
	// the record has none (it is SGF's property V).
	Values []float64

	// Single says that only the position after all moves is meant, not those
	// on the way to it.
	Single bool

	// Outcome and Reason are how the game ended, by the rules or as recorded;
	// Undecided and NoReason where neither tells. A result that the rules
	// did not give and that the record does not explain has NoReason.
	Outcome game.Outcome
	Reason  game.Reason

	// Source says where the game stands: "list.txt:7",
	// "games.sgf:12", "run/shard-000000.msgpack.zst, game 3".
	Source string

	start game.Position // nil: the variant's usual one
}

// Start returns the position before the first move.
func (g *Game) Start() (game.Position, error) {
	if g.start != nil {
		return g.start.Clone(), nil
	}
	return g.Variant.Start()
}

// At returns the position after the first plies moves.
func (g *Game) At(plies int) (game.Position, error) {
	pos, err := g.Start()
	if err != nil {
		return nil, err
	}
	for _, m := range g.Moves[:plies] {
		pos.Play(m)
	}
	return pos, nil
}

// Text returns the position after the first plies moves in the notation that
// games.Variant.Parse reads.
func (g *Game) Text(plies int) string {
	return g.Variant.FormatGame(g.start, g.Moves[:plies])
}

// replay plays the moves and completes the result from the rules. It refuses
// an illegal move and a recorded result that the rules contradict.
func (g *Game) replay() error {
	pos, err := g.Start()
	if err != nil {
		return err
	}
	for i, m := range g.Moves {
		if pos.Outcome() != game.Undecided {
			return fmt.Errorf("move %d comes after the end of the game (%s, %s)", i+1, pos.Outcome(), pos.Reason())
		}
		if !pos.Legal(m) {
			return fmt.Errorf("move %d, %s, is illegal under %v", i+1, g.Variant.Notation().FormatMove(m), g.Variant)
		}
		pos.Play(m)
	}
	found := pos.Outcome()
	switch {
	case found == game.Undecided:
		return nil
	case g.Outcome != game.Undecided && g.Outcome != found && g.Reason != game.Forfeit:
		return fmt.Errorf("the record says %s, the rules of %v say %s (%s)", g.Outcome, g.Variant, found, pos.Reason())
	case g.Reason == game.Forfeit:
		return nil
	}
	g.Outcome, g.Reason = found, pos.Reason()
	return nil
}
