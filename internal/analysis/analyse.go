package analysis

import (
	"context"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/nn"
)

// worker does tasks, one after the other. The last engine of each kind is kept for the next
// task that asks for the same.
type worker struct {
	nets  *networks.Nets
	cache *nn.CacheTable // nil: none
	opts  *Options

	tree, classical kept
}

// kept is an engine, and what it was made for.
type kept struct {
	engine.Engine
	variant games.Variant
	args    string
	solved  bool // knows solved endgames
}

// reuse returns the engine that is kept, without what it knows of earlier positions, if it is what
// want says; otherwise a new one. For a query with a clock that is set up before: no time of the search
// goes into it.
func (k *kept) reuse(want kept, prepare bool, open func() (engine.Engine, error)) (engine.Engine, error) {
	if want.Engine = k.Engine; want.Engine != nil && *k == want {
		k.Forget()
		return k.Engine, nil
	}
	*k = kept{}
	e, err := open()
	if p, ok := e.(interface{ Prepare() error }); ok && err == nil && prepare {
		err = p.Prepare()
	}
	if err != nil {
		return nil, err
	}
	*k, k.Engine = want, e
	return e, nil
}

// forTree returns the tree search for a query.
func (w *worker) forTree(q *Query) (engine.Engine, error) {
	want := kept{variant: q.Variant, args: option.Format(treeSettings, &q.tree), solved: q.UseEndgames}
	return w.tree.reuse(want, q.MaxTime > 0, func() (engine.Engine, error) {
		net, err := w.nets.Net(q.Variant)
		if err != nil {
			return nil, err
		}
		return engine.NewTree(net, q.tree.Options(nn.EvaluatorOptions{Threads: 1, Seed: w.opts.Seed, Cache: w.cache}))
	})
}

// forClassical returns the classical search for a query.
func (w *worker) forClassical(q *Query) (engine.Engine, error) {
	args := option.Format(players.AlphabetaSettings, &q.classical) + q.Level.Name
	want := kept{variant: q.Variant, args: args, solved: q.UseEndgames}
	return w.classical.reuse(want, true, func() (engine.Engine, error) {
		o, err := q.classical.Options()
		if err != nil {
			return nil, err
		}
		o.Level = q.Level
		return engine.NewClassical(q.Variant, o)
	})
}

// close ends the engines.
func (w *worker) close() (err error) {
	for _, e := range []engine.Engine{w.tree.Engine, w.classical.Engine} {
		if e != nil {
			err = errors.Join(err, e.Close())
		}
	}
	return err
}

// analysis is the work on a turn of a query.
type analysis struct {
	*worker
	query  *Query
	pos    game.Position
	tell   func(*Answer) // is given answers on the way
	choice game.Move     // of a level
	lines  *proofLines   // of proofs; nil: none are wanted
}

// analyse returns the final answer to a turn of a query. When ctx ends it is what is known by then.
func (w *worker) analyse(ctx context.Context, q *Query, turn int, tell func(*Answer)) *Answer {
	a := &analysis{worker: w, query: q, pos: q.At(turn), tell: tell}
	none := &Answer{ID: q.ID, TurnNumber: turn, NoResults: true}
	if a.pos.Outcome() != game.Undecided {
		none.Outcome = outcome(a.pos)
		return none
	}
	if q.Bars.leaveNone(a.pos) {
		none.Code, none.Field = Invalid, q.Bars.field
		none.Error = fmt.Sprintf("%s leaves no legal move of %s", q.Bars.field, PlayerOf(a.pos.ToMove()))
		return none
	}
	final := &Answer{ID: q.ID, TurnNumber: turn}
	if err := a.run(ctx, final); err != nil {
		none.Code, none.Error = Failed, err.Error()
		return none
	}
	return final
}

// run has the engines think. The classical search is the first: it is soon done, and answers
// on the way of the tree search, which may go on for long, have its opinion beside theirs.
func (a *analysis) run(ctx context.Context, final *Answer) (err error) {
	q := a.query
	final.Endgame = endgame(a.opts.Tree.Endgames, a.pos, q.notation)
	if q.Threats {
		final.Threats = a.threats()
	}
	var mcts, alphaBeta *engine.Answer
	sofar := *final
	if q.Engine != MCTS {
		if alphaBeta, err = a.think(ctx, AlphaBeta, &sofar); err != nil {
			return err
		}
		a.choice = alphaBeta.Move
		a.certify(ctx, alphaBeta)
	}
	if q.Engine != AlphaBeta {
		if alphaBeta != nil {
			a.tellNow(&sofar, AlphaBeta, alphaBeta)
			sofar.AlphaBeta = a.opinion(AlphaBeta, alphaBeta)
		}
		if mcts, err = a.think(ctx, MCTS, &sofar); err != nil {
			return err
		}
	}
	a.lines = &proofLines{ctx: ctx, variant: q.Variant, calls: lineCalls}
	if mcts != nil {
		a.show(final, MCTS, mcts)
	}
	if alphaBeta != nil {
		a.show(final, AlphaBeta, alphaBeta)
	}
	if mcts != nil && alphaBeta != nil && mcts.Move != alphaBeta.Move && q.Bars.plies == 0 && ctx.Err() == nil {
		final.Verdict, err = a.verdict(ctx, mcts, alphaBeta)
	}
	return err
}

// think has an engine think; sofar is what answers on the way begin with. If a move in a game
// is wanted it plays the centre of an empty board, and before that what the book has.
func (a *analysis) think(ctx context.Context, name EngineName, sofar *Answer) (*engine.Answer, error) {
	q := a.query
	l := engine.Limits{
		Clock: engine.Clock{Turn: q.MaxTime}, Restrict: q.Bars.restriction(), Every: q.Every, Detail: true,
		Report: func(answer *engine.Answer) { a.tellNow(sofar, name, answer) },
	}
	find := a.forTree
	if l.Visits = int64(q.MaxVisits); name == AlphaBeta {
		find = a.forClassical
		l.Visits, l.Nodes, l.Depth, l.Lines, l.Seed = 0, int64(q.MaxNodes), q.MaxDepth, q.Lines, uint64(q.Seed)
	}
	if q.Every == 0 {
		l.Report = nil
	}
	e, err := find(q)
	if err != nil {
		return nil, err
	}
	if q.Play {
		e = engine.NewCentre(e, q.Variant)
	}
	if book := a.opts.Book; book != nil && q.UseBook && book.CoversGame(a.pos) {
		if q.Level != (engine.Level{}) {
			l.Lines = 0 // a level has lines of its own, of which it plays one
		}
		e, l.Seed = book.Before(e), uint64(q.Seed)
	}
	return e.Think(ctx, a.pos, l)
}

// certifyNodes bounds the solver that looks for a win by fours in the place of
// one that the classical search only claims.
const certifyNodes = 200_000

// certify makes a win that the classical search claims a proven one, where the
// solver finds one and it stands the replay. It may be another, shorter win.
func (a *analysis) certify(ctx context.Context, answer *engine.Answer) {
	if answer.Proof.Result != game.Won || !answer.Proof.Claimed {
		return
	}
	w, ok := a.query.Variant.Certify(ctx, a.pos, certifyNodes)
	if !ok || a.query.Bars.barred(0, a.pos.ToMove(), w.Line[0]) {
		return
	}
	proof := game.Proof{Result: game.Won, Plies: w.Plies}
	answer.Move, answer.Line, answer.Proof = w.Line[0], w.Line, proof
	won := engine.Opinion{Move: answer.Move, Value: 1}
	if i := slices.IndexFunc(answer.Moves, func(o engine.Opinion) bool { return o.Move == answer.Move }); i >= 0 {
		won = answer.Moves[i]
		answer.Moves = slices.Delete(answer.Moves, i, i+1)
	}
	won.Proof, won.Line = proof, w.Line
	answer.Moves = slices.Insert(answer.Moves, 0, won)
}

// verdict judges two answers that differ, in at most the time of a search; nil where that was
// cut short.
func (a *analysis) verdict(ctx context.Context, mcts, alphaBeta *engine.Answer) (*Verdict, error) {
	q := a.query
	if q.MaxTime > 0 {
		bounded, cancel := context.WithTimeout(ctx, q.MaxTime)
		defer cancel()
		ctx = a.opts.Searching(bounded)
	}
	judge := crosscheck.NewJudge(q.Variant, crosscheck.Engines{MCTS: a.tree.Engine, AlphaBeta: a.classical.Engine},
		crosscheck.Options{Playouts: q.MaxVisits, Nodes: q.MaxNodes})
	row, err := judge.Row(ctx, a.pos.Clone(), mcts, alphaBeta)
	switch {
	case ctx.Err() != nil:
		return nil, nil
	case err != nil:
		return nil, err
	}
	return NewVerdict(&row), nil
}

// tellNow tells what an engine knows on the way, if that is wanted.
func (a *analysis) tellNow(sofar *Answer, name EngineName, answer *engine.Answer) {
	if a.query.Every > 0 {
		now := *sofar
		now.IsDuringSearch = true
		a.show(&now, name, answer)
		a.tell(&now)
	}
}

// show puts what an engine says into an answer; the classical search's opinion
// stands beside that of the tree search, if there is one.
func (a *analysis) show(into *Answer, name EngineName, answer *engine.Answer) {
	opinion := a.opinion(name, answer)
	if name == AlphaBeta && into.Opinion != nil {
		into.AlphaBeta = opinion
		return
	}
	if a.query.Level != (engine.Level{}) && a.lines != nil {
		opinion.RootInfo.Choice = a.query.notation.FormatMove(a.choice)
	}
	into.Opinion = opinion
	if a.query.Policy && name == MCTS {
		into.Policy = a.policy(answer)
	}
}

// opinion shows what an engine answers.
func (a *analysis) opinion(name EngineName, answer *engine.Answer) *Opinion {
	stats := &answer.Stats
	o := &Opinion{MoveInfos: []MoveInfo{}, RootInfo: RootInfo{
		Engine: name, CurrentPlayer: PlayerOf(a.pos.ToMove()), ThisHash: fmt.Sprintf("%016X", a.pos.Hash()),
		Visits: stats.Visits, Rates: newRates(answer.RootValue, answer.Error), Book: answer.Book != "",
		Nodes: stats.Nodes, Evals: stats.Evals, Depth: stats.Depth, SelDepth: stats.SelDepth, MemoryFull: stats.Full,
	}}
	if name == MCTS {
		if net, err := a.nets.Net(a.query.Variant); err == nil { // it is open
			o.RootInfo.Model = net.Name
		}
		if !o.RootInfo.Book {
			raw := newRates(answer.NetValue, 0)
			o.RootInfo.RawWinrate = &raw.Winrate
		}
	}
	o.RootInfo.Proven, o.RootInfo.Claim = a.proofs(answer.Proof, answer.Line)
	for i := range answer.Moves {
		if m := &answer.Moves[i]; m.Judged() || m.Move == answer.Move {
			o.MoveInfos = append(o.MoveInfos, a.move(name, answer, m, len(o.MoveInfos)))
		}
	}
	return o
}

// move shows what an engine says of a move.
func (a *analysis) move(name EngineName, answer *engine.Answer, m *engine.Opinion, order int) MoveInfo {
	line := m.Line
	switch {
	case len(line) > 0:
	case m.Move == answer.Move:
		line = answer.Line
	default:
		line = []game.Move{m.Move}
	}
	q := a.query
	pv := line[:min(len(line), 1+q.PVLength)]
	info := MoveInfo{
		Move: q.notation.FormatMove(m.Move), Order: order, Visits: m.Visits, EdgeVisits: m.Visits,
		Rates: newRates(m.Value, m.Error), Prior: m.Prior, PV: game.Texts(q.notation, pv),
	}
	info.Proven, info.Claim = a.proofs(m.Proof, line)
	if name == AlphaBeta {
		info.Score, info.Depth = &m.Score, m.Depth
	} else if q.PVVisits {
		info.PVVisits = make([]int, len(pv))
		copy(info.PVVisits, m.LineVisits)
		info.PVEdgeVisits = info.PVVisits
	}
	return info
}

// proofs shows an end that is known, as proven or claimed. line is what is expected
// to lead there.
func (a *analysis) proofs(p game.Proof, line []game.Move) (proven, claim *Proof) {
	if p.Result == game.Unproven {
		return nil, nil
	}
	shown := NewProof(a.pos.ToMove(), p.Result, p.Plies)
	if p.Claimed {
		return nil, shown
	}
	if a.lines != nil {
		shown.Line = game.Texts(a.query.notation, a.lines.toTheEnd(a.pos, p, line))
	}
	return shown, nil
}

// policy returns what the network makes of the moves before any search: a number
// for each cell, row by row from the top, and one for passing, -1 for what cannot
// be played; of games whose moves are no cells, an object with a number for each
// move.
func (a *analysis) policy(answer *engine.Answer) any {
	columns := a.query.Variant.Columns()
	if columns == 0 {
		of := map[string]float32{}
		for _, m := range answer.Moves {
			of[a.query.notation.FormatMove(m.Move)] = m.Prior
		}
		return of
	}
	list := slices.Repeat([]float32{-1}, columns*columns+1)
	for _, m := range answer.Moves {
		x, y := int(m.Move)%columns, int(m.Move)/columns
		list[(columns-1-y)*columns+x] = m.Prior
	}
	return list
}

// threats shows the points that threaten and those that are forbidden.
func (a *analysis) threats() *Threats {
	n, rules := a.query.notation, a.query.Variant.Lines()
	of := rules.Threats(a.pos)
	both := func(points func(games.Threats) []game.Move) BySide {
		list := func(side game.Side) []string { return append([]string{}, game.Texts(n, points(of[side]))...) }
		return BySide{Black: list(game.First), White: list(game.Second)}
	}
	return &Threats{
		Forbidden: forbidden(rules, a.pos, n),
		Fives:     both(func(t games.Threats) []game.Move { return t.Fives }),
		Fours:     both(func(t games.Threats) []game.Move { return t.Fours }),
		OpenFours: both(func(t games.Threats) []game.Move { return t.OpenFours }),
	}
}

// forbidden shows the points that the side to move may not play.
func forbidden(rules *games.Lines, pos game.Position, n game.Notation) []Forbidden {
	list := []Forbidden{}
	for _, f := range rules.Forbidden(pos) {
		list = append(list, Forbidden{Point: n.FormatMove(f.Move), Kinds: append([]string{}, f.Reasons...)})
	}
	return list
}

// proofLines finds lines to the end of a game that is proven. It belongs to one
// goroutine and one answer.
type proofLines struct {
	ctx     context.Context
	variant games.Variant
	prover  *games.Prover // nil: it was not needed so far, or the game has none
	calls   int           // of the prover, that are left
}

// Bounds of proofLines. Every move of a list may be proven: the lines of the first
// have to do.
const (
	lineNodes = 10_000 // moves that the prover plays a call
	lineAsked = 500    // answers that its replay may take
	lineCalls = 3
)

// toTheEnd returns a line from pos to the end of the game that p names, nil if none
// is found. It follows line as far as that goes; from there the winner plays what
// the prover sees, and the loser what does not lose at once.
func (l *proofLines) toTheEnd(pos game.Position, p game.Proof, line []game.Move) (whole []game.Move) {
	want, pos := p.Result.Winner(pos.ToMove()), pos.Clone()
	for pos.Outcome() == game.Undecided {
		next := l.next(pos, want, line[min(len(whole), len(line)):])
		if len(next) == 0 {
			return nil
		}
		for _, m := range next {
			if pos.Outcome() != game.Undecided || !pos.Legal(m) {
				return nil
			}
			pos.Play(m)
		}
		whole = append(whole, next...)
	}
	if pos.Outcome() != want {
		return nil
	}
	return whole
}

// next returns the next move or moves of a line on the way to an end, of which rest
// are those that are known.
func (l *proofLines) next(pos game.Position, want game.Outcome, rest []game.Move) []game.Move {
	switch {
	case len(rest) > 1 || want == game.Draw:
		return rest[:min(1, len(rest))]
	case want == game.WinFor(pos.ToMove()):
		if win := l.win(pos); win != nil && (len(rest) == 0 || win[0] == rest[0]) {
			return win
		}
		return rest
	case len(rest) == 1:
		return rest
	}
	return stubborn(pos)
}

// stubborn returns a reply after which the other side cannot win at once, if there
// is one.
func stubborn(pos game.Position) []game.Move {
	moves := pos.Moves(nil)
	for i, m := range moves {
		pos.Play(m)
		lost := pos.Outcome() == game.WinFor(pos.ToMove()) || pos.Outcome() == game.Undecided && len(pos.Wins(nil)) > 0
		pos.Undo()
		if !lost {
			return moves[i : i+1]
		}
	}
	return moves[:min(1, len(moves))]
}

// win returns a forced win of the side to move.
func (l *proofLines) win(pos game.Position) []game.Move {
	if wins := pos.Wins(nil); len(wins) > 0 || l.calls == 0 {
		return wins[:min(1, len(wins))]
	}
	if l.prover == nil {
		l.prover = l.variant.Prover(0)
	}
	if l.calls--; l.prover == nil {
		return nil
	}
	w, ok := l.prover.Find(l.ctx, pos, vcf.ProofLimits{Nodes: lineNodes, Asked: lineAsked}, vcf.VCF, vcf.VCT)
	if !ok {
		return nil
	}
	return w.Line
}

// endgame returns what endgames say of a position, nil if they do not have it. nil
// endgames have none.
func endgame(of games.Endgames, pos game.Position, n game.Notation) *Endgame {
	if of == nil || pos.Outcome() != game.Undecided || of.Covers(pos) != nil {
		return nil
	}
	result, plies := of.Probe(pos)
	if result == game.Unproven {
		return nil // it could not be read
	}
	e := &Endgame{Proof: *NewProof(pos.ToMove(), result, plies)}
	e.Line = game.Texts(n, games.BestLine(of, pos))
	ranks := map[string]int{}
	for _, m := range pos.Moves(nil) {
		result, plies := games.After(of, pos, m)
		move := EndgameMove{Move: n.FormatMove(m), Result: result.String(), Plies: plies}
		e.Moves = append(e.Moves, move)
		ranks[move.Move] = games.EndgameRank(result, plies)
	}
	slices.SortStableFunc(e.Moves, func(a, b EndgameMove) int { return ranks[b.Move] - ranks[a.Move] })
	return e
}
