package gamefiles

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

// Record is a game of Trees.
type Record struct {
	Tree    *record.Tree
	Variant games.Variant // what its record says, and else the one asked for
	Path    string        // of its file
	Source  string        // where it stands: "games.sgf:12"
}

// NewRecord returns a tree as a game of the variant that it says it is of, and of o
// where it says nothing; fixed sets aside what it says of its rule.
func NewRecord(tree *record.Tree, source string, o games.VariantOptions, fixed bool) (Record, error) {
	v, err := games.NewVariant(o)
	if err == nil && v.Columns() == 0 && tree.Size > 0 {
		err = fmt.Errorf("it is a record of a game on a board of cells, and the games wanted are of %s, which have no such form", v.Game)
	}
	if err != nil {
		return Record{}, fmt.Errorf("%s: %w", source, err)
	}
	rule := strings.ToLower(strings.TrimSpace(tree.Rule))
	if !fixed && slices.Contains(v.Of().RuleSets, rule) {
		o.Rule = rule
	}
	if tree.Size > 0 {
		o.Size = tree.Size
	}
	if v, err = games.NewVariant(o); err != nil {
		err = fmt.Errorf("%s: %w", source, err)
	}
	return Record{Tree: tree, Variant: v, Path: source, Source: source}, err
}

// Tree returns the game as a record.
func (g *Game) Tree() (*record.Tree, error) {
	t := record.New(g.Variant.Columns())
	t.Sized, t.Rule = t.Size > 0, g.Variant.Rule()
	t.SetOutcome(g.Outcome, g.Reason)
	start, err := g.Start()
	if err != nil {
		return nil, err
	}
	if t.Size == 0 {
		t.Rule = ""
		t.Start = g.Variant.FormatGame(start, nil)
	}
	at := int32(0)
	for i, m := range g.Moves {
		if at, err = t.Add(at, m, game.Side(i%2)^start.ToMove()); err != nil {
			return nil, fmt.Errorf("%s: %w", g.Source, err)
		}
		if i < len(g.Values) && !math.IsNaN(g.Values[i]) {
			note := t.Remark(at)
			note.Value, note.Valued = g.Values[i], true
		}
	}
	return t, nil
}

// Position returns the position after plies moves on the way to a node of the
// record, and these moves; all of them for -1. Its error says where the game becomes
// illegal.
func (r *Record) Position(leaf int32, plies int) (start game.Position, moves []game.Move, err error) {
	g := Game{Variant: r.Variant, Moves: r.Tree.Moves(leaf)}
	if r.Tree.Start != "" {
		if g.start, _, err = g.Variant.ParseGame(r.Tree.Start); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	if r.Tree.Size > 0 {
		if err := r.Tree.Turns(leaf); err != nil {
			return nil, nil, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
	if plies > len(g.Moves) {
		return nil, nil, fmt.Errorf("%s: the game has %d moves, not %d", r.Source, len(g.Moves), plies)
	}
	if plies >= 0 {
		g.Moves = g.Moves[:plies]
	}
	if err := g.replay(); err != nil {
		return nil, nil, fmt.Errorf("%s: %w", r.Source, err)
	}
	start, err = g.Start()
	return start, g.Moves, err
}

// Check returns an error that says where the record leaves the rules, nil if it
// does not, in any of its lines.
func (r *Record) Check() error {
	start, err := r.Variant.Start()
	if r.Tree.Start != "" {
		start, _, err = r.Variant.ParseGame(r.Tree.Start)
	}
	if err == nil {
		err = r.Tree.Replay(start, r.Variant.Notation())
	}
	var illegal *record.IllegalError
	if errors.As(err, &illegal) && illegal.Why == "" {
		return fmt.Errorf("%s: %w under %v", r.Source, err, r.Variant)
	}
	if err != nil {
		return fmt.Errorf("%s: %w", r.Source, err)
	}
	return nil
}
