package gamefiles

import (
	"bytes"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

// A game of any rule set and size, and of Onitama, that the rules have allowed comes
// back from every format that holds it: the same moves, rule, size and result, which
// lead to the same position.
func TestGamesComeBack(t *testing.T) {
	rules := append(games.RuleNames(), "")
	rapid.Check(t, func(rt *rapid.T) {
		o := games.VariantOptions{Rule: rapid.SampledFrom(rules).Draw(rt, "rule"), Size: rapid.IntRange(5, 22).Draw(rt, "size")}
		if o.Rule == "" {
			o = games.VariantOptions{Game: games.Onitama}
		}
		if o.Size != 0 && rapid.Bool().Draw(rt, "usual") {
			o.Size = 15
		}
		v, err := games.NewVariant(o)
		if err != nil {
			rt.Fatal(err)
		}
		r, last := randomGame(rt, v)
		g, err := r.Line(r.Tree.MainLeaf(), -1)
		if err != nil {
			rt.Fatal(err)
		}
		for f := record.SGF; f <= record.Text; f++ {
			var out bytes.Buffer
			_, err := r.Write(&out, f, "")
			none := v.Columns() == 0 && f != record.Text || f == record.Lib && v.Size != 15
			if (err != nil) != none {
				rt.Fatalf("%v of %v: %v", f, v, err)
			}
			if none || len(g.Moves) == 0 {
				continue
			}
			got, err := readerOf(t, &out, f, Options{Variant: v, Fixed: f == record.Lib || f == record.Text}).Next()
			if err != nil {
				rt.Fatal(err)
			}
			pos, err := got.At(len(got.Moves))
			if err != nil || pos.Hash() != last.Hash() || got.Variant != v || got.Outcome != g.Outcome {
				rt.Fatalf("%v of %v: %q, %v, %v, want %q, %v", f, v, got.Text(len(got.Moves)), got.Outcome, err, g.Text(len(g.Moves)), g.Outcome)
			}
		}
	})
}

// randomGame plays legal moves, near the corner so that games end, and returns the
// game and the position after it.
func randomGame(rt *rapid.T, v games.Variant) (Record, game.Position) {
	pos, err := v.Start()
	if err != nil {
		rt.Fatal(err)
	}
	r := Begin(v, pos)
	var moves []game.Move
	for range rapid.IntRange(0, 60).Draw(rt, "moves") {
		if pos.Outcome() != game.Undecided {
			break
		}
		legal := pos.Moves(nil)
		m := legal[rapid.IntRange(0, min(20, len(legal)-1)).Draw(rt, "move")]
		pos.Play(m)
		moves = append(moves, m)
	}
	r.Tree.SetOutcome(pos.Outcome(), pos.Reason())
	if _, err := r.Tree.Extend(0, game.First, moves, nil); err != nil {
		rt.Fatal(err)
	}
	return r, pos
}

// Where a game leaves the rules is said in every line of a tree, and nowhere else.
func TestCheckFindsTheIllegalMove(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := variant(t, rapid.SampledFrom(games.RuleNames()).Draw(rt, "rule"), 9)
		r, _ := randomGame(rt, v)
		if err := r.Check(); err != nil {
			rt.Fatal(err)
		}
		moves := r.Tree.Moves(r.Tree.MainLeaf())
		if len(moves) < 2 {
			return
		}
		// The stone that has just been put is there, and a variation puts another on it.
		at := rapid.IntRange(1, len(moves)-1).Draw(rt, "at")
		if _, err := r.Tree.Play(int32(at), moves[at-1]); err != nil {
			rt.Fatal(err)
		}
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), "is illegal under "+v.String()) && !strings.Contains(err.Error(), "after the end") {
			rt.Fatalf("%s, then %d again after move %d: %v", v.FormatGame(nil, moves), moves[at-1], at, err)
		}
	})
}
