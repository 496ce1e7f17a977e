package review

import (
	"bytes"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// The page of package web judges moves by the same numbers; its test has the same rows.
func TestClassesAndAccuracy(t *testing.T) {
	for _, c := range []struct {
		loss     float64
		class    string
		accuracy float64
	}{
		{0, "best", 100}, {0.0099, "best", 95.6465}, {0.01, "good", 95.6038}, {0.0499, "good", 79.8525},
		{0.05, "inaccuracy", 79.8163}, {0.0999, "inaccuracy", 63.6119}, {0.1, "mistake", 63.5828},
		{0.1999, "mistake", 40.0392},
		{0.2, "blunder", 40.0204}, {0.9, "blunder", 0}, {1, "blunder", 0},
	} {
		if got := ClassOf(c.loss).String(); got != c.class {
			t.Errorf("a loss of %v is %s, want %s", c.loss, got, c.class)
		}
		if got := accuracy.Of(c.loss); math.Abs(got-c.accuracy) > 1e-3 {
			t.Errorf("the accuracy of a loss of %v is %.4f, want %v", c.loss, got, c.accuracy)
		}
	}
	if s := NewScale(); len(s.Grades) != 5 || s.Grades[0] != (Grade{"best", 0}) ||
		s.Grades[4] != (Grade{"blunder", 0.2}) || s.Accuracy != accuracy {
		t.Errorf("the scale is %+v", s)
	}
}

// played returns a game of caro on 9x9.
func played(t testing.TB, text string) *Game {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: "caro", Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	_, moves, err := v.ParseGame(text)
	if err != nil {
		t.Fatal(err)
	}
	start, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	return &Game{Variant: v, Start: start, Moves: moves}
}

// reviewed is a game of four moves: Black's best, White's blunder, Black's inaccuracy, and a
// move of White's after which nothing is known.
func reviewed(t *testing.T, g *Game) *Report {
	t.Helper()
	r, err := Judge(g, []Turn{
		{TurnNumber: 2, Value: 0.9, Best: "d5", Line: []string{"d5", "d4", "f5"},
			Proven: game.Proof{Result: game.Won, Plies: 9}},
		{TurnNumber: 0, Value: 0.55, Best: "e5"},
		{TurnNumber: 1, Value: 0.5, Best: "e6", Line: []string{"d6", "e4"}},
		{TurnNumber: 3, Value: 0.84, Best: "a2"},
	})
	if err != nil {
		t.Fatal(err)
	}
	return r
}

func TestJudge(t *testing.T) {
	r := reviewed(t, played(t, "e5a1d4a2"))
	want := []struct {
		side       game.Side
		class      Class
		loss       float64
		best, line string
	}{
		{game.First, Best, 0, "", ""},
		{game.Second, Blunder, 0.4, "e6", "e6 d6 e4"},
		{game.First, Inaccuracy, 0.06, "d5", "d5 d4 f5"},
		{game.Second, Unjudged, 0, "", ""},
	}
	for i, w := range want {
		m := r.Moves[i]
		if m.Number != i+1 || m.Side != w.side || m.Class != w.class || math.Abs(m.Loss-w.loss) > 1e-9 ||
			m.Best != w.best || strings.Join(m.Line, " ") != w.line {
			t.Errorf("move %d is judged %+v, want %+v", i+1, m, w)
		}
	}
	black, white := r.Sides[game.First], r.Sides[game.Second]
	if black.Moves != 2 || black.Counts[Best] != 1 || black.Counts[Inaccuracy] != 1 ||
		math.Abs(black.Accuracy-(accuracy.Of(0)+accuracy.Of(0.06))/2) > 1e-9 {
		t.Errorf("Black's moves are %+v", black)
	}
	if white.Moves != 1 || white.Counts[Blunder] != 1 || math.Abs(white.Accuracy-accuracy.Of(0.4)) > 1e-9 {
		t.Errorf("White's moves are %+v", white)
	}
	g := played(t, "e5a1d4a2")
	g.Opening = 2
	if r := reviewed(t, g); r.Sides[game.Second].Moves != 0 || r.Sides[game.Second].Accuracy != 0 ||
		r.Moves[1].Class != Blunder || r.Moves[1].Played {
		t.Errorf("of an opening that nobody chose White has %+v, its move is %+v", r.Sides[game.Second], r.Moves[1])
	}
}

// A game that is over is worth what it ended with, and the winning move is no mistake.
func TestTheEndCounts(t *testing.T) {
	g := played(t, "e5a1e6a3e7a5e8a7e4")
	r, err := Judge(g, []Turn{{TurnNumber: 8, Value: 0.72, Best: "e9"}, {TurnNumber: 7, Value: 0.6, Best: "e4"}})
	if err != nil {
		t.Fatal(err)
	}
	if m := r.Moves[8]; m.Class != Best || m.After != 1 || m.Best != "" {
		t.Errorf("the winning move is judged %+v", m)
	}
	if m := r.Moves[7]; m.Class != Mistake || m.Best != "e4" {
		t.Errorf("the move that let it happen is judged %+v", m)
	}
}

// What a stranger says of a game is refused where it is none of it.
func TestTurnsAreChecked(t *testing.T) {
	g := played(t, "e5a1")
	for _, c := range []struct {
		turns []Turn
		index int
		field string
	}{
		{[]Turn{{TurnNumber: 3}}, 0, "turnNumber"},
		{[]Turn{{TurnNumber: -1}}, 0, "turnNumber"},
		{[]Turn{{TurnNumber: 1}, {TurnNumber: 1}}, 1, "turnNumber"},
		{[]Turn{{TurnNumber: 1, Value: 1.01}}, 0, "value"},
		{[]Turn{{TurnNumber: 1, Value: math.NaN()}}, 0, "value"},
		{[]Turn{{}, {TurnNumber: 1, Best: "e5"}}, 1, "best"},
		{[]Turn{{}, {TurnNumber: 1, Best: "<b>"}}, 1, "best"},
		{[]Turn{{}, {TurnNumber: 1, Best: "e6", Line: []string{"e6", "z99"}}}, 1, "line[1]"},
		{[]Turn{{}, {TurnNumber: 1, Best: "e6", Line: []string{"e6", "e6"}}}, 1, "line[1]"},
	} {
		_, err := Judge(g, c.turns)
		wrong, ok := err.(*TurnError)
		if !ok || wrong.Index != c.index || wrong.Field != c.field {
			t.Errorf("%+v: %v, want turn %d, %s", c.turns, err, c.index, c.field)
		}
	}
}

// Whatever is known of a game, losses are in 0..1, the counts add up to the moves, and moves
// that are as good as the engine's are best.
func TestSums(t *testing.T) {
	g := played(t, "e5a1d4a2c3a3b2")
	rapid.Check(t, func(t *rapid.T) {
		var turns []Turn
		for n := range len(g.Moves) + 1 {
			if rapid.IntRange(0, 5).Draw(t, "known") == 0 {
				continue
			}
			turn := Turn{TurnNumber: n, Value: rapid.Float64Range(0, 1).Draw(t, "value")}
			if n < len(g.Moves) && rapid.Bool().Draw(t, "agrees") {
				turn.Best = g.Variant.Notation().FormatMove(g.Moves[n])
			}
			turns = append(turns, turn)
		}
		r, err := Judge(g, turns)
		if err != nil {
			t.Fatal(err)
		}
		for side, s := range r.Sides {
			sum := 0
			for _, n := range s.Counts {
				sum += n
			}
			if sum != s.Moves || s.Accuracy < 0 || s.Accuracy > 100 {
				t.Fatalf("side %d: %+v", side, s)
			}
		}
		for i, m := range r.Moves {
			if m.Loss < 0 || m.Loss > 1 || m.Class == Unjudged && m.Loss != 0 {
				t.Fatalf("move %d: %+v", i+1, m)
			}
			for _, turn := range turns {
				if turn.TurnNumber == i && turn.Best == m.Text && m.Class > Best {
					t.Fatalf("the engine's own move is judged %+v", m)
				}
			}
		}
	})
}

// The record keeps what it had, and what was better can be played on.
func TestAnnotate(t *testing.T) {
	g := played(t, "e5a1d4a2")
	r := reviewed(t, g)
	rec := gamefiles.Begin(g.Variant, g.Start)
	leaf, err := rec.Tree.Extend(0, game.First, g.Moves, nil)
	if err != nil {
		t.Fatal(err)
	}
	path := rec.Tree.Path(leaf)
	rec.Tree.Remark(path[1]).Comment = "hm"
	if err := r.Annotate(rec.Tree, 0, "en"); err != nil {
		t.Fatal(err)
	}
	var out bytes.Buffer
	if err := rec.Write(&out, record.SGF); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{
		"hm\nBlunder: gives away 40%; better e6; line: e6 d6 e4.",
		"Inaccuracy: gives away 6%; d5 wins by force in 9 plies; line: d5 d4 f5.",
		"Black: accuracy ", "(;W[ed];B[dd];W[ef])", "V[0.8]",
	} {
		if !strings.Contains(out.String(), want) {
			t.Errorf("no %q in\n%s", want, out.String())
		}
	}
	if got := rec.Tree.Moves(rec.Tree.MainLeaf()); len(got) != 4 {
		t.Errorf("the main line is %v", got)
	}
	once := out.String()
	if err := rec.Check(); err != nil {
		t.Errorf("%v: %s", err, once)
	}
	if err := r.Annotate(rec.Tree, 0, "en"); err != nil {
		t.Fatal(err)
	}
	out.Reset()
	if err := rec.Write(&out, record.SGF); err != nil || out.String() != once {
		t.Errorf("a second time, %v:\n%s\nthe first:\n%s", err, out.String(), once)
	}
}

// The page needs nothing from elsewhere, and nothing that a record says becomes markup.
func TestPage(t *testing.T) {
	for _, language := range Languages() {
		g := played(t, "e5a1d4a2")
		g.Title, g.Black = "<script>alert(1)</script>", `"><img src=x onerror=alert(1)>`
		var out bytes.Buffer
		if err := reviewed(t, g).WritePage(&out, language); err != nil {
			t.Fatal(err)
		}
		text, w := out.String(), wordsOf(language)
		for _, bad := range []string{"<script>alert", "<img", "http://", "https://"} {
			if strings.Contains(strings.ReplaceAll(text, "http://www.w3.org/2000/svg", ""), bad) {
				t.Errorf("%s: %q is in the page", language, bad)
			}
		}
		for _, want := range []string{
			PageMark, `lang="` + language + `"`, w.Classes[Blunder], "−40%", w.Hidden, "e6 d6 e4", "0.0,45.0",
			"<h2>" + w.MoveList + "</h2>",
		} {
			if !strings.Contains(text, want) {
				t.Errorf("%s: no %q in the page", language, want)
			}
		}
	}
}

// A loss does not look like one of the next class.
func TestLossesAreRoundedDown(t *testing.T) {
	for loss, want := range map[float64]string{0.0999: "9%", 0.1: "10%", 0.6 - 0.3: "30%", 0.1999: "19%", 1: "100%"} {
		if got := percent(loss); got != want {
			t.Errorf("%v is written %s, want %s", loss, got, want)
		}
	}
}

// Every language says everything.
func TestLanguages(t *testing.T) {
	for _, w := range languages {
		for _, text := range append(append([]string{
			w.Title, w.Accuracy, w.MoveList, w.Chances, w.First, w.Back, w.Forward, w.Hidden, w.Explained, w.loses, w.better,
			w.wins, w.saves, w.line,
		}, w.Sides[:]...), w.Classes[:]...) {
			if text == "" {
				t.Errorf("%s lacks a text", w.Language)
			}
		}
	}
	if wordsOf("xx").Language != "en" {
		t.Error("an unknown language is not English")
	}
}
