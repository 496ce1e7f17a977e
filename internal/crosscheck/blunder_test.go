package crosscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
)

// Positions with a known answer, caro 15x15.
const (
	// First has a four at h8-k8 with one end blocked: second must take l8, or
	// m8, which leaves a five that is blocked at both ends.
	mustParry = "h8g8i8a1j8a3k8"
	// First has an open three at h8-j8 and is to move.
	canWin = "h8a1i8a3j8a5"
	// The same three with second to move, who has nothing.
	mustParryThree = "h8a1i8a3j8"
	// First has an open four: second, to move, is lost.
	lostToFour = "h8a1i8a3j8a5k8"
	// First wins by h7. After k10 it wins as well, whatever a budget of 100,000
	// moves sees after h7: 4,000,000 find the win.
	longWinKept = "j8a13h8i7g7i9i8g8j9k8"
)

// planted is a position with what the two engines say there and deeper.
type planted struct {
	position        string
	mcts, alphaBeta string                   // moves
	deeper          map[string]engine.Answer // alpha-beta's, by position
	closer          map[string]engine.Answer // alpha-beta's where a conviction is at stake, by position
	tree            []engine.Opinion         // MCTS's, with the larger budget
	want            judgement
	proof           string // its first moves; "" for none
}

// shown is a judgement of blunders that are shown, "" for none.
func shown(v Verdict, mcts, alphaBeta string) judgement {
	return judgement{v, blunder{mcts, mcts != ""}, blunder{alphaBeta, alphaBeta != ""}}
}

// judgementOf returns what a row says.
func judgementOf(r *Row) judgement {
	j := shown(r.Verdict, r.MCTSBlunder, r.AlphaBetaBlunder)
	if r.MCTSUnproven != "" {
		j.mcts = blunder{kind: r.MCTSUnproven}
	}
	if r.AlphaBetaUnproven != "" {
		j.alphaBeta = blunder{kind: r.AlphaBetaUnproven}
	}
	return j
}

// judgePlanted runs one planted position, with a budget of the solver.
func judgePlanted(t *testing.T, v games.Variant, p planted, solver int) Row {
	t.Helper()
	says := map[string]engine.Answer{p.position: {Move: move(t, v, p.alphaBeta)}}
	e := Engines{
		MCTS: &script{v: v, says: map[string]engine.Answer{p.position: {Move: move(t, v, p.mcts), Moves: p.tree}},
			any: first},
		AlphaBeta: &script{v: v, says: says, deep: p.deeper, most: p.closer, any: first},
	}
	path := filepath.Join(t.TempDir(), "rows.jsonl")
	f, err := Run(context.Background(), Options{Playouts: plantedBudget, Nodes: plantedBudget, SolverNodes: solver}, Host{
		Games: inputOf(t, v, "list.txt", p.position+"\n"), Engines: func() (Engines, error) { return e, nil }, Rows: path,
	})
	if err != nil {
		t.Fatal(err)
	}
	if f.Positions != 1 {
		t.Fatalf("%+v", f)
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	var r Row
	if err := json.Unmarshal(data, &r); err != nil {
		t.Fatal(err)
	}
	return r
}

// TestPlantedBlunders: known blunders of each kind get their verdict, and
// moves that are none do not.
func TestPlantedBlunders(t *testing.T) {
	v := variant(t, "caro", 15)
	m := func(text string) game.Move { return move(t, v, text) }
	for name, p := range map[string]planted{
		"agreement":  {position: mustParry, mcts: "o15", alphaBeta: "o15", want: judgement{verdict: Agree}},
		"both parry": {position: mustParry, mcts: "l8", alphaBeta: "m8", want: judgement{verdict: Differ}},
		"mcts does not parry": {
			position: mustParry, mcts: "o15", alphaBeta: "l8",
			want: shown(MCTSBlunder, Loses, ""), proof: "o15 l8",
		},
		"alpha-beta does not parry": {
			position: mustParry, mcts: "l8", alphaBeta: "o15",
			want: shown(AlphaBetaBlunder, "", Loses), proof: "o15 l8",
		},
		"mcts lets a three stand": {
			position: mustParryThree, mcts: "o15", alphaBeta: "g8",
			want: shown(MCTSBlunder, Loses, ""), proof: "o15",
		},
		"mcts misses a win": {
			position: canWin, mcts: "o15", alphaBeta: "k8",
			want: shown(MCTSBlunder, Misses, ""), proof: "",
		},
		"alpha-beta misses a win": {
			position: canWin, mcts: "k8", alphaBeta: "o15",
			want: shown(AlphaBetaBlunder, "", Misses),
		},
		"both win": {position: canWin, mcts: "g8", alphaBeta: "k8", want: judgement{verdict: Differ}},
		"both miss a win": {
			position: canWin, mcts: "o15", alphaBeta: "o13",
			want: shown(MCTSBlunder, Misses, Misses),
		},
		"a claim acquits of missing: alpha-beta's": {
			position: canWin, mcts: "o15", alphaBeta: "k8", deeper: map[string]engine.Answer{canWin + "o15": claims(m("a15"),
				-8)},
			want: judgement{verdict: Differ},
		},
		"a claim acquits of missing: the tree's": {
			position: canWin, mcts: "o15", alphaBeta: "k8", tree: []engine.Opinion{{Move: m("o15"),
				Proof: game.Proof{Result: game.Won, Plies: 9}, Visits: 3}},
			want: judgement{verdict: Differ},
		},
		"a claim of a win convicts nobody": {
			position: canWin, mcts: "o15", alphaBeta: "k8", deeper: map[string]engine.Answer{canWin + "o15": claims(m("a15"),
				3)},
			want: shown(MCTSBlunder, Misses, ""),
		},
		"both lose where nothing holds": {
			position: mustParry, mcts: "o15", alphaBeta: "o13", deeper: map[string]engine.Answer{mustParry: claims(m("l8"), -6)},
			want: judgement{verdict: Differ},
		},
		"both lose where a move holds": {
			position: mustParry, mcts: "o15", alphaBeta: "o13", deeper: map[string]engine.Answer{mustParry: {Move: m("l8")}},
			want: shown(MCTSBlunder, Loses, Loses), proof: "o15 l8",
		},
		"both lose and so does every move": {position: lostToFour, mcts: "o15", alphaBeta: "l8",
			want: judgement{verdict: Differ}},
		"a win that is let go as far as is seen": {
			position: longWinKept, mcts: "k10", alphaBeta: "h7",
			want: judgement{verdict: Unproven, mcts: blunder{kind: Misses}},
		},
		"a claim acquits of missing: alpha-beta's where the conviction is at stake": {
			position: canWin, mcts: "o15", alphaBeta: "k8", closer: map[string]engine.Answer{canWin + "o15": claims(m("a15"),
				-8)},
			want: judgement{verdict: Differ},
		},
		"every move is claimed to lose where the conviction is at stake": {
			position: mustParry, mcts: "o15", alphaBeta: "o13", deeper: map[string]engine.Answer{mustParry: {Move: m("l8")}},
			closer: map[string]engine.Answer{mustParry: claims(m("l8"), -6)},
			want:   judgement{verdict: Differ},
		},
		"one of the moves that parry is claimed to lose": {
			position: mustParry, mcts: "o15", alphaBeta: "l8",
			deeper: map[string]engine.Answer{mustParry: {Move: m("l8")}, mustParry + "l8": claims(m("b5"), 5)},
			want:   shown(MCTSBlunder, Loses, ""), proof: "o15 l8",
		},
		"one of the replies is claimed to leave a win": {
			position: canWin, mcts: "o15", alphaBeta: "k8",
			deeper: map[string]engine.Answer{canWin + "o15": {Move: m("g8")}, canWin + "o15g8": claims(m("b5"), 5)},
			want:   shown(MCTSBlunder, Misses, ""),
		},
		"the other move is claimed to lose as well": {
			position: mustParry, mcts: "o15", alphaBeta: "l8",
			deeper: map[string]engine.Answer{mustParry: claims(m("l8"), -6), mustParry + "l8": claims(m("b5"), 5)},
			want:   judgement{verdict: Differ},
		},
		"the moves that parry are claimed to lose": {
			position: mustParry, mcts: "o15", alphaBeta: "l8",
			deeper: map[string]engine.Answer{mustParry: {Move: m("l8")}, mustParry + "l8": claims(m("b5"), 5),
				mustParry + "m8": claims(m("b5"), 5)},
			want: judgement{verdict: Unproven, mcts: blunder{kind: Loses}},
		},
	} {
		t.Run(name, func(t *testing.T) {
			const solver = 20_000
			r := judgePlanted(t, v, p, solver)
			got := judgementOf(&r)
			if got != p.want {
				t.Fatalf("%+v, want %+v\n%+v", got, p.want, r)
			}
			if p.want.mcts.shown || p.want.alphaBeta.shown {
				r := judgePlanted(t, v, p, again*solver)
				if got := judgementOf(&r); got != p.want {
					t.Errorf("with %d times the budget %+v, want %+v\n%+v", again, got, p.want, r)
				}
			}
			checkProof(t, v, &r)
			if p.proof == "" {
				return
			}
			if line := r.Proof.Line; len(line) == 0 || !slices.Equal(line, splitProof(p.proof, line)) {
				t.Errorf("proof %v, want %q first", line, p.proof)
			}
		})
	}
}

// splitProof returns the wanted moves, completed from line.
func splitProof(want string, line []string) []string {
	moves := bytes.Fields([]byte(want))
	list := slices.Clone(line)
	for i, m := range moves {
		if i < len(list) {
			list[i] = string(m)
		}
	}
	return list
}

// checkProof demands a proof of every blunder, and that its line is legal and
// ends as it says.
func checkProof(t *testing.T, v games.Variant, r *Row) {
	t.Helper()
	if blunder := r.Verdict == MCTSBlunder || r.Verdict == AlphaBetaBlunder; blunder != (r.Proof != nil) {
		t.Fatalf("verdict %s, proof %+v", r.Verdict, r.Proof)
	}
	if both := r.MCTSBlunder != "" && r.AlphaBetaBlunder != ""; both != (r.AlphaBetaProof != nil) {
		t.Fatalf("verdict %s, proof of alpha-beta's %+v", r.Verdict, r.AlphaBetaProof)
	}
	var ofMCTS, ofAlphaBeta *MoveView
	if r.Deeper != nil {
		ofMCTS, ofAlphaBeta = r.Deeper.OfMCTS, r.Deeper.OfAlpha
	}
	for _, c := range []struct {
		kind, move string
		view       *MoveView
	}{{r.MCTSBlunder, r.MCTS.Move, ofMCTS}, {r.AlphaBetaBlunder, r.AlphaBeta.Move, ofAlphaBeta}} {
		if c.kind == Misses && (c.view.Loses == nil &&
			(c.view.Left == nil || c.view.Left.Left != "none" || c.view.Left.Reply == "")) {
			t.Errorf("%s: %+v shows no reply that leaves no win", c.move, c.view)
		}
	}
	switch {
	case r.MCTSBlunder != "":
		checkLine(t, v, r, r.MCTSBlunder, r.Proof)
		if r.AlphaBetaProof != nil {
			checkLine(t, v, r, r.AlphaBetaBlunder, r.AlphaBetaProof)
		}
	case r.AlphaBetaBlunder != "":
		checkLine(t, v, r, r.AlphaBetaBlunder, r.Proof)
	}
}

// checkLine plays the line of a proof.
func checkLine(t *testing.T, v games.Variant, r *Row, kind string, p *ProofView) {
	t.Helper()
	pos, err := v.Parse(r.Position)
	if err != nil {
		t.Fatal(err)
	}
	winner := pos.ToMove()
	if kind == Loses {
		winner = winner.Other()
	}
	for i, text := range p.Line {
		m := move(t, v, text)
		if !pos.Legal(m) {
			t.Fatalf("proof %v: move %d is illegal", p.Line, i+1)
		}
		pos.Play(m)
	}
	if pos.Outcome() != game.WinFor(winner) {
		t.Errorf("proof %v by %s ends %v, want a win of %v", p.Line, p.By, pos.Outcome(), winner)
	}
	if len(p.Line) > p.Plies {
		t.Errorf("proof %v is longer than %d plies", p.Line, p.Plies)
	}
}

// TestClaimOfAlphaBetaIsReplayed: where the solver sees nothing, a claim
// becomes a proof only by its replay.
func TestClaimOfAlphaBetaIsReplayed(t *testing.T) {
	v := variant(t, "caro", 9)
	e, err := engine.NewClassical(v, engine.ClassicalOptions{})
	if err != nil {
		t.Fatal(err)
	}
	open := "e5a1f5a3d5b9" // first has an open three and is to move: a win in 3
	pos, err := v.Parse(open)
	if err != nil {
		t.Fatal(err)
	}
	p := newProver(v, 0) // sees wins in one only
	if p.prove(context.Background(), pos) != nil {
		t.Fatal("the solver was not meant to see it")
	}
	o, err := think(context.Background(), e, pos, 50_000)
	if err != nil || o.Proof.Result != game.Won {
		t.Fatalf("%+v, %v", o, err)
	}
	found, err := p.proveClaim(context.Background(), pos, o, e, 20_000)
	if err != nil || found == nil || found.By != byClaim || found.Asked < 1 {
		t.Errorf("true claim: %+v, %v", found, err)
	}
	// The same claim for a move that gives the win away does not stand.
	o.Move = move(t, v, "i9")
	o.Line = []game.Move{o.Move}
	if found, err = p.proveClaim(context.Background(), pos, o, e, 20_000); err != nil || found != nil {
		t.Errorf("false claim: %+v, %v", found, err)
	}
}
