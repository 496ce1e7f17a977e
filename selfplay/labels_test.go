package selfplay

import (
	"cmp"
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// labelled returns the setup of games that a classical player plays.
func labelled(tb testing.TB, v games.Variant, player string) Setup {
	tb.Helper()
	setup, err := (&Run{Player: player}).labelled(v)
	if err != nil {
		tb.Fatal(err)
	}
	return setup
}

// TestLabelsAreTheSearchs compares an opinion to the search that
// it stands for, in every rule set.
func TestLabelsAreTheSearchs(t *testing.T) {
	for _, rule := range games.RuleNames() {
		v := enginetest.Variant(t, games.VariantOptions{Rule: rule, Size: 15})
		player, err := parseAlphaBeta("alphabeta:nodes=500")
		if err != nil {
			t.Fatal(err)
		}
		labeler, err := labelled(t, v, "alphabeta:nodes=500").Labeler(0)
		if err != nil {
			t.Fatal(err)
		}
		search, err := engine.NewClassical(v, player.engine)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range []string{"h8", "h8i9j7", "h8i9j7i8g8k9", "h8a1i8a3"} {
			pos := enginetest.Parse(t, v, text)
			labeler.Forget()
			search.Forget()
			var o Opinion
			if err := labeler.Search(context.Background(), pos, 3, &o); err != nil {
				t.Fatal(err)
			}
			r, _, err := search.Search(context.Background(), pos, alphabeta.Limits{Nodes: 500, Lines: 3})
			if err != nil {
				t.Fatal(err)
			}
			if len(o.Moves) != len(r.Lines) || o.Moves[0].Move != r.Move {
				t.Fatalf("%s %s: %v, the search has %v", rule, text, o.Moves, r.Lines)
			}
			for i, l := range r.Lines {
				if m := o.Moves[i]; m.Move != l.Moves[0] || m.Value != v.Curve().Value(l.Score) {
					t.Errorf("%s %s: line %d is %v, the search has %v worth %v", rule, text, i, m, l.Moves[0], l.Score)
				}
			}
			if o.Proven == game.Won {
				if _, ok := v.Certify(context.Background(), pos, 100_000); !ok {
					t.Errorf("%s %s: proven, but nothing can be replayed", rule, text)
				}
			}
		}
	}
}

// TestLabelsTakeWins wants all moves that win at once, and nothing else.
func TestLabelsTakeWins(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	labeler, err := labelled(t, v, "alphabeta:nodes=50").Labeler(0)
	if err != nil {
		t.Fatal(err)
	}
	pos := enginetest.Parse(t, v, "h8a1i8a3j8a5k8a7")
	var o Opinion
	if err := labeler.Search(context.Background(), pos, 1, &o); err != nil {
		t.Fatal(err)
	}
	if len(o.Moves) != 2 || o.Proven != game.Won || o.Moves[0].Value != 1 || o.Moves[1].Value != 1 ||
		labeler.Nodes() != 0 {
		t.Errorf("%+v after %d nodes, want the two fives", o, labeler.Nodes())
	}
}

// TestLabelsNameTheirWeights wants weights told apart, and the whole budget in the shards.
func TestLabelsNameTheirWeights(t *testing.T) {
	digests := map[string]string{}
	for _, rule := range []string{"caro", "renju", "freestyle"} {
		for _, weights := range []string{"fitted", "hand"} {
			v := enginetest.Variant(t, games.VariantOptions{Rule: rule})
			h := labelled(t, v, "alphabeta:weights="+weights).Header
			before, known := digests[h.ModelSHA256]
			if known && before != weights || known && weights == "fitted" || len(h.ModelSHA256) != 64 ||
				h.Model != "alphabeta" {
				t.Errorf("%s %s: model %s, digest %q as with %s weights", rule, weights, h.Model, h.ModelSHA256, before)
			}
			digests[h.ModelSHA256] = weights
			if got, _ := h.Search.Get("player"); got != "alphabeta:weights="+weights+",nodes=2000,table=2" {
				t.Errorf("player %v", got)
			}
		}
	}
}

func TestParseAlphaBeta(t *testing.T) {
	for _, text := range []string{
		"alphabeta:threads=2", "alphabeta:time=1s", "alphabeta:level=hard", "alphabeta:ponder=true",
		"alphabeta:nodes=0",
	} {
		if _, err := parseAlphaBeta(text); err == nil {
			t.Errorf("%s was taken", text)
		}
	}
}

// minimaxLabeler knows the exact value of every position of tic-tac-toe, and what
// it has been asked since it last forgot.
type minimaxLabeler struct {
	asked, games int
	fails        int // fails when that many positions were judged; 0: never
}

func (m *minimaxLabeler) Forget()      { m.games++ }
func (m *minimaxLabeler) Nodes() int64 { return int64(m.asked) }

func (m *minimaxLabeler) Balance(ctx context.Context, pos game.Position) (float64, error) {
	return float64(gametest.Minimax(pos)), ctx.Err()
}

func (m *minimaxLabeler) Search(ctx context.Context, pos game.Position, lines int, o *Opinion) error {
	if m.asked++; m.asked == m.fails {
		return errors.New("out of chalk")
	}
	o.Moves, o.Static, o.Proven = o.Moves[:0], 0, game.Unproven
	for _, move := range pos.Moves(nil) {
		pos.Play(move)
		o.Moves = append(o.Moves, Scored{Move: move, Value: float32(-gametest.Minimax(pos))})
		pos.Undo()
	}
	slices.SortStableFunc(o.Moves, func(a, b Scored) int { return cmp.Compare(b.Value, a.Value) })
	o.Moves = o.Moves[:min(lines, len(o.Moves))]
	if o.Moves[0].Value == 1 {
		o.Proven = game.Won
	}
	return ctx.Err()
}

// labelledSetup plays tic-tac-toe with labels of minimax.
func labelledSetup() Setup {
	s := mnkSetup()
	s.Evaluator, s.Header.Model = nil, "minimax"
	s.Labeler = func(int) (Labeler, error) { return &minimaxLabeler{}, nil }
	return s
}

func labelOptions() Options {
	return Options{
		Games: 20, GamesPerShard: 6, Seed: 5, Opening: Opening{MinPlies: 0, MaxPlies: 4, MaxValue: 1},
		Labels: LabelOptions{
			Lines: 9, TargetTemperature: 0.5, Temperature: mcts.Schedule{Start: 3, End: 3, HalfLife: 1}, MaxLoss: 2,
		},
	}
}

// TestLabelledBytes plays a run with any number of workers, and goes on with one that was cut
// short.
func TestLabelledBytes(t *testing.T) {
	sum := mustRun(t, labelledSetup(), labelOptions(), Host{Dir: t.TempDir(), Now: ticks()})
	if sum.Nodes != int64(sum.Positions) || sum.NodesPerSecond() <= 0 {
		t.Errorf("%d positions, %d nodes, %v a second", sum.Positions, sum.Nodes, sum.NodesPerSecond())
	}
	reproducible(t, labelledSetup(), labelOptions(), mnkCodecOf)
}

// TestLabelledRows compares what the rows say to minimax: what wins has everything,
// what loses nothing, unless there is nothing else.
func TestLabelledRows(t *testing.T) {
	dir := t.TempDir()
	mustRun(t, labelledSetup(), labelOptions(), Host{Dir: dir})
	s, err := samples.ReadFile(filepath.Join(dir, samples.ShardName(0)))
	if err != nil {
		t.Fatal(err)
	}
	if got, _ := s.Header.Search.Get(samples.TargetKey); got != samples.TargetScores {
		t.Errorf("the target is of %v", got)
	}
	for i := range s.Columns.Rows {
		g := s.Header.Games[s.Columns.Game[i]]
		_, moves, err := mnkCodec().Parse(g.Moves)
		if err != nil {
			t.Fatal(err)
		}
		pos := mnkSetup().Start.Clone()
		for _, m := range moves[:s.Columns.Ply[i]] {
			pos.Play(m)
		}
		checkLabels(t, pos, s.Columns.Row(i), moves[s.Columns.Ply[i]])
	}
}

// checkLabels compares one row.
func checkLabels(t *testing.T, pos game.Position, row samples.Row, played game.Move) {
	t.Helper()
	best := gametest.Minimax(pos)
	if row.RootQ != float32(best) || (row.Proven == samples.ProvenWin) != (best == 1) {
		t.Errorf("root_q %v, proven %d of a position worth %d", row.RootQ, row.Proven, best)
	}
	alike := 0
	values := map[uint16]int{}
	for _, a := range row.Actions {
		pos.Play(game.Move(a))
		values[a] = -gametest.Minimax(pos)
		pos.Undo()
		if values[a] == best {
			alike++
		}
	}
	for j, a := range row.Actions {
		want := 0.0
		if values[a] == best {
			want = 1 / float64(alike)
		}
		if best == 0 && alike < len(row.Actions) { // losses have nothing, draws share alike
			want = map[bool]float64{true: 1 / float64(alike)}[values[a] == 0]
		}
		if math.Abs(float64(row.Target[j])-want) > 1e-6 || row.Counts[j] != 0 {
			t.Errorf("move %d worth %d of %d: target %v, visits %d, want %v", a, values[a], best, row.Target[j],
				row.Counts[j], want)
		}
	}
	if values[uint16(played)] != best {
		t.Errorf("a move worth %d was played, the best is worth %d", values[uint16(played)], best)
	}
}

// TestShares compares shares to the definition, and draws to the shares.
func TestShares(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		values := rapid.SliceOfN(rapid.Float32Range(-1, 1), 1, 6).Draw(t, "values")
		slices.SortFunc(values, func(a, b float32) int { return cmp.Compare(b, a) })
		temperature := rapid.Float64Range(0.01, 3).Draw(t, "temperature")
		most := rapid.Float64Range(0, 2).Draw(t, "most")
		scored := make([]Scored, len(values))
		for i, v := range values {
			scored[i] = Scored{Move: game.Move(i), Value: v}
		}
		got := shares(nil, scored, temperature, most)
		sum, total := 0.0, 0.0
		weight := func(v float32) float64 {
			best := values[0]
			if best == 1 && v < 1 || best > -1 && v == -1 || float64(best)-float64(v) > most {
				return 0
			}
			return math.Exp(float64(v) / temperature)
		}
		for _, v := range values {
			total += weight(v)
		}
		for i, v := range values {
			sum += got[i]
			if want := weight(v) / total; math.Abs(got[i]-want) > 1e-9 {
				t.Fatalf("share %d is %v, want %v", i, got[i], want)
			}
		}
		if math.Abs(sum-1) > 1e-9 {
			t.Fatalf("the shares sum to %v", sum)
		}
		rng := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		if i := draw(got, rng); got[i] == 0 {
			t.Fatalf("drew %d, which has no share of %v", i, got)
		}
	})
}

// listLabeler says the same of every position.
type listLabeler struct{ opinion Opinion }

func (*listLabeler) Forget()                                                 {}
func (*listLabeler) Nodes() int64                                            { return 0 }
func (*listLabeler) Balance(context.Context, game.Position) (float64, error) { return 0, nil }
func (l *listLabeler) Search(_ context.Context, _ game.Position, _ int, o *Opinion) error {
	o.Moves = append(o.Moves[:0], l.opinion.Moves...)
	o.Static, o.Proven = l.opinion.Static, l.opinion.Proven
	return nil
}

// played counts the moves that games take at a temperature, over seeds.
func played(t *testing.T, o Opinion, s mcts.Schedule) map[game.Move]int {
	t.Helper()
	opts := LabelOptions{Lines: 3, TargetTemperature: 0.5, Temperature: s, MaxLoss: 2}
	j := newLabelPlayer(&opts, &listLabeler{o})
	counts := map[game.Move]int{}
	for seed := range uint64(200) {
		if err := j.start(gametest.NewMNK(3, 3, 3), seed); err != nil {
			t.Fatal(err)
		}
		v, err := j.search(t.Context(), int(seed%5))
		if err != nil {
			t.Fatal(err)
		}
		if len(v.moves) != len(o.Moves) || v.rootQ != o.Moves[0].Value || v.netQ != o.Static || v.proven != o.Proven ||
			!v.full || v.weight != 1 {
			t.Fatalf("%+v of %+v", v, o)
		}
		sum := float32(0)
		for _, m := range v.moves {
			sum += m.target
		}
		if !(sum > 0.999 && sum < 1.001) {
			t.Fatalf("the targets of %+v sum to %v", v, sum)
		}
		counts[v.move]++
	}
	return counts
}

// At a temperature of 0 the best move is played; above it, and where nothing
// is proven, others as well.
func TestLabelsTemperature(t *testing.T) {
	moves := []Scored{{Move: 4, Value: 0.2}, {Move: 2, Value: 0.2}, {Move: 7, Value: 0.1}}
	warm := mcts.Schedule{Start: 1, End: 1, HalfLife: 1}
	for _, s := range []mcts.Schedule{{HalfLife: 1}, {HalfLife: 10}} {
		if got := played(t, Opinion{Moves: moves, Static: 0.1}, s); got[4] != 200 {
			t.Errorf("at temperature 0: %v, want the best move 200 times", got)
		}
	}
	if got := played(t, Opinion{Moves: moves}, warm); got[4] == 0 || got[2] == 0 || got[7] == 0 {
		t.Errorf("at temperature 1: %v, want each of the three", got)
	}
	won := []Scored{{Move: 4, Value: 1}, {Move: 2, Value: 1}, {Move: 7, Value: 0.1}}
	if got := played(t, Opinion{Moves: won, Proven: game.Won}, warm); got[4] != 200 {
		t.Errorf("in a won position: %v, want the first move 200 times", got)
	}
	if got := played(t, Opinion{Moves: moves[1:]}, warm); got[2] == 0 || got[7] == 0 {
		t.Errorf("of two moves: %v, want both", got)
	}
	if got := played(t, Opinion{Moves: moves[:1]}, warm); got[4] != 200 {
		t.Errorf("of one move: %v", got)
	}
}
