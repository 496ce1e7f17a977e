package analysis

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
)

// Openings are random moves after which the game is about even, found as those of
// matches are.

// Opening is one of the answers to query_opening.
type Opening struct {
	Moves []string `json:"moves"`
	Value float32  `json:"value"` // of the position after them, in -1..1
}

// openingQuery is what query_opening asks for.
type openingQuery struct {
	query     *Query
	seed      int64
	count     int
	plies     [2]int // least and most
	tolerance float64
}

// Bounds and defaults of query_opening. So the search of one balance plays as many
// moves as that of a match's opening, and of all of them at most some ten million.
const (
	mostOpenings     = 64
	mostOpeningPlies = 16
	openingTries     = 20
	usualTolerance   = 0.3
)

// queryOpening asks for balanced openings that go on from the end of a game.
func (c *Client) queryOpening(id string, f *fields, size int) {
	q := &Query{Perspective: c.service.opts.WinratesAs}
	if q.readGame(f, &c.service.opts); f.wrong != nil {
		return
	}
	o := openingQuery{query: q, seed: int64(c.service.opts.Seed), count: 1, plies: [2]int{2, 6}, tolerance: usualTolerance}
	whole(f, "seed", 0, mostSeed, &o.seed)
	whole(f, "count", 1, mostOpenings, &o.count)
	f.decimal("tolerance", "number", 0, 1, &o.tolerance)
	plies := f.wholes("plies", 0, mostOpeningPlies)
	switch {
	case !f.has("plies") || f.wrong != nil:
	case len(plies) != 2 || plies[0] > plies[1]:
		f.fail("plies", "want the least and the most moves of an opening, as in [2,6]")
	default:
		o.plies = [2]int{int(plies[0]), int(plies[1])}
	}
	if f.wrong == nil && q.At(len(q.Moves)).Outcome() != game.Undecided {
		f.fail("moves", "the game is over: no opening goes on from there")
	}
	if f.wrong == nil {
		c.enqueue(id, QueryOpening, f, q, size, o.find)
	}
}

// find finds the openings, each once, as far as there are so many. When ctx ends it
// returns those that it has.
func (o *openingQuery) find(ctx context.Context, _ *engines) (map[string]any, error) {
	q := o.query
	balance, err := players.ClassicalBalance(q.Variant)
	if err != nil {
		return nil, err
	}
	start := q.At(len(q.Moves))
	found := []Opening{}
	var last error
	seen := map[string]bool{}
	for try := 0; len(found) < o.count && try < 4*o.count && ctx.Err() == nil; try++ {
		rng := rand.New(rand.NewPCG(uint64(o.seed), uint64(try)))
		random := arena.RandomOpenings{
			Start: start, Plies: o.plies[0] + rng.IntN(o.plies[1]-o.plies[0]+1), Seed: uint64(o.seed),
			Balance: balance, Tolerance: max(o.tolerance, 1e-9), Tries: openingTries, Candidates: q.Variant.Candidates(),
		}
		moves, err := random.Opening(ctx, try)
		if err != nil {
			last = err
			continue
		}
		opening, err := o.judge(ctx, balance, start.Clone(), moves)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if err != nil {
			break
		}
		if key := fmt.Sprint(opening.Moves); !seen[key] {
			seen[key] = true
			found = append(found, opening)
		}
	}
	switch {
	case len(found) > 0:
	case ctx.Err() != nil:
		return nil, nil
	case last != nil:
		return nil, fmt.Errorf("no opening of %d to %d moves leaves the game open: want fewer moves", o.plies[0], o.plies[1])
	}
	return map[string]any{"openings": found}, nil
}

// judge shows an opening with its value.
func (o *openingQuery) judge(
	ctx context.Context, balance arena.Balance, pos game.Position, moves []game.Move,
) (Opening, error) {
	q := o.query
	shown := Opening{Moves: game.Texts(q.notation, moves)}
	for _, m := range moves {
		pos.Play(m)
	}
	value, err := balance(ctx, pos)
	if q.Perspective.flips(pos.ToMove()) {
		value = 0 - value
	}
	shown.Value = finite(float32(value))
	return shown, err
}

// queryBook answers an action's question about what the book says of a turn of a game.
func (c *Client) queryBook(f *fields) {
	o := &c.service.opts
	q := &Query{}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	turn := len(q.Moves)
	if whole(f, "turnNumber", 0, int64(len(q.Moves)), &turn); f.wrong != nil {
		return
	}
	if o.Book == nil {
		f.failAs(Failed, "action", "no book is open: start the program with --book FILE")
		return
	}
	v, err := o.Book.Look(q.At(turn), q.notation)
	if err != nil {
		f.failAs(Failed, "", "book %s: %v", o.Book.Path(), err)
		return
	}
	f.of["book"] = encoded(v)
}

// Certificate is what query_certificate adds: a proof that a side wins from a turn's
// position, which anybody can check who knows the rules.
type Certificate struct {
	Winner string `json:"winner"` // "B" or "W"
	Plies  int    `json:"plies"`  // to the end of the game at most
	Nodes  int    `json:"nodes"`  // moves of the winner
	SHA256 string `json:"sha256"`
	File   []byte `json:"file"` // as "certificate check" reads it
}

// certificateQuery is what query_certificate asks for.
type certificateQuery struct {
	pos     game.Position
	winners []game.Side // who may win, the likelier one first
	query   *Query
}

// queryCertificate asks for the certificate of a won or lost turn of a game.
func (c *Client) queryCertificate(id string, f *fields, size int) {
	o := &c.service.opts
	q := &Query{MaxNodes: min(games.CertifyNodes, o.Limits.Nodes)}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	turn, winner := len(q.Moves), ""
	whole(f, "turnNumber", 0, int64(len(q.Moves)), &turn)
	whole(f, "maxNodes", option.Nodes.Min, int64(o.Limits.Nodes), &q.MaxNodes)
	f.text("winner", &winner)
	if f.wrong != nil {
		return
	}
	s := certificateQuery{pos: q.At(turn), query: q}
	side, ok := parsePlayer(winner)
	switch {
	case s.pos.Outcome() != game.Undecided:
		f.fail("turnNumber", "the game is over there: nothing is left to prove")
	case q.Variant.Proofs() == nil:
		f.fail("game", "there are no certificates of %s", q.Variant.Game)
	case ok:
		s.winners = []game.Side{side}
	case f.has("winner"):
		f.fail("winner", "unknown player %s: want B or W", shown(winner))
	default:
		s.winners = []game.Side{s.pos.ToMove(), s.pos.ToMove().Other()}
	}
	if f.wrong == nil {
		c.enqueue(id, QueryCertificate, f, q, size, s.find)
	}
}

// find looks for the certificate.
func (s *certificateQuery) find(ctx context.Context, _ *engines) (map[string]any, error) {
	for _, winner := range s.winners {
		data, err := s.query.Variant.WinCertificate(ctx, s.pos.Clone(), winner, s.query.MaxNodes)
		switch {
		case ctx.Err() != nil:
			return nil, nil
		case errors.Is(err, games.ErrUncertified):
			continue
		case err != nil:
			return nil, err
		}
		facts, err := games.CheckCertificate(ctx, data)
		if err != nil {
			return nil, err
		}
		return map[string]any{"certificate": Certificate{
			Winner: PlayerOf(winner), Plies: facts.Plies, Nodes: facts.Nodes,
			SHA256: hex.EncodeToString(facts.Digest), File: data,
		}}, nil
	}
	return nil, fmt.Errorf("no certificate was found within %d moves; more maxNodes may find one", s.query.MaxNodes)
}

// bars are the moves that a query keeps the search from. The zero value bars none.
type bars struct {
	field string // avoidMoves or allowMoves
	plies int    // of the deepest
	until [2]map[game.Move]int
	rest  [2]int // for moves that until does not have
}

// barred reports whether a move may not be looked at.
func (b *bars) barred(ply int, side game.Side, m game.Move) bool {
	until, ok := b.until[side][m]
	if !ok {
		until = b.rest[side]
	}
	return ply < until
}

// restriction returns the bars of the query; nil for none.
func (q *Query) restriction() *engine.Restriction {
	if !q.Restricted() {
		return nil
	}
	return &engine.Restriction{Plies: q.Bars.plies, Barred: q.Bars.barred}
}

// mostDepth bounds untilDepth, as KataGo does.
const mostDepth = 1_000_000_000

// searchedDepth is deeper than any search looks.
const searchedDepth = 1 << 20

// readBars reads avoidMoves or allowMoves.
func readBars(f *fields, q *Query) (b bars) {
	avoid, allow := f.has("avoidMoves"), f.has("allowMoves")
	switch {
	case avoid && allow:
		f.fail("allowMoves", "allowMoves and avoidMoves exclude each other: leave one of them out")
		return b
	case allow:
		b.field = "allowMoves"
	case avoid:
		b.field = "avoidMoves"
	default:
		return b
	}
	b.until = [2]map[game.Move]int{{}, {}}
	list := f.list(b.field, "objects with player, moves and untilDepth")
	if allow && len(list) > 2 {
		f.fail(b.field, "%d entries: want one a player at most", len(list))
		return b
	}
	var seen [2]bool
	for i, raw := range list {
		side, ok := b.readEntry(f, q, raw, i)
		if !ok {
			return b
		}
		if allow && seen[side] {
			f.fail(entry(b.field, i), "entry %d: there is one for %s already", i+1, PlayerOf(side))
		}
		seen[side] = true
	}
	return b
}

// readEntry reads an entry of avoidMoves or allowMoves.
func (b *bars) readEntry(f *fields, q *Query, raw json.RawMessage, i int) (game.Side, bool) {
	path, at := entry(b.field, i), fmt.Sprintf("entry %d", i+1)
	object, ok := isObject(raw)
	e := &fields{of: object}
	var name string
	depth := int64(-1)
	e.text("player", &name)
	whole(e, "untilDepth", 1, mostDepth, &depth)
	moves := e.list("moves", "moves")
	side, isPlayer := parsePlayer(name)
	switch {
	case !ok || !e.has("player") || !e.has("moves") || !e.has("untilDepth"):
		f.fail(path, "%s: want an object with player, moves and untilDepth", at)
	case e.wrong != nil:
		f.fail(member(path, e.wrong.Field), "%s: %s: %s", at, e.wrong.Field, e.wrong.Error)
	case !isPlayer:
		f.fail(member(path, "player"), "%s: unknown player %s: want B or W", at, shown(name))
	}
	if f.wrong != nil {
		return side, false
	}
	until := int(min(depth, searchedDepth))
	b.plies = max(b.plies, until)
	if b.field == "allowMoves" {
		b.rest[side] = until
	}
	for k, raw := range moves {
		move := entry(member(path, "moves"), k)
		var text string
		if !isText(raw, &text) {
			f.fail(move, "%s: want a move, found %s", at, found(raw))
			return side, false
		}
		if text == "pass" && q.Variant.Columns() > 0 {
			continue // there is none to bar
		}
		m, err := parseMove(q.notation, text)
		if err != nil {
			f.fail(move, "%s: %v", at, err)
			return side, false
		}
		if b.field == "allowMoves" {
			b.until[side][m] = 0
			continue
		}
		b.until[side][m] = max(b.until[side][m], until)
	}
	return side, true
}

// leaveNone reports whether all moves of a position are barred.
func (b *bars) leaveNone(pos game.Position) bool {
	if b.plies == 0 {
		return false
	}
	for _, m := range pos.Moves(nil) {
		if !b.barred(0, pos.ToMove(), m) {
			return false
		}
	}
	return true
}

// symmetries are the maps of moves under which a position stays what it is, the
// identity left out.
type symmetries []func(game.Move) game.Move

// first returns the least of the moves that are like m, m among them.
func (s symmetries) first(m game.Move) game.Move {
	least := m
	for _, f := range s {
		least = min(least, f(m))
	}
	return least
}

// images returns the moves that are like m, m the first of them, and beside each the map that
// leads to it, nil for m.
func (s symmetries) images(m game.Move) (like []game.Move, by symmetries) {
	like, by = []game.Move{m}, symmetries{nil}
	for _, f := range s {
		if to := f(m); !slices.Contains(like, to) {
			like, by = append(like, to), append(by, f)
		}
	}
	return like, by
}

// pruned is an engine that looks at one of each set of moves that are alike. What plays
// before it searches may play any of them.
type pruned struct {
	engine.Engine
	alike symmetries // of the position that it thinks about
}

// Think implements [engine.Engine]. Where moves are barred already, no others are.
func (p pruned) Think(ctx context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	if l.Restrict == nil {
		l.Restrict = &engine.Restriction{Plies: 1,
			Barred: func(ply int, _ game.Side, m game.Move) bool { return ply == 0 && p.alike.first(m) != m }}
	}
	return p.Engine.Think(ctx, pos, l)
}

// share returns by what the prior of a move that was looked at is multiplied, so that the
// priors of all moves, those alike included, sum to what they do in the answer.
func (s symmetries) share(a *engine.Answer) float32 {
	looked, all := float32(0), float32(0)
	for i := range a.Moves {
		p := finite(a.Moves[i].Prior)
		like, _ := s.images(a.Moves[i].Move)
		looked += p
		all += float32(p * float32(len(like)))
	}
	if all == 0 {
		return 1
	}
	return looked / all
}

// unfold puts behind every move, of which only the first of those alike were
// looked at, the others, with all that was found copied and turned.
func (s symmetries) unfold(list []MoveInfo, moves []game.Move, lines [][]game.Move, n game.Notation) []MoveInfo {
	if len(s) == 0 {
		return list
	}
	var all []MoveInfo
	for i, info := range list {
		info.Order = len(all)
		all = append(all, info)
		images, by := s.images(moves[i])
		for k, m := range images[1:] {
			f := by[1+k]
			like := info
			like.Move, like.IsSymmetryOf, like.Order = n.FormatMove(m), info.Move, len(all)
			like.PV = nil
			for _, next := range lines[i] {
				like.PV = append(like.PV, n.FormatMove(f(next)))
			}
			if like.Proven != nil {
				proof := *like.Proven
				proof.Line = nil // it is the other move's
				like.Proven = &proof
			}
			all = append(all, like)
		}
	}
	return all
}

// After the answer to a query with Ponder, the worker that has searched goes on about the
// position after its move, until its client asks for the next move, which that worker then
// gets, leaves or terminates the query, until another task needs the worker, or until
// Limits.Ponder is over. So there are never more searches at once than workers, and who
// ponders keeps nobody waiting.

// afterthought is what an answer has left to ponder on.
type afterthought struct {
	engine engine.Engine
	pos    game.Position
}

// pondering is a worker that ponders, or is about to. It belongs to the service's lock.
type pondering struct {
	task  *task              // that was answered
	ctx   context.Context    // of the service
	stop  context.CancelFunc // nil: it has not begun
	ended bool

	next      *task // of the same client; nil: none came
	searching context.Context
}

// end has the pondering end at once, also before it has begun.
func (p *pondering) end() {
	p.ended = true
	if p.stop != nil {
		p.stop()
	}
}

// ponder thinks on after the answer to a task, if [Service.finish] has settled that. It
// returns the task that is to follow at once, with the context of its search; nil for none.
func (s *Service) ponder(ctx context.Context, e *engines, t *task) (next *task, searching context.Context) {
	thinking, stop := context.WithTimeout(ctx, s.opts.Limits.Ponder)
	defer stop()
	s.mu.Lock()
	i := slices.IndexFunc(s.ponders, func(p *pondering) bool { return p.task == t })
	if i < 0 {
		s.mu.Unlock()
		return nil, nil
	}
	p := s.ponders[i]
	if p.stop = stop; p.ended {
		stop()
	}
	s.mu.Unlock()
	e.thinkOn(thinking)
	s.mu.Lock()
	defer s.mu.Unlock()
	s.ponders = slices.DeleteFunc(s.ponders, func(q *pondering) bool { return q == p })
	return p.next, p.searching
}

// thinkOn ponders until ctx ends, also where nothing is left to find out: so the engine
// stays its client's. A panic of the engine is for the next task to tell of.
func (e *engines) thinkOn(ctx context.Context) {
	defer func() {
		if recover() != nil {
			e.drop()
		}
	}()
	if ctx.Err() == nil {
		e.after.engine.Ponder(ctx, e.after.pos)
	}
	<-ctx.Done()
}

// handOver gives a task of a game to the worker that ponders on that game, and reports
// whether there is one.
func (s *Service) handOver(t *task) bool {
	for _, p := range s.ponders {
		if p.task.client == t.client && t.query.Ponder && !p.ended {
			s.queue.began(t.client)
			p.next, p.searching = t, t.begin(p.ctx)
			p.end()
			return true
		}
	}
	return false
}

// interrupt ends as many ponderings as tasks wait beside those that idle workers take, those
// of the client c first, and then the oldest.
func (s *Service) interrupt(c *Client) {
	more := s.queue.waiting() - s.idle
	for _, p := range s.ponders {
		if p.ended && p.next == nil {
			more-- // it is about to be idle
		}
	}
	for _, own := range []bool{true, false} {
		for _, p := range s.ponders {
			if more > 0 && !p.ended && own == (p.task.client == c) {
				p.end()
				more--
			}
		}
	}
}
