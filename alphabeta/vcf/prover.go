package vcf

import (
	"context"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// DefaultProverNodes is the budget of a Prover that is given none.
const DefaultProverNodes = 500

// Prover proves wins by continuous fours for a search that knows nothing of
// gomoku. It belongs to one goroutine. Its results are a pure function of the
// position.
type Prover struct {
	solver *Solver
	nodes  int
}

// NewProver returns a prover that plays at most nodes moves a position,
// DefaultProverNodes if nodes is not positive.
func NewProver(nodes int, o Options) *Prover {
	if nodes <= 0 {
		nodes = DefaultProverNodes
	}
	return &Prover{solver: New(o), nodes: nodes}
}

// Prove reports whether the side to move wins by continuous fours, and with
// which move and in how many plies. It knows *pattern.Board, and
// *gomoku.Board, for which it allocates a pattern.Board if there is anything
// to attack with; other positions have no proof. The position is the same
// afterwards.
func (p *Prover) Prove(pos game.Position) (m game.Move, plies int, ok bool) {
	var b *pattern.Board
	switch pos := pos.(type) {
	case *pattern.Board:
		b = pos
	case *gomoku.Board:
		if pos.Outcome() != game.Undecided {
			return game.NoMove, 0, false
		}
		b = pattern.FromBoard(pos)
	default:
		return game.NoMove, 0, false
	}
	r := p.solver.Decide(context.Background(), b, VCF, p.nodes)
	if r.Outcome != Win {
		return game.NoMove, 0, false
	}
	return r.Line[0], r.Plies, true
}

// prove decides the root by depth-first proof-number search, and returns the
// number of attacking moves of the win that it found.
func (s *Solver) prove() (moves int, o Outcome) {
	n, wins := s.attackFrom(s.key(), alphabeta.Unbounded)
	switch {
	case n.PN == 0:
		return int(wins), Win
	case n.DN == 0 && s.kind != Quiet: // whose searches for fours are cut short
		return 0, None
	}
	return 0, Unknown
}

// attackFrom searches the position, the attacker to move, until its numbers
// reach the thresholds or it is decided. Key is that of the position. With a
// win, wins is the number of attacking moves that were found to suffice, and
// s.best the first.
func (s *Solver) attackFrom(key [2]uint64, th numbers) (n numbers, wins uint8) {
	switch e := s.table.find(key); {
	case e != nil && e.wins != noDepth && e.move != game.NoMove:
		s.best = e.move
		return alphabeta.Proven, e.wins
	case e == nil || e.PN == 0:
		if moves := s.winsAtOnce(); moves > 0 {
			s.table.storeWin(key, moves, s.best)
			return alphabeta.Proven, uint8(moves)
		}
		if s.stopped {
			return alphabeta.Open, 0
		}
	}
	from := len(s.edges)
	s.listAttacks(key)
	n, wins = s.attackBelow(key, from, th)
	s.edges = s.edges[:from]
	return n, wins
}

// listAttacks puts the attacking moves of the position on the list of edges, with one edge
// that stands for quiet moves.
func (s *Solver) listAttacks(key [2]uint64) {
	mark, advised := len(s.stack), s.advice(key)
	s.candidates(maxMoves)
	if advised != game.NoMove && !slices.Contains(s.stack[mark:], advised) {
		s.stack = append(s.stack, advised)
	}
	s.pushAttacks(mark, advised)
	if s.kind == Quiet && s.board.Count(s.defend, pattern.Five) == 0 {
		s.edges = append(s.edges, edge{move: game.NoMove, numbers: quietPromise, cost: quietCost + unadvised(advised)})
	}
}

// winsAtOnce returns the number of moves of a win at once or of one by fours
// that is found with a few nodes, its first in s.best; 0 if there is none.
func (s *Solver) winsAtOnce() (moves int) {
	if m := s.winning(); m != game.NoMove {
		s.best = m
		return 1
	}
	best := s.best
	moves, v := s.byFours(leafFours, maxMoves)
	if v != won {
		s.best = best
		return 0
	}
	return moves
}

// leafFours is how many moves are played to look for a win by fours in a
// position that is searched for the first time.
const leafFours = 20

// fourSalt tells what the table knows of wins by fours alone from what it knows
// of wins by threes.
const fourSalt = 0x9e3779b97f4a7c15

// byFours is dive for wins by fours, in a search for threes, with at most nodes
// nodes.
func (s *Solver) byFours(nodes, limit int) (moves int, v verdict) {
	kind, budget, salt := s.kind, s.budget, s.salt
	s.kind, s.salt, s.budget = VCF, fourSalt, min(budget, s.nodes+nodes)
	moves, v = s.dive(limit)
	s.kind, s.salt, s.budget = kind, salt, budget
	if s.nodes < budget {
		s.stopped = false
	}
	return moves, v
}

// pushEdge puts a move with what the table knows of the position after it on
// the list of edges, n if that is nothing.
func (s *Solver) pushEdge(m game.Move, n numbers) {
	key := s.board.Board().KeyAfter(m)
	key[0] ^= s.salt
	e := edge{key: key, move: m, numbers: n}
	if known := s.table.find(key); known != nil {
		switch {
		case known.wins != noDepth:
			e.numbers, e.wins = alphabeta.Proven, known.wins
		case known.fails == noDepth:
			e.numbers = alphabeta.Disproven
		case known.PN > 0:
			e.numbers = known.numbers
		}
	}
	s.edges = append(s.edges, e)
}

// promise returns the numbers of an attacking move that was never tried.
func (s *Solver) promise(m game.Move) numbers {
	switch class := s.board.LineClass(int(m), s.attack); {
	case class == pattern.Four, class == pattern.Three, class == pattern.DoubleThree:
		return numbers{PN: 2, DN: 1}
	case class.Fours():
		return alphabeta.Open
	case s.kind == Quiet && class <= pattern.DoubleTwo:
		return quietPromise
	case s.kind == Quiet:
		return numbers{PN: quietPromise.PN - 1, DN: 1}
	}
	return numbers{PN: 3, DN: 1}
}

// pushAttacks moves the attacking moves on the stack, those from index from on, to the
// list of edges; advised is the adviser's, NoMove for none.
func (s *Solver) pushAttacks(from int, advised game.Move) {
	for _, m := range s.stack[from:] {
		s.pushEdge(m, s.promise(m))
		if s.kind == Quiet && m != advised {
			s.edges[len(s.edges)-1].cost = s.cost(m) + unadvised(advised)
		}
	}
	s.stack = s.stack[:from]
}

// attackBelow is attackFrom for a position whose edges are on the list from index
// from on.
func (s *Solver) attackBelow(key [2]uint64, from int, th numbers) (numbers, uint8) {
	due := s.adviceDue(key, from)
	for {
		if s.nodes >= due.at && !s.stopped {
			due = s.advise(key, due.nodes)
			s.edges = s.edges[:from]
			s.listAttacks(key)
		}
		c := s.attacking(from)
		switch {
		case c.PN == 0:
			e := &s.edges[c.Best]
			s.best = e.move
			s.table.storeWin(key, int(e.wins), e.move)
			return alphabeta.Proven, e.wins
		case s.left(key, c.ProofNumbers, th):
			return c.ProofNumbers, 0
		}
		e := s.edges[c.Best]
		if e.move == game.NoMove {
			s.pushQuiet(c.Best, s.advice(key))
			continue
		}
		below := c.Thresholds(th, e.numbers)
		below.PN -= min(below.PN-1, uint32(e.cost))
		e.numbers, e.wins = s.tryEdge(e, below)
		s.edges[c.Best] = e
	}
}

// left reports whether the search leaves a position that is not won, of the numbers
// n: it is lost, time is up, or a threshold is reached. It writes down what is known.
func (s *Solver) left(key [2]uint64, n, th numbers) bool {
	switch {
	case n.DN == 0:
		s.table.storeFail(key, noDepth)
	case s.stopped:
	case n.Reached(th):
		s.table.storeNumbers(key, n)
	default:
		return false
	}
	return true
}

// tryEdge searches the position after the attacking move of e to the
// thresholds. With a win, wins counts that move too.
func (s *Solver) tryEdge(e edge, th numbers) (n numbers, wins uint8) {
	from, mark := len(s.edges), len(s.stack)
	var near pattern.Set
	need, played := s.threaten(e.move, &near)
	if !played {
		return e.numbers, 0
	}
	switch {
	case s.stopped:
		n = e.numbers
	case need == noThreat:
		s.table.storeFail(e.key, noDepth)
		n = alphabeta.Disproven
	default:
		s.pushDefences(mark)
		n, wins = s.defendBelow(e.key, from, uint8(need), th, &near)
	}
	s.edges, s.stack = s.edges[:from], s.stack[:mark]
	s.board.Undo()
	return n, wins
}

// pushDefences moves the defences on the stack, those from index from on, to the
// list of edges.
func (s *Solver) pushDefences(from int) {
	for _, p := range s.stack[from:] {
		s.pushEdge(p, alphabeta.Open)
	}
	s.stack = s.stack[:from]
}

// threaten plays the attacking move m, if the budget allows it, and does the
// work of listDefences. What it returns is of no use if the search was stopped on the
// way. If near is not empty afterwards, listFarDefences has more.
func (s *Solver) threaten(m game.Move, near *pattern.Set) (need int, played bool) {
	five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
	three := s.captures && s.mayBeThree(m)
	if !s.play(m) {
		return noThreat, false
	}
	need = s.listDefences(five)
	if need == noThreat && three && s.board.Outcome() == game.Undecided && !s.stopped {
		need = s.captureThree(near)
	}
	if need == noThreat && s.kind == Quiet && s.board.Outcome() == game.Undecided && !s.stopped {
		need = s.quietThreat(near)
	}
	return need, true
}

// defendBelow searches the position after an attacking move, which needs need moves
// against a pass; the defences are on the list of edges from index from on,
// but for those of listFarDefences unless near is empty.
func (s *Solver) defendBelow(key [2]uint64, from int, need uint8, th numbers, near *pattern.Set) (numbers, uint8) {
	for {
		c, after := s.defending(from)
		if c.DN == 0 && !near.Empty() {
			mark := len(s.stack)
			s.listFarDefences(near, int(need))
			s.pushDefences(mark)
			if s.stopped {
				return alphabeta.Open, 0
			}
			*near = pattern.Set{}
			continue
		}
		switch {
		case c.DN == 0:
			wins := min(max(need, after+1), noDepth-1)
			s.table.storeWin(key, int(wins), game.NoMove)
			return alphabeta.Proven, wins
		case s.left(key, c.ProofNumbers.Turned(), th):
			return c.ProofNumbers.Turned(), 0
		}
		e := s.edges[c.Best]
		e.numbers, e.wins = s.after(e, c.Thresholds(th.Turned(), e.Turned()).Turned())
		s.edges[c.Best] = e
	}
}

// after searches the position after the reply of e to the thresholds.
func (s *Solver) after(e edge, th numbers) (n numbers, wins uint8) {
	if !s.play(e.move) {
		return e.numbers, 0
	}
	switch s.board.Outcome() {
	case game.Undecided:
		n, wins = s.attackFrom(e.key, th)
	case game.WinFor(s.attack):
		n = alphabeta.Proven
	default:
		n = alphabeta.Disproven
	}
	s.board.Undo()
	return n, wins
}

// trace returns the line of the win within depth moves that findWin has just
// found: shortest wins against the replies that hold out longest. It finds them
// again with the help of the table, under a budget as large as the first; when
// that is spent, the line stays short. The first move is always there.
func (s *Solver) trace(depth int) []game.Move {
	s.budget += s.nodes
	s.line = append(s.line, s.best)
	played := 0
	for depth > 1 {
		m := s.line[len(s.line)-1]
		five := s.captures && s.board.Cells(s.attack, pattern.Five).Has(int(m))
		if !s.play(m) {
			break
		}
		played++
		p, next := s.longest(five, depth-1)
		if p == game.NoMove || !s.play(p) {
			break
		}
		played++
		if s.search(next) != won {
			break
		}
		s.line = append(s.line, p, s.best)
		depth = next
	}
	for range played {
		s.board.Undo()
	}
	return s.line
}

// longest returns the reply to the attacking move just played that holds out
// longest, and for how many moves of the attacker, at most limit; NoMove if the
// budget does not last.
func (s *Solver) longest(five bool, limit int) (reply game.Move, depth int) {
	from := len(s.stack)
	s.listDefences(five)
	if len(s.stack) == from {
		s.stack = append(s.stack, s.idle())
	}
	reply = game.NoMove
	for i, end := from, len(s.stack); i < end && !s.stopped; i++ {
		p := s.stack[i]
		if d := s.distance(p, limit); d > depth {
			reply, depth = p, d
		}
	}
	s.stack = s.stack[:from]
	if s.stopped {
		return game.NoMove, 0
	}
	return reply, depth
}

// idle returns a legal reply where none is a defence: on a completing cell if the
// defender may play there.
func (s *Solver) idle() game.Move {
	b := s.board
	cells := b.Cells(s.attack, pattern.Five)
	for c := cells.Next(0); c >= 0; c = cells.Next(c + 1) {
		if b.Legal(game.Move(c)) {
			return game.Move(c)
		}
	}
	c := 0
	for !b.Legal(game.Move(c)) {
		c++
	}
	return game.Move(c)
}

// distance returns the number of moves that the attacker needs after the reply
// p, 0 if it is more than limit or the game is over.
func (s *Solver) distance(p game.Move, limit int) int {
	if !s.play(p) {
		return 0
	}
	found := 0
	for d := 1; d <= limit && s.board.Outcome() == game.Undecided; d++ {
		if s.search(d) == won {
			found = d
			break
		}
	}
	s.board.Undo()
	return found
}
