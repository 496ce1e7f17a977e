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
		g, last := randomGame(rt, v)
		tree, err := g.Tree()
		if err != nil {
			rt.Fatal(err)
		}
		for f := record.SGF; f <= record.Text; f++ {
			var out bytes.Buffer
			_, err := record.Write(&out, []*record.Tree{tree}, f, record.WriteOptions{Notation: v.Notation()})
			none := v.Columns() == 0 && f != record.Text || f == record.Lib && v.Size != 15
			if (err != nil) != none {
				rt.Fatalf("%v of %v: %v", f, v, err)
			}
			if none || len(g.Moves) == 0 {
				continue
			}
			a := newAgreement(Options{Variant: v, Fixed: f == record.Lib || f == record.Text})
			in, err := newRecords("x", &out, f, &a)
			if err != nil {
				rt.Fatal(err)
			}
			got, err := in.next()
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
func randomGame(rt *rapid.T, v games.Variant) (Game, game.Position) {
	pos, err := v.Start()
	if err != nil {
		rt.Fatal(err)
	}
	start := pos.Clone()
	g := Game{Variant: v, start: start}
	for range rapid.IntRange(0, 60).Draw(rt, "moves") {
		if pos.Outcome() != game.Undecided {
			break
		}
		moves := pos.Moves(nil)
		m := moves[rapid.IntRange(0, min(20, len(moves)-1)).Draw(rt, "move")]
		pos.Play(m)
		g.Moves = append(g.Moves, m)
	}
	g.Outcome, g.Reason = pos.Outcome(), pos.Reason()
	return g, pos
}

// Where a game leaves the rules is said in every line of a tree, and nowhere else.
func TestCheckFindsTheIllegalMove(t *testing.T) {
	rapid.Check(t, func(rt *rapid.T) {
		v := variant(t, rapid.SampledFrom(games.RuleNames()).Draw(rt, "rule"), 9)
		g, _ := randomGame(rt, v)
		tree, err := g.Tree()
		if err != nil {
			rt.Fatal(err)
		}
		r, err := NewRecord(tree, "x", v.Options(), false)
		if err != nil {
			rt.Fatal(err)
		}
		if err := r.Check(); err != nil {
			rt.Fatal(err)
		}
		if len(g.Moves) < 2 {
			return
		}
		// The stone that has just been put is there, and a variation puts another on it.
		at := rapid.IntRange(1, len(g.Moves)-1).Draw(rt, "at")
		if _, err := tree.Play(int32(at), g.Moves[at-1]); err != nil {
			rt.Fatal(err)
		}
		if err := r.Check(); err == nil || !strings.Contains(err.Error(), "is illegal under "+v.String()) && !strings.Contains(err.Error(), "after the end") {
			rt.Fatalf("%s, then %d again after move %d: %v", g.Text(len(g.Moves)), g.Moves[at-1], at, err)
		}
	})
}
