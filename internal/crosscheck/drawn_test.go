package crosscheck

import (
	"context"
	"fmt"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/search"
)

// Options are checked at the ends of their ranges, and what is left out is what the
// docs say.
func TestOptionsRanges(t *testing.T) {
	d := Options{}.WithDefaults()
	if d.Playouts != 400 || d.Nodes != 200_000 || d.Deeper != 4 || d.SolverNodes != 100_000 || d.Sampling.Every != 1 {
		t.Errorf("the defaults are %+v", d)
	}
	least := Options{Playouts: 1, Nodes: 1, Deeper: 2, SolverNodes: 1, Sampling: Sampling{Every: 1}}
	if err := least.Check(); err != nil {
		t.Errorf("the least of everything: %v", err)
	}
	if err := d.Check(); err != nil {
		t.Errorf("the defaults: %v", err)
	}
	for want, change := range map[string]func(*Options){
		"playouts: 0, want 1 or more":                     func(o *Options) { o.Playouts = 0 },
		"nodes: 0, want 1 or more":                        func(o *Options) { o.Nodes = 0 },
		"deeper: 1, want 2 or more":                       func(o *Options) { o.Deeper = 1 },
		"solver nodes: 0, want 1 or more":                 func(o *Options) { o.SolverNodes = 0 },
		"every: 0, want 1 or more":                        func(o *Options) { o.Sampling.Every = 0 },
		"positions per game: -1, want 0 for all, or more": func(o *Options) { o.Sampling.PerGame = -1 },
		"limit: -1, want 0 for none, or more":             func(o *Options) { o.Sampling.Limit = -1 },
	} {
		o := least
		change(&o)
		if err := o.Check(); err == nil || err.Error() != want {
			t.Errorf("%v, want %q", err, want)
		}
	}
}

// A setup says which of the two descriptions is wrong.
func TestSetupsThatAreWrong(t *testing.T) {
	for _, c := range []struct{ mcts, alphabeta, want string }{
		{"playouts=x", "nodes=100", "mcts: "},
		{"playout=3", "nodes=100", "mcts: "},
		{"playouts=10", "nodes=x", "alphabeta: "},
		{"playouts=10", "node=3", "alphabeta: "},
	} {
		if _, err := ParseSetup(c.mcts, c.alphabeta); err == nil || !strings.HasPrefix(err.Error(), c.want) {
			t.Errorf("%s; %s: %v, want %q", c.mcts, c.alphabeta, err, c.want)
		}
	}
	s, err := ParseSetup("playouts=12", "nodes=345")
	if err != nil || s.Playouts != 12 || s.Nodes != 345 {
		t.Errorf("%+v, %v", s, err)
	}
}

// A drawn board has its lines, its names along the edges and its dots where boards
// have them.
func TestGrid(t *testing.T) {
	for _, c := range []struct {
		size, width int
		last        string // the last column's name
		stars       string // cells of the dots
	}{
		{7, 2*margin + 6*cell, "g", ""},
		{9, 2*margin + 8*cell, "i", "3,3 3,4 3,5 4,3 4,4 4,5 5,3 5,4 5,5"},
		{15, 2*margin + 14*cell, "o", "3,3 3,7 3,11 7,3 7,7 7,11 11,3 11,7 11,11"},
		{20, 2*margin + 19*cell, "t", "3,3 3,16 16,3 16,16"},
	} {
		g := newGrid(c.size)
		if g.Size != c.size || g.Width != c.width || len(g.Lines) != c.size || g.Lines[0] != margin || g.Lines[c.size-1] != c.width-margin {
			t.Errorf("%d: %+v", c.size, g)
		}
		first, last := label{margin, "a"}, label{c.width - margin, c.last}
		if g.Columns[0] != first || g.Columns[c.size-1] != last {
			t.Errorf("%d: columns %v", c.size, g.Columns)
		}
		if first, last = (label{margin, fmt.Sprint(c.size)}), (label{c.width - margin, "1"}); g.Rows[0] != first || g.Rows[c.size-1] != last {
			t.Errorf("%d: rows %v", c.size, g.Rows)
		}
		var stars []string
		for _, p := range g.Stars {
			stars = append(stars, fmt.Sprintf("%d,%d", (p.X-margin)/cell, c.size-1-(p.Y-margin)/cell))
		}
		if got := strings.Join(stars, " "); got != c.stars {
			t.Errorf("%d: dots at %s, want %s", c.size, got, c.stars)
		}
		// Cells are counted from the lower left.
		for at, want := range map[int]point{
			0: {margin, c.width - margin}, c.size - 1: {c.width - margin, c.width - margin},
			c.size*c.size - 1: {c.width - margin, margin}, c.size + 2: {margin + 2*cell, c.width - margin - cell},
		} {
			if got := g.at(at); got != want {
				t.Errorf("%d: cell %d is drawn at %v, want %v", c.size, at, got, want)
			}
		}
	}
}

// A scene has every stone, the last one marked, both engines' moves, and the lines
// that have moves.
func TestScene(t *testing.T) {
	v := variant(t, "freestyle", 9)
	g := newGrid(9)
	row := &Row{
		Position: "e5a1f5", MCTS: MCTSView{Move: "d5", PV: []string{"d5", "c5"}}, AlphaBeta: AlphaBetaView{Move: "g5"},
		Win: &ProofView{Line: []string{"i9"}},
	}
	s, err := newScene(g, v, row)
	if err != nil {
		t.Fatal(err)
	}
	at := func(text string) (int, point) {
		c := int(move(t, v, text))
		return c, g.at(c)
	}
	want := map[string]stone{"e5": {White: false}, "a1": {White: true}, "f5": {Last: true}}
	if len(s.Stones) != len(want) {
		t.Errorf("stones %+v", s.Stones)
	}
	for text, w := range want {
		w.Cell, w.point = at(text)
		found := false
		for _, got := range s.Stones {
			found = found || got == w
		}
		if !found {
			t.Errorf("%s: %+v is not among %+v", text, w, s.Stones)
		}
	}
	_, d5 := at("d5")
	_, g5 := at("g5")
	if fmt.Sprint(s.Marks) != fmt.Sprint([]mark{{d5, "m", "M"}, {g5, "a", "A"}}) {
		t.Errorf("marks %v", s.Marks)
	}
	var names []string
	for _, l := range s.Lines {
		names = append(names, fmt.Sprint(l.Name, " ", len(l.Moves)))
	}
	if got := strings.Join(names, ", "); got != "proven win 1, MCTS 2" {
		t.Errorf("lines %s", got)
	}
}

// A summary counts what kinds of blunders there were, whose, and how predictions
// compare with results where there are any.
func TestSummaryCounts(t *testing.T) {
	a := newTally(9)
	for _, r := range []Row{
		{Verdict: Agree, Outcome: "win", MCTS: MCTSView{Value: 1, NetValue: 0}, AlphaBeta: AlphaBetaView{Value: -1}},
		{Verdict: Differ, Outcome: "unknown", MCTS: MCTSView{Value: -1}},
		{Verdict: MCTSBlunder, MCTSBlunder: Loses, Outcome: "loss", MCTS: MCTSView{Value: -1, NetValue: -1}, AlphaBeta: AlphaBetaView{Value: -1}},
		{Verdict: MCTSBlunder, MCTSBlunder: Misses, AlphaBetaBlunder: Misses},
		{Verdict: AlphaBetaBlunder, AlphaBetaBlunder: Loses, Outcome: "draw", AlphaBeta: AlphaBetaView{Value: 1}},
	} {
		a.add(&r)
	}
	s := a.summary()
	brier := map[string]float64{}
	for _, c := range s.Calibration {
		if c.N != 3 {
			t.Errorf("%s: %d positions, want the 3 with a result", c.Of, c.N)
		}
		brier[c.Of] = c.Brier
	}
	if s.Positions != 5 || s.Of != 9 || s.Agree != 1 || s.Differ != 1 || s.MCTSBlunders != 2 || s.AlphaBetaBlunder != 1 || s.BothBlunders != 1 ||
		s.MCTSLoses != 1 || s.MCTSMisses != 1 || s.AlphaBetaLoses != 1 || s.AlphaBetaMisses != 1 {
		t.Errorf("%+v", s)
	}
	for of, want := range map[string]float64{"network": rounded(0.25 / 3), nameMCTS: 0, nameAlphaBeta: rounded((1 + 0.25) / 3)} {
		if brier[of] != want {
			t.Errorf("%s: Brier score %v, want %v", of, brier[of], want)
		}
	}
}

// An answer of the other side is turned round: its value, its score, and a claim that
// is one ply further away.
func TestTurned(t *testing.T) {
	for _, c := range []struct {
		proof game.Proof
		want  int
	}{
		{game.Proof{}, 0}, {game.Proof{Result: game.Won, Plies: 3}, -4}, {game.Proof{Result: game.Lost, Plies: 4}, 5},
	} {
		v := turned(AlphaBetaView{Move: "a1", Value: 0.25, Score: -70}, &engine.Answer{Proof: c.proof})
		if v.Move != "a1" || v.Value != -0.25 || v.Score != 70 || v.Claim != c.want {
			t.Errorf("%+v: %+v", c.proof, v)
		}
	}
}

// Only what is proven is said to be, with its proof.
func TestInWords(t *testing.T) {
	r := &Row{MCTS: MCTSView{Move: "h8"}, AlphaBeta: AlphaBetaView{Move: "i9"}}
	if got := inWords(r); got != "no blunder is known of either move" {
		t.Error(got)
	}
	r.MCTSBlunder = Loses
	if got := inWords(r); !strings.Contains(got, "MCTS's h8 loses by force") || strings.Contains(got, "proof by") || strings.Contains(got, "alpha-beta") {
		t.Error(got)
	}
	r.Proof = &ProofView{By: "vcf", Plies: 7, Asked: 31}
	if got := inWords(r); !strings.Contains(got, "proof by vcf, at most 7 plies, 31 positions") {
		t.Error(got)
	}
	for plies, want := range map[int]string{0: "", 1: "claims a win in 1", 7: "claims a win in 7", -1: "claims a loss in 1", -6: "claims a loss in 6"} {
		if got := claimText(plies); got != want {
			t.Errorf("%d: %q, want %q", plies, got, want)
		}
	}
}

// A line that expects nothing after the winner's move goes on with any reply.
func TestLineWithoutAReply(t *testing.T) {
	v := variant(t, "freestyle", 9)
	pos, err := v.Parse("e5a1f5a3g5a5")
	if err != nil {
		t.Fatal(err)
	}
	h5, d5 := move(t, v, "h5"), move(t, v, "d5")
	said := answers{pos.Hash(): {By: byClaim, Line: []game.Move{h5}}}
	line := said.line(pos)
	if len(line) != 3 || line[0] != h5 || pos.Ply() != 6 {
		t.Fatalf("%s", v.Notation().FormatMoves(line))
	}
	said[pos.Hash()] = Proof{By: byClaim, Line: []game.Move{h5, d5}}
	if line = said.line(pos); len(line) != 3 || line[1] != d5 {
		t.Errorf("%s, want the reply that was expected", v.Notation().FormatMoves(line))
	}
}

// thinks counts what an engine is asked.
type thinks struct {
	engine.Engine
	n int
}

func (e *thinks) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	e.n++
	return e.Engine.Think(ctx, pos, l)
}

// The replay of a claim asks the engine so many times and no more: a claim with more
// defences than that is not proven.
func TestReplaysAreBounded(t *testing.T) {
	v := variant(t, "freestyle", 15)
	classical, err := search.NewClassical(v, search.ClassicalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	defer classical.Close()
	pos, err := v.Parse("h8a1i8a3j9a15j10o15") // a stone that makes two open threes wins in 5
	if err != nil {
		t.Fatal(err)
	}
	o, err := think(t.Context(), classical, pos, 20_000)
	if err != nil || o.Proof.Result != game.Won || o.Proof.Plies < 5 {
		t.Fatalf("%+v, %v", o, err)
	}
	e := &thinks{Engine: classical}
	found, err := newProver(v, 0).proveClaim(t.Context(), pos, o, e, 500)
	if err != nil || found != nil || e.n != claimSearches {
		t.Errorf("%d searches, want %d and no proof: %+v, %v", e.n, claimSearches, found, err)
	}
}
