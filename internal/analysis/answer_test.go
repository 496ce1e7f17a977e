package analysis

import (
	"encoding/json"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"pgregory.net/rapid"
)

// Every turn asked about gets one final answer, whatever else is said, and those on
// the way come before it.
func TestEveryTurnIsAnsweredOnce(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		type turn struct {
			id string
			n  int
		}
		want := map[turn]int{}
		var lines []string
		for i := range rapid.IntRange(1, 6).Draw(t, "queries") {
			id := fmt.Sprint(rapid.IntRange(0, 2).Draw(t, "id")) // ids may be the same
			turns := rapid.SliceOfN(rapid.IntRange(0, 3), 1, 5).Draw(t, "turns")
			text, _ := json.Marshal(turns)
			lines = append(lines, fmt.Sprintf(`{"id":%q,"moves":[["B","c3"],["W","c4"],["B","d3"]],"boardXSize":7,`+
				`"boardYSize":7,"analyzeTurns":%s,"maxVisits":%d,"engine":%q,"priority":%d}`,
				id, text, rapid.IntRange(1, 40).Draw(t, "visits"), rapid.SampledFrom([]string{"mcts", "alphabeta", "each"}).Draw(t,
					"engine"), i))
			slices.Sort(turns)
			for _, n := range slices.Compact(turns) {
				want[turn{id, n}]++
			}
			if rapid.Bool().Draw(t, "terminate") {
				lines = append(lines, fmt.Sprintf(`{"id":"t","action":"terminate","terminateId":%q}`, id))
			}
		}
		for _, m := range talk(t, small(), lines...) {
			if m.Action == "" && !m.IsDuringSearch {
				want[turn{m.ID, m.TurnNumber}]--
			}
		}
		for turn, left := range want {
			if left != 0 {
				t.Fatalf("%v: %d answers too few", turn, left)
			}
		}
	})
}

// The answers are those of the engines, asked for themselves.
func TestAnswersAreTheEngines(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle", Size: 9})
	if err != nil {
		t.Fatal(err)
	}
	pos, _ := v.Parse("e5e6d5f5d6")
	m := one(t, small(), `{"id":"a","rules":"freestyle","boardXSize":9,"boardYSize":9,"moves":["e5","e6","d5","f5",`+
		`"d6"],"engine":"each","maxVisits":80,"maxNodes":5000,"lines":3,"includePolicy":true,"includePVVisits":true}`)

	net, err := networks.NewLoader(networks.LoaderOptions{Threads: 1}).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	tree, _ := engine.NewTree(net, engine.TreeOptions{Solvers: games.SolverNodes{Leaf: 100, Root: 200, Replies: 50}})
	a, err := tree.Think(t.Context(), pos, engine.Limits{Nodes: 80})
	if err != nil {
		t.Fatal(err)
	}
	if m.MoveInfos[0].Move != v.Notation().FormatMove(a.Move) || m.RootInfo.Visits != a.Stats.Visits ||
		m.RootInfo.Winrate != (a.RootValue+1)/2 {
		t.Errorf("%+v, the engine has %+v", m.Opinion, a)
	}
	sum := 0
	for i, info := range m.MoveInfos {
		o := a.Moves[i]
		if info.Move != v.Notation().FormatMove(o.Move) || info.Visits != o.Visits || info.Prior != o.Prior ||
			info.Utility != o.Value || info.Order != i ||
			info.Winrate != (o.Value+1)/2 || info.LCB > info.Winrate || len(info.PV) != len(info.PVVisits) ||
			info.PV[0] != info.Move {
			t.Errorf("%+v, the engine has %+v", info, o)
		}
		for j := 1; j < len(info.PVVisits); j++ {
			if info.PVVisits[j] > info.PVVisits[j-1] {
				t.Errorf("%v visits along %v", info.PVVisits, info.PV)
			}
		}
		sum += info.Visits
	}
	if sum != m.RootInfo.Visits-1 {
		t.Errorf("the moves have %d visits, the root %d", sum, m.RootInfo.Visits)
	}

	classical, _ := engine.NewClassical(v, engine.ClassicalOptions{Weights: games.BestWeights})
	if a, err = classical.Think(t.Context(), pos, engine.Limits{Nodes: 5000, Lines: 3}); err != nil {
		t.Fatal(err)
	}
	for i, info := range m.AlphaBeta.MoveInfos {
		if o := a.Moves[i]; info.Move != v.Notation().FormatMove(o.Move) || *info.Score != o.Score || info.Depth != o.Depth ||
			len(info.PV) != min(16, len(o.Line)) {
			t.Errorf("%+v, the engine has %+v", info, o)
		}
	}
	if len(m.AlphaBeta.MoveInfos) != 3 || m.AlphaBeta.RootInfo.Nodes != a.Stats.Nodes {
		t.Errorf("%+v", m.AlphaBeta)
	}
}

// The policy sums to 1, has -1 where nothing can be played, and begins top left; Onitama's has the
// moves' names.
func TestPolicy(t *testing.T) {
	m := one(t, small(), `{"id":"a","boardXSize":7,"boardYSize":7,"moves":[["B","a7"],["W","g1"]],"includePolicy":true}`)
	list := m.Policy.([]any)
	sum, barred := 0.0, []int{}
	for i, x := range list {
		if p := x.(float64); p >= 0 {
			sum += p
		} else {
			barred = append(barred, i)
		}
	}
	if len(list) != 50 || math.Abs(sum-1) > 1e-5 || !slices.Equal(barred, []int{0, 48, 49}) {
		t.Errorf("%d numbers that sum to %v, -1 at %v", len(list), sum, barred)
	}
	m = one(t, small(), `{"id":"o","game":"onitama","moves":["crane a1a2",["W","crab a5a4"]],"engine":"each",`+
		`"includePolicy":true,"initialPosition":"Monkey,Crane/Tiger,Crab/Dragon"}`)
	for _, info := range m.MoveInfos {
		if p, ok := m.Policy.(map[string]any)[info.Move]; !ok || float32(p.(float64)) != info.Prior {
			t.Errorf("%s", m.text)
		}
	}
}

// What is good for the side to move has a high rate, whichever it is.
func TestRatesAreTheMovers(t *testing.T) {
	for moves, winner := range map[string]string{
		`[["B","h8"],["W","a1"],["B","i8"],["W","a3"],["B","j8"],["W","a5"]]`: "B",
		`[["W","h8"],["B","a1"],["W","i8"],["B","a3"],["W","j8"],["B","a5"]]`: "W",
	} {
		m := one(t, small(), `{"id":"a","rules":"freestyle","maxVisits":200,"moves":`+moves+`}`)
		best, p := m.MoveInfos[0], m.RootInfo.Proven
		if m.RootInfo.Winrate != 1 || best.Winrate != 1 || best.LCB != 1 || best.Utility != 1 ||
			p == nil || p.Winner != winner || p.Result != "win" || m.RootInfo.CurrentPlayer != winner {
			t.Errorf("%s: %+v, %+v", moves, m.RootInfo, best)
		}
	}
}

// Proven results have lines that the plain rules end as they say, for both engines.
func TestProofsReplay(t *testing.T) {
	suite, err := os.ReadFile("../tactics/suite.txt")
	if err != nil {
		t.Fatal(err)
	}
	wins, lines := 0, 0
	o := small()
	o.Tree = treeOf("memory=16,solver-root=20000")
	for text := range strings.Lines(string(suite)) {
		f := strings.Fields(text)
		if len(f) < 6 || f[2] != "vcf" || f[3] != "win" || f[1] != "15" {
			continue
		}
		if wins++; wins%2 != 1 {
			continue
		}
		v, err := games.NewVariant(games.VariantOptions{Rule: f[0]})
		if err != nil {
			t.Fatal(err)
		}
		pos, err := v.Parse(f[5])
		if err != nil {
			t.Fatal(err)
		}
		m := one(t, o, fmt.Sprintf(`{"id":"a","rules":%q,"initialPosition":%q,"engine":"each","maxVisits":60,`+
			`"maxNodes":50000}`, f[0], f[5]))
		for _, opinion := range []*Opinion{m.Opinion, m.AlphaBeta} {
			p := opinion.RootInfo.Proven
			if p == nil || p.Result != "win" {
				t.Errorf("%s %s: %s does not prove the win", f[0], f[5], opinion.RootInfo.Engine)
				continue
			}
			replayProof(t, v, pos, p)
			lines++
			for _, info := range opinion.MoveInfos {
				if info.Proven != nil && info.Proven.Line != nil {
					if replayProof(t, v, pos, info.Proven); info.Proven.Line[0] != info.Move {
						t.Errorf("the proof of %s begins with %s", info.Move, info.Proven.Line[0])
					}
				}
			}
		}
	}
	if lines < 20 {
		t.Errorf("%d lines of %d wins", lines, wins)
	}
}

// replayProof plays a proof's line by the rules.
func replayProof(t *testing.T, v games.Variant, pos game.Position, p *Proof) {
	t.Helper()
	end := pos.Clone()
	for _, text := range p.Line {
		moves, err := v.Notation().ParseMoves(text)
		if err != nil || len(moves) != 1 || !end.Legal(moves[0]) {
			t.Fatalf("%v: %s is no move: %v", p.Line, text, err)
		}
		end.Play(moves[0])
	}
	if len(p.Line) == 0 || winnerOf(end.Outcome()) != p.Winner || end.Outcome() == game.Undecided {
		t.Errorf("%+v ends as %v", p, end.Outcome())
	}
}

// A claimed win that the solver proves by another move has that move first, so that the root
// and its first move say the same.
func TestACertifiedMoveComesFirst(t *testing.T) {
	o := small()
	q := mustParse(t, &o,
		`{"id":"a","rules":"freestyle","moves":["h8","a1","i8","a3","j8","a5"],"engine":"alphabeta","maxNodes":10}`)
	pos := q.At(6)
	w, ok := q.Variant.Certify(t.Context(), pos, 10_000)
	if !ok {
		t.Fatal("an open three does not win")
	}
	claimed := game.Proof{Result: game.Won, Plies: 9, Claimed: true}
	for _, moves := range [][]engine.Opinion{
		{{Move: 0, Proof: claimed}, {Move: 1}}, {{Move: 0, Proof: claimed}, {Move: w.Line[0], Score: 7}},
	} {
		a := &engine.Answer{Move: 0, Proof: claimed, Moves: moves}
		(&analysis{query: q, pos: pos}).certify(t.Context(), a)
		first := a.Moves[0]
		if first.Move != a.Move || first.Proof != a.Proof || a.Proof.Claimed || first.Move != w.Line[0] ||
			a.Moves[1].Move != 0 {
			t.Errorf("%+v", a)
		}
	}
}

// Where the engines differ there is a verdict, which convicts with a proof.
func TestVerdict(t *testing.T) {
	o := small()
	o.Tree = treeOf("memory=16,solver-leaf=0,solver-root=0,solver-replies=0")
	v := enginetest.Variant(t, games.VariantOptions{Rule: "freestyle"})
	convicted := 0
	for _, moves := range []string{"h8a1i8b3j9", "h8i9i8j8g8", "h8h9i8i9j8"} {
		m := one(t, o, fmt.Sprintf(`{"id":"a","rules":"freestyle","initialPosition":%q,"engine":"each","maxVisits":4,`+
			`"maxNodes":20000}`, moves))
		if differ := m.MoveInfos[0].Move != m.AlphaBeta.MoveInfos[0].Move; differ != (m.Verdict != nil) {
			t.Fatalf("%s", m.text)
		}
		if m.Verdict != nil && m.Verdict.Proof != nil {
			convicted++
			end := enginetest.Parse(t, v, moves+strings.Join(m.Verdict.Proof.Line, ""))
			if end.Outcome() == game.Undecided || len(m.Verdict.Proof.Line) > m.Verdict.Proof.Plies {
				t.Errorf("%+v", m.Verdict)
			}
		}
	}
	if convicted == 0 {
		t.Error("nobody was convicted")
	}
}

// A game that is over, a position without a permitted move and a network that is
// missing get a final answer that says so.
func TestWithoutResults(t *testing.T) {
	over := `"rules":"freestyle","moves":["h8","h9","i8","i9","j8","j9","k8","k9","l8"]`
	answers := ask(t, small(), `{"id":"a",`+over+`,"analyzeTurns":[9]}`)
	if m := answers[0]; !m.NoResults || m.Outcome == nil || *m.Outcome != (Outcome{"B", "line"}) || m.TurnNumber != 9 {
		t.Errorf("%s", m.text)
	}
	m := talk(t, small(),
		`{"id":"a","boardXSize":7,"boardYSize":7,"allowMoves":[{"player":"B","moves":[],"untilDepth":1}]}`)
	if len(m) != 1 || !m[0].NoResults || m[0].Code != Invalid || m[0].Field != "allowMoves" ||
		!strings.Contains(m[0].Error, "allowMoves") {
		t.Errorf("%+v", m)
	}
}

// Threats are what the rules say: a point is a five if a stone there wins.
func TestThreats(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom([]string{"freestyle", "renju", "caro", "school42"}).Draw(t, "rule")
		v, _ := games.NewVariant(games.VariantOptions{Rule: rule, Size: 9})
		pos, _ := v.Start()
		var moves []game.Move
		for range rapid.IntRange(0, 30).Draw(t, "plies") {
			if list := pos.Moves(nil); len(list) > 0 {
				m := rapid.SampledFrom(list).Draw(t, "move")
				moves = append(moves, m)
				pos.Play(m)
			}
		}
		if pos.Outcome() != game.Undecided {
			return
		}
		m := one(t, small(), fmt.Sprintf(`{"id":"a","rules":%q,"boardXSize":9,"boardYSize":9,"initialPosition":%q,`+
			`"maxVisits":1,"includeThreats":true}`, rule, v.Notation().FormatMoves(moves)))
		fives := m.Threats.Fives.Black
		if pos.ToMove() == game.Second {
			fives = m.Threats.Fives.White
		}
		legal := pos.Moves(nil)
		if empty := 81 - stones(v, pos); rule == "renju" && len(legal)+len(m.Threats.Forbidden) != empty {
			t.Fatalf("%d empty cells, %d legal, %d forbidden", empty, len(legal), len(m.Threats.Forbidden))
		}
		for _, move := range legal {
			pos.Play(move)
			won := pos.Outcome() == game.WinFor(pos.ToMove().Other()) && pos.Reason() == game.Line
			pos.Undo()
			if text := v.Notation().FormatMove(move); won && !slices.Contains(fives, text) || rule != "school42" && !won &&
				slices.Contains(fives, text) {
				t.Fatalf("%s: fives %v, %s wins: %v", v.Notation().FormatMoves(moves), fives, text, won)
			}
		}
	})
}

func stones(v games.Variant, pos game.Position) (n int) {
	for _, s := range v.Stones(pos) {
		if s != games.NoStone {
			n++
		}
	}
	return n
}

// threeMen draws a position of two masters and a student that is among solved endgames.
func threeMen(t *testing.T, e games.Endgames, rng *rand.Rand) game.Position {
	t.Helper()
	deck, err := onitama.ParseDeck("Crab,Crane,Dragon,Monkey,Tiger")
	if err != nil {
		t.Fatal(err)
	}
	for {
		squares := rng.Perm(25)
		s := onitama.Setup{Masters: [2]int{squares[0], squares[1]}, Deal: deck.Random(rng)}
		s.Students[rng.IntN(2)] = 1 << squares[2]
		if b, err := onitama.NewSetup(s); err == nil && e.Covers(b) == nil && b.Outcome() == game.Undecided {
			return b
		}
	}
}

// What solved endgames say of a position stands beside the engines' opinions, which then
// are their own if that is wanted; of other positions and games nothing is said.
func TestEndgame(t *testing.T) {
	e := enginetest.Endgames(t, 3)
	o := small()
	o.Tree.Endgames = e
	o.Tree.Solvers = games.SolverNodes{} // so that only the endgames know
	o.Classical.Endgames = e
	v := enginetest.Variant(t, games.VariantOptions{Game: games.Onitama})
	n, rng := v.Notation(), rand.New(rand.NewPCG(1, 2))
	results := map[string]int{}
	for i := range 12 {
		pos := threeMen(t, e, rng)
		text := v.FormatGame(pos, nil)
		p := told(t, o, fmt.Sprintf(`{"id":"p%d","action":"query_position","game":"onitama","initialPosition":%q,"moves":[]}`,
			i, text))
		got := p.Endgame
		result, plies := e.Probe(pos)
		if got == nil || got.Result != result.String() || got.Plies != plies || len(got.Line) != plies ||
			got.Moves[0].Result != got.Result || got.Moves[0].Plies != plies {
			t.Fatalf("%s: %+v; want %v in %d", text, got, result, plies)
		}
		if (got.Winner == p.CurrentPlayer) != (result == game.Won) {
			t.Errorf("%s: %s wins a %v", text, got.Winner, result)
		}
		results[got.Result]++
		for _, m := range got.Moves {
			moves, err := n.ParseMoves(m.Move)
			if err != nil || len(got.Moves) != len(p.Legal) {
				t.Fatal(err, got.Moves, p.Legal)
			}
			if want, left := games.After(e, pos, moves[0]); m.Result != want.String() || m.Plies != left {
				t.Errorf("%s: %+v; want %v in %d", text, m, want, left)
			}
		}
		query := func(more string) message {
			return ask(t, o, fmt.Sprintf(`{"id":"q","game":"onitama","initialPosition":%q,"moves":[],"engine":"each",`+
				`"maxVisits":2,"maxNodes":2%s}`, text, more))[0]
		}
		knowing := query("")
		if knowing.Endgame == nil || knowing.RootInfo.Proven == nil || knowing.RootInfo.Proven.Plies != plies ||
			knowing.RootInfo.Proven.Result != got.Result {
			t.Errorf("%s: the tree search says %+v with the endgames", text, knowing.RootInfo)
		}
		alone := query(`,"useEndgames":false`)
		if alone.Endgame == nil || alone.Endgame.Plies != plies {
			t.Errorf("%s: %+v beside engines without endgames", text, alone.Endgame)
		}
		if p := alone.RootInfo.Proven; plies > 3 && p != nil || alone.RootInfo.Visits != 2 && plies > 3 {
			t.Errorf("%s: after two visits without endgames the tree search knows %+v", text, p)
		}
	}
	if results["win"] == 0 || results["loss"] == 0 {
		t.Errorf("only %v was looked up", results)
	}
}
