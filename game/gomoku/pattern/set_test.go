package pattern_test

import (
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

func TestSetIsASet(t *testing.T) {
	cell := rapid.IntRange(0, gomoku.MaxSize*gomoku.MaxSize-1)
	rapid.Check(t, func(t *rapid.T) {
		var s, u pattern.Set
		in, also := map[int]bool{}, map[int]bool{}
		for _, c := range rapid.SliceOf(cell).Draw(t, "added") {
			s.Add(c)
			in[c] = true
		}
		for _, c := range rapid.SliceOf(cell).Draw(t, "removed") {
			s.Remove(c)
			delete(in, c)
		}
		for _, c := range rapid.SliceOf(cell).Draw(t, "others") {
			u.Add(c)
			also[c] = true
		}
		same(t, "the set", s, func(c int) bool { return in[c] })
		same(t, "union", s.Or(&u), func(c int) bool { return in[c] || also[c] })
		same(t, "intersection", s.And(&u), func(c int) bool { return in[c] && also[c] })
		same(t, "difference", s.Without(&u), func(c int) bool { return in[c] && !also[c] })
	})
}

func same(t *rapid.T, what string, s pattern.Set, has func(c int) bool) {
	var want []game.Move
	for c := range gomoku.MaxSize * gomoku.MaxSize {
		if s.Has(c) != has(c) {
			t.Fatalf("%s has %d: %v", what, c, s.Has(c))
		}
		if has(c) {
			want = append(want, game.Move(c))
		}
	}
	if s.Len() != len(want) || s.Empty() != (len(want) == 0) || !slices.Equal(s.Append(nil), want) {
		t.Fatalf("%s: %d cells %v, want %v", what, s.Len(), s.Append(nil), want)
	}
	var walked []game.Move
	for c := s.Next(0); c >= 0; c = s.Next(c + 1) {
		walked = append(walked, game.Move(c))
	}
	if !slices.Equal(walked, want) {
		t.Fatalf("%s is walked as %v, want %v", what, walked, want)
	}
}
