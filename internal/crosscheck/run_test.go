package crosscheck

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"go.uber.org/goleak"
)

// gamesOf returns SGF games of random moves on a board of 7x7, finished or cut
// off.
func gamesOf(t testing.TB, v games.Variant, n int) string {
	t.Helper()
	var b strings.Builder
	rng := rand.New(rand.NewPCG(5, 5))
	for range n {
		pos, err := v.Start()
		if err != nil {
			t.Fatal(err)
		}
		b.WriteString("(;GM[4]SZ[7]RU[freestyle]RE[B+R]")
		for pos.Outcome() == game.Undecided && pos.Ply() < 12 {
			moves := pos.Moves(nil)
			m := moves[rng.IntN(len(moves))]
			fmt.Fprintf(&b, ";%c[%c%c]", "BW"[pos.ToMove()], 'a'+int(m)%7, 'a'+6-int(m)/7)
			pos.Play(m)
		}
		b.WriteString(")\n")
	}
	return b.String()
}

var testOptions = Options{Playouts: 10, Nodes: 10, SolverNodes: 300, Sampling: Sampling{PerGame: 3, Seed: 9}}

// host returns a run of random engines over random games.
func host(t testing.TB, workers int, rows string) Host {
	v := variant(t, "freestyle", 7)
	return Host{
		Games: inputOf(t, v, "games.sgf", gamesOf(t, v, 12)), Workers: workers, Rows: rows,
		Engines: func() (Engines, error) {
			return Engines{MCTS: &script{v: v, any: drawn(1)}, AlphaBeta: &script{v: v, any: drawn(2)}}, nil
		},
	}
}

func read(t testing.TB, path string) []byte {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// undisturbed returns the rows and the source of a run with one worker.
func undisturbed(t *testing.T) ([]byte, Source) {
	t.Helper()
	h := host(t, 1, filepath.Join(t.TempDir(), "rows"))
	s, err := Run(context.Background(), testOptions, h)
	if err != nil {
		t.Fatal(err)
	}
	if s.Positions != 36 || s.Of != 36 || s.Agree == 0 || s.Agree == 36 ||
		s.Agree+s.Differ+s.MCTSBlunders+s.AlphaBetaBlunder != 36 {
		t.Fatalf("%+v", s)
	}
	return read(t, h.Rows), h.Games
}

func TestWorkersChangeNoRow(t *testing.T) {
	defer goleak.VerifyNone(t)
	want, source := undisturbed(t)
	for _, workers := range []int{2, 5} {
		h := host(t, workers, filepath.Join(t.TempDir(), "rows"))
		h.Games = source
		if _, err := Run(context.Background(), testOptions, h); err != nil {
			t.Fatal(err)
		}
		if got := read(t, h.Rows); !bytes.Equal(got, want) {
			t.Errorf("%d workers: other rows", workers)
		}
	}
}

// TestResume interrupts a run after each few rows, by the context and by a cut
// in the file, and goes on.
func TestResume(t *testing.T) {
	defer goleak.VerifyNone(t)
	want, source := undisturbed(t)
	for _, stop := range []int{0, 1, 7, 20, 35, 36} {
		h := host(t, 3, filepath.Join(t.TempDir(), "rows"))
		h.Games = source
		ctx, cancel := context.WithCancel(context.Background())
		h.Progress = func(s Summary) {
			if s.Positions >= stop {
				cancel()
			}
		}
		f, err := Run(ctx, testOptions, h)
		if stop < 30 && !errors.Is(err, context.Canceled) {
			t.Fatalf("stop at %d: %v", stop, err)
		}
		if f.Positions < stop {
			t.Fatalf("stop at %d: %+v", stop, f)
		}
		h.Progress, h.Resume = nil, true
		f, err = Run(context.Background(), testOptions, h)
		if err != nil {
			t.Fatal(err)
		}
		if got := read(t, h.Rows); !bytes.Equal(got, want) || f.Positions != 36 {
			t.Errorf("stop at %d: other rows after the resumption", stop)
		}
	}
	head := bytes.Index(want, []byte(`"run"`)) // less of a row is not known for one
	for cut := head; cut < len(want); cut += len(want) / 9 {
		h := host(t, 2, filepath.Join(t.TempDir(), "rows"))
		h.Games, h.Resume = source, true
		if err := os.WriteFile(h.Rows, want[:cut], 0o644); err != nil {
			t.Fatal(err)
		}
		if _, err := Run(context.Background(), testOptions, h); err != nil {
			t.Fatal(err)
		}
		if got := read(t, h.Rows); !bytes.Equal(got, want) {
			t.Errorf("cut at %d: other rows", cut)
		}
	}
}

// Rows that earlier versions left behind a gap are judged again.
func TestRowsBehindAGap(t *testing.T) {
	want, source := undisturbed(t)
	lines := bytes.SplitAfter(want, []byte("\n"))
	h := host(t, 1, filepath.Join(t.TempDir(), "rows"))
	h.Games, h.Resume = source, true
	if err := os.WriteFile(h.Rows, bytes.Join([][]byte{lines[0], lines[1], lines[4], lines[3]}, nil), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Run(context.Background(), testOptions, h); err != nil || !bytes.Equal(read(t, h.Rows), want) {
		t.Errorf("other rows, %v", err)
	}
}

func TestRefusedRows(t *testing.T) {
	want, source := undisturbed(t)
	lines := bytes.SplitAfter(want, []byte("\n"))
	other := bytes.Replace(lines[1], []byte(`"position":"`), []byte(`"position":"a1`), 1)
	for name, c := range map[string]struct {
		text   []byte
		opts   func(*Options)
		resume bool
		want   string
	}{
		"rows without resume": {want, nil, false, "holds rows already"},
		"other seed": {want, func(o *Options) { o.Sampling.Seed = 10 }, true,
			"rows stays as it is: line 1: a row of a run with other options"},
		"no rows": {[]byte("hello\n"), nil, true, "rows stays as it is: line 1: this is not a file of rows"},
		"a later version": {bytes.Replace(want, []byte(`"version":1`), []byte(`"version":2`), 1), nil, true,
			"rows of version 2, want 1"},
		"a long line": {append(bytes.Clone(lines[0]), bytes.Repeat([]byte("x"), rowsFile.MaxLine+1)...), nil, true,
			"line 2: more than"},
		"another position": {append(bytes.Clone(lines[0]), other...), nil, true, "line 2: row 1 is of"},
		"too many rows": {want, func(o *Options) { o.Sampling.Limit = 10 }, true,
			"line 11: more rows than the input has positions"},
	} {
		h := host(t, 1, filepath.Join(t.TempDir(), "rows"))
		h.Games, h.Resume = source, c.resume
		if err := os.WriteFile(h.Rows, c.text, 0o644); err != nil {
			t.Fatal(err)
		}
		o := testOptions
		if c.opts != nil {
			c.opts(&o)
		}
		_, err := Run(context.Background(), o, h)
		if !errors.Is(err, disk.ErrRefused) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
		if got := read(t, h.Rows); !bytes.Equal(got, c.text) {
			t.Errorf("%s: the file was changed", name)
		}
	}
}

// TestFailingEngine: the error of a search ends the run, and the rows before it
// are kept.
func TestFailingEngine(t *testing.T) {
	defer goleak.VerifyNone(t)
	boom := errors.New("out of order")
	h := host(t, 2, filepath.Join(t.TempDir(), "rows"))
	v := variant(t, "freestyle", 7)
	h.Engines = func() (Engines, error) {
		left := 10
		return Engines{MCTS: failing{&script{v: v, any: drawn(1)}, &left, boom}, AlphaBeta: &script{v: v, any: drawn(2)}}, nil
	}
	f, err := Run(context.Background(), testOptions, h)
	if !errors.Is(err, boom) {
		t.Fatalf("%v", err)
	}
	if n := bytes.Count(read(t, h.Rows), []byte("\n")); n < f.Positions || n == 0 {
		t.Errorf("%d rows kept, %d counted", n, f.Positions)
	}
}

type failing struct {
	*script
	left *int
	err  error
}

func (f failing) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	if *f.left--; *f.left < 0 {
		return nil, f.err
	}
	return f.script.Think(ctx, pos, l)
}

func TestFaultyInputEndsBeforeTheWork(t *testing.T) {
	v := variant(t, "freestyle", 7)
	for name, text := range map[string]string{
		"corrupt": gamesOf(t, v, 2) + "(;GM[4]SZ[7];B[zz])", "empty": "", "over": "a1a2b1b2c1c2d1d2e1\n",
		"mixed": gamesOf(t, v, 1) + strings.Replace(gamesOf(t, v, 1), "freestyle", "renju", 1),
	} {
		h := host(t, 1, "")
		h.Games = inputOf(t, v, "in", text)
		h.Engines = func() (Engines, error) { t.Error(name + ": engines were built"); return Engines{}, nil }
		if f, err := Run(context.Background(), testOptions, h); err == nil || f.Of != 0 {
			t.Errorf("%s: %v, %v", name, f, err)
		}
	}
}

// In Onitama a move is convicted by a search of all moves: of a win in 43 plies that was
// published, where another move leaves none.
func TestOnitamaIsSolved(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	pos, moves, err := v.ParseGame("Crane,Rooster/Tiger,Ox/Horse:rooster c1d2")
	if err != nil {
		t.Fatal(err)
	}
	other := pos.Moves(nil)[0]
	if other == moves[0] {
		other = pos.Moves(nil)[1]
	}
	o := testOptions
	for nodes, want := range map[int]judgement{2_000_000: shown(MCTSBlunder, Loses, ""), 1000: {verdict: Differ}} {
		o.SolverNodes = nodes
		e := Engines{MCTS: &script{v: v, any: first}, AlphaBeta: &script{v: v, any: first}}
		r, err := NewJudge(v, e, o).Row(t.Context(), pos, &engine.Answer{Move: moves[0]},
			&engine.Answer{Move: other})
		if err != nil {
			t.Fatal(err)
		}
		if got := judgementOf(&r); got != want {
			t.Errorf("with %d moves: %+v, want %+v", nodes, got, want)
		}
		if nodes > 1000 && (r.Proof == nil || r.Proof.By != byAllMoves || r.Proof.Plies < 19 || len(r.Proof.Line) < 19) {
			t.Errorf("the proof is %+v", r.Proof)
		}
	}
}

// With next to no budget a win at once convicts all the same, where another move leaves
// the opponent none.
func TestOnitamaBlunders(t *testing.T) {
	o := testOptions
	o.SolverNodes = 1
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(3, 3))
	found := map[judgement]int{}
	for range 40 {
		pos, err := v.Start()
		if err != nil {
			t.Fatal(err)
		}
		for pos.Outcome() == game.Undecided && pos.Ply() < 40 {
			moves := pos.Moves(nil)
			var loses, holds []game.Move
			for _, m := range moves {
				pos.Play(m)
				if pos.Outcome() == game.Undecided && len(pos.Wins(nil)) > 0 {
					loses = append(loses, m)
				} else {
					holds = append(holds, m)
				}
				pos.Undo()
			}
			if len(pos.Wins(nil)) == 0 && len(loses) > 1 {
				other, want := loses[1], judgement{verdict: Differ}
				switch {
				case len(holds) > 0 && pos.Ply()%2 == 0:
					other, want = holds[0], shown(MCTSBlunder, Loses, "")
				case len(holds) > 0:
					want = shown(MCTSBlunder, Loses, Loses)
				}
				e := Engines{MCTS: &script{v: v, any: first}, AlphaBeta: &script{v: v, any: first}}
				r, err := NewJudge(v, e, o).Row(t.Context(), pos, &engine.Answer{Move: loses[0]},
					&engine.Answer{Move: other})
				if err != nil {
					t.Fatal(err)
				}
				if got := judgementOf(&r); got != want {
					t.Fatalf("%+v, want %+v\n%s", got, want, pos)
				}
				found[want]++
			}
			pos.Play(moves[rng.IntN(len(moves))])
		}
	}
	if len(found) < 3 {
		t.Errorf("only %v: want each kind", found)
	}
}
