package analysis

import (
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
)

// view says how answers about one position are shown.
type view struct {
	query *Query
	pos   game.Position
	alike symmetries  // of which only the first were looked at
	flip  bool        // what is good for the side to move is shown as bad
	lines *proofLines // of proofs; nil: none are wanted
}

func (q *Query) newView(pos game.Position, alike symmetries, lines *proofLines) *view {
	return &view{query: q, pos: pos, alike: alike, flip: q.Perspective.flips(pos.ToMove()), lines: lines}
}

// rates are a value and a bound below it as they are shown.
type rates struct{ winrate, lcb, utility float32 }

// boundErrors is how many standard errors a lower confidence bound lies below the
// mean: as many as the tree search chooses by.
const boundErrors = 2

// rates returns how a value for the side to move and its standard error are shown.
func (v *view) rates(value, standardError float32) rates {
	value = finite(value)
	low := value - float32(boundErrors*finite(standardError))
	if v.flip {
		value, low = 0-value, 0-low
	}
	return rates{winrate: (value + 1) / 2, lcb: (low + 1) / 2, utility: value}
}

// opinion shows what an engine answers.
func (v *view) opinion(name EngineName, net *networks.Net, a *engine.Answer) *Opinion {
	o := &Opinion{MoveInfos: []MoveInfo{}, RootInfo: v.root(name, net, a)}
	var moves []game.Move
	var lines [][]game.Move
	share := v.alike.share(a)
	for i := range a.Moves {
		m := &a.Moves[i]
		if !m.Judged() && m.Move != a.Move {
			continue
		}
		info, line := v.move(name, a, m)
		info.Order = len(o.MoveInfos)
		info.Prior *= share
		o.MoveInfos = append(o.MoveInfos, info)
		moves, lines = append(moves, m.Move), append(lines, line)
	}
	o.MoveInfos = v.alike.unfold(o.MoveInfos, moves, lines, v.query.notation)
	return o
}

// root shows what an engine says of the position.
func (v *view) root(name EngineName, net *networks.Net, a *engine.Answer) RootInfo {
	r := v.rates(a.RootValue, a.Error)
	info := RootInfo{
		Engine: name, CurrentPlayer: PlayerOf(v.pos.ToMove()), ThisHash: fmt.Sprintf("%016X", v.pos.Hash()),
		Visits: a.Stats.Visits, Winrate: r.winrate, LCB: r.lcb, Utility: r.utility,
		Nodes: a.Stats.Nodes, Evals: a.Stats.Evals, Depth: a.Stats.Depth, SelDepth: a.Stats.SelDepth, MemoryFull: a.Stats.Full,
	}
	info.Book = a.Book != ""
	if name != AlphaBeta {
		info.Model = net.Name
	}
	if name != AlphaBeta && !info.Book {
		raw := v.rates(a.NetValue, 0).winrate
		info.RawWinrate = &raw
	}
	info.Proven, info.Claim = v.proofs(a.Proof, a.Line)
	return info
}

// move shows what an engine says of a move, and returns its line too.
func (v *view) move(name EngineName, a *engine.Answer, m *engine.Opinion) (MoveInfo, []game.Move) {
	line := m.Line
	switch {
	case len(line) > 0:
	case m.Move == a.Move:
		line = a.Line
	default:
		line = []game.Move{m.Move}
	}
	r := v.rates(m.Value, m.Error)
	info := MoveInfo{
		Move: v.query.notation.FormatMove(m.Move), Visits: m.Visits, EdgeVisits: m.Visits,
		Winrate: r.winrate, LCB: r.lcb, Utility: r.utility, Prior: finite(m.Prior),
	}
	info.Proven, info.Claim = v.proofs(m.Proof, line)
	shown := line[:min(len(line), 1+v.query.PVLength)]
	info.PV = v.texts(shown)
	if v.query.PVVisits && name != AlphaBeta {
		info.PVVisits = make([]int, len(shown))
		copy(info.PVVisits, m.LineVisits)
		info.PVEdgeVisits = info.PVVisits
	}
	if name == AlphaBeta {
		score := m.Score
		info.Score, info.Depth = &score, m.Depth
	}
	return info, shown
}

// proofs shows an end that is known, as proven or claimed. line is what is expected
// to lead there.
func (v *view) proofs(p engine.Proof, line []game.Move) (proven, claim *Proof) {
	if p.Result == engine.Unknown {
		return nil, nil
	}
	side := v.pos.ToMove()
	shown := &Proof{Result: p.Result.String(), Plies: p.Plies, Winner: "none"}
	switch p.Result {
	case engine.Win:
		shown.Winner = PlayerOf(side)
	case engine.Loss:
		shown.Winner = PlayerOf(side.Other())
	}
	if p.Claimed {
		return nil, shown
	}
	if v.lines != nil {
		shown.Line = v.texts(v.lines.toTheEnd(v.pos, p, line))
	}
	return shown, nil
}

// texts returns moves as they are written.
func (v *view) texts(moves []game.Move) []string {
	if moves == nil {
		return nil
	}
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = v.query.notation.FormatMove(m)
	}
	return texts
}

// policy returns what the network makes of the moves before any search: a number
// for each cell, row by row from the top, and one for passing, -1 for what cannot
// be played; of games whose moves are no cells, an object with a number for each
// move.
func (v *view) policy(a *engine.Answer) any {
	columns := v.query.Variant.Columns()
	if columns == 0 {
		of := map[string]float32{}
		for _, m := range a.Moves {
			of[v.query.notation.FormatMove(m.Move)] = finite(m.Prior)
		}
		return of
	}
	list := make([]float32, columns*columns+1)
	for i := range list {
		list[i] = -1
	}
	put := func(m game.Move, p float32) {
		x, y := int(m)%columns, int(m)/columns
		list[(columns-1-y)*columns+x] = p
	}
	share := v.alike.share(a)
	for _, m := range a.Moves {
		like, _ := v.alike.images(m.Move)
		for _, to := range like {
			put(to, share*finite(m.Prior))
		}
	}
	return list
}

// outcome shows how a game that is over ended.
func outcome(pos game.Position) *Outcome {
	return &Outcome{Winner: winnerOf(pos.Outcome()), Reason: string(pos.Reason())}
}

// threats shows the points that threaten and those that are forbidden.
func (v *view) threats() *Threats {
	q := v.query
	t := &Threats{Forbidden: []Forbidden{}}
	for _, f := range q.Variant.Forbidden(v.pos) {
		t.Forbidden = append(t.Forbidden, Forbidden{Point: q.notation.FormatMove(f.Move), Kinds: f.Reasons})
	}
	of := q.Variant.Threats(v.pos)
	both := func(points func(games.Threats) []game.Move) BySide {
		list := func(side game.Side) []string { return append([]string{}, v.texts(points(of[side]))...) }
		return BySide{Black: list(game.First), White: list(game.Second)}
	}
	t.Fives = both(func(t games.Threats) []game.Move { return t.Fives })
	t.Fours = both(func(t games.Threats) []game.Move { return t.Fours })
	t.OpenFours = both(func(t games.Threats) []game.Move { return t.OpenFours })
	return t
}
