package pn

import (
	"context"
	"slices"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// pairer looks for pairings on boards of one size. The side to move is held by one if
// every line of five that it could yet win by has both cells of a pair: whatever it takes
// of a pair, the other side takes the other cell.
type pairer struct {
	size  int
	lines []fiveLine

	open  []int // indices of lines that are not covered yet
	used  []bool
	tried int
}

// fiveLine is five cells in a row, with those behind its ends, -1 beyond the edge.
type fiveLine struct {
	cells [5]int
	ends  [2]int
}

// mostPairings is how many pairs a search for a pairing tries.
const mostPairings = 300

func newPairer(size int) *pairer {
	p := &pairer{size: size, used: make([]bool, size*size)}
	at := func(x, y int) int {
		if x < 0 || y < 0 || x >= size || y >= size {
			return -1
		}
		return y*size + x
	}
	for _, d := range [][2]int{{1, 0}, {0, 1}, {1, 1}, {-1, 1}} {
		for y := range size {
			for x := range size {
				var l fiveLine
				for k := range l.cells {
					l.cells[k] = at(x+k*d[0], y+k*d[1])
				}
				if l.cells[4] >= 0 {
					l.ends = [2]int{at(x-d[0], y-d[1]), at(x+5*d[0], y+5*d[1])}
					p.lines = append(p.lines, l)
				}
			}
		}
	}
	return p
}

// find returns the pairs that hold the side to move on b, two and two in ascending order.
// ok is false if none were found, and where a pairing proves nothing.
func (p *pairer) find(b *gomoku.Board) (pairs []game.Move, ok bool) {
	r, holds := b.Rules(), b.ToMove().Other()
	if r.Captures {
		return nil, false
	}
	p.open = p.open[:0]
	for i := range p.lines {
		free, open := p.state(b, b.ToMove(), &p.lines[i])
		if open && free < 2 {
			return nil, false
		}
		if open {
			p.open = append(p.open, i)
		}
	}
	if len(p.open) == 0 {
		return []game.Move{}, true
	}
	if r.Renju[holds] || r.DoubleThree || r.OpenDistance > 0 && b.Ply() < 2 {
		return nil, false
	}
	for cell := range p.used {
		p.used[cell] = b.At(cell) != gomoku.Empty
	}
	p.tried = 0
	list, ok := p.cover(p.open, nil)
	if !ok {
		return nil, false
	}
	slices.SortFunc(list, func(a, b [2]int) int { return a[0] - b[0] })
	for _, pair := range list {
		pairs = append(pairs, game.Move(pair[0]), game.Move(pair[1]))
	}
	return pairs, true
}

// state returns the empty cells of a line, and whether a side could yet win by a run that
// it is part of.
func (p *pairer) state(b *gomoku.Board, side game.Side, l *fiveLine) (free int, open bool) {
	r, own, other := b.Rules(), gomoku.StoneOf(side), gomoku.StoneOf(side.Other())
	for _, c := range l.cells {
		switch b.At(c) {
		case own:
		case gomoku.Empty:
			free++
		default:
			return 0, false
		}
	}
	blocked := 0
	for _, c := range l.ends {
		switch {
		case c < 0 && r.EdgeBlocks, c >= 0 && r.OpponentBlocks && b.At(c) == other:
			blocked++
		case c >= 0 && r.Exact[side] && b.At(c) == own:
			return free, false
		}
	}
	return free, blocked < 2
}

// cover adds pairs to list until all lines of open have one.
func (p *pairer) cover(open []int, list [][2]int) ([][2]int, bool) {
	if len(open) == 0 {
		return list, true
	}
	// The line with the fewest cells left first.
	best, fewest := 0, 6
	for _, i := range open {
		free := 0
		for _, c := range p.lines[i].cells {
			if !p.used[c] {
				free++
			}
		}
		if free < fewest {
			best, fewest = i, free
		}
	}
	type choice struct {
		pair [2]int
		left []int // lines that it leaves open
	}
	var choices []choice
	cells := p.lines[best].cells
	for i, one := range cells {
		for _, two := range cells[i+1:] {
			if p.used[one] || p.used[two] {
				continue
			}
			c := choice{pair: [2]int{min(one, two), max(one, two)}}
			for _, l := range open {
				if line := &p.lines[l].cells; !slices.Contains(line[:], one) || !slices.Contains(line[:], two) {
					c.left = append(c.left, l)
				}
			}
			choices = append(choices, c)
		}
	}
	slices.SortStableFunc(choices, func(a, b choice) int { return len(a.left) - len(b.left) })
	for _, c := range choices {
		if p.tried++; p.tried > mostPairings {
			return nil, false
		}
		p.used[c.pair[0]], p.used[c.pair[1]] = true, true
		if all, ok := p.cover(c.left, append(list, c.pair)); ok {
			return all, true
		}
		p.used[c.pair[0]], p.used[c.pair[1]] = false, false
	}
	return nil, false
}

// worth returns for each cell what the open lines of a side through it are worth: the more
// stones a line has, the more.
func (p *pairer) worth(b *gomoku.Board, side game.Side, buf []int) []int {
	buf = append(buf[:0], make([]int, p.size*p.size)...)
	for i := range p.lines {
		if free, open := p.state(b, side, &p.lines[i]); open {
			for _, c := range p.lines[i].cells {
				buf[c] += 6 - free
			}
		}
	}
	return buf
}

// Holder finds out whether a side can be beaten: every move of either side counts, so that
// what it says is the truth. It belongs to one goroutine.
//
// It is a df-pn search as that of [Solver], of which the aim is not to lose. With the other
// side to move a position is won for the aim where a pairing holds that side (pairer), or
// where it has no line of five left; it is lost where that side wins by fours, or by fours
// and threes. Moves that cross many open lines are tried first.
type Holder struct {
	solver Solver
	pairer *pairer
	worth  []int

	symmetries []int // of the position that is being expanded
}

// NewHolder returns a holder that knows nothing yet. Of the options Adviser has no meaning.
func NewHolder(o Options) *Holder {
	o.Adviser = nil
	h := &Holder{solver: *New(o)}
	h.solver.expander = h.expander
	return h
}

// Held says whether a side can be beaten.
type Held struct {
	Outcome vcf.Outcome // Win: the side does not lose; None: it loses; Unknown
	Nodes   int64       // moves that were played in all
}

// Solve finds out whether a side can be beaten on b, whoever is to move, and plays about so
// many moves at most, those of earlier calls about the same side and rules included. When
// ctx is done, the outcome is Unknown. b is the same afterwards.
func (h *Holder) Solve(ctx context.Context, b *pattern.Board, side game.Side, nodes int64) Held {
	s, g := &h.solver, b.Board()
	h.begin(subject{g.Rules(), g.Size(), side})
	s.ctx, s.board, s.path = ctx, b, s.path[:0]
	s.budget = nodes
	s.stopped = s.nodes >= nodes || ctx.Err() != nil
	s.search(g.Key(), b.ToMove() == side, alphabeta.Unbounded)
	r := Held{Nodes: s.nodes}
	switch n := s.table.claim(g.Key(), alphabeta.Open).ProofNumbers; {
	case ctx.Err() != nil:
	case n.PN == 0:
		r.Outcome = vcf.Win
	case n.DN == 0:
		r.Outcome = vcf.None
	}
	return r
}

// begin prepares a search, and forgets what belongs to another subject.
func (h *Holder) begin(of subject) {
	if s := &h.solver; s.of != of {
		s.table, s.nodes, s.of = newTable(s.opts.TableBytes), 0, of
		s.table.dropProven = true
		h.pairer = newPairer(of.Size)
	}
}

// expander returns the moves of the position on the board, or a decision.
func (h *Holder) expander(holding bool) (moves []edge, n alphabeta.ProofNumbers) {
	s, b := &h.solver, h.solver.board
	from := len(s.list)
	defer func() { s.list = s.list[:from] }()
	s.list = b.Wins(s.list)
	wins := len(s.list) > from
	s.list = s.list[:from]
	won, lost := alphabeta.Proven, alphabeta.Disproven
	if !holding {
		won, lost = lost, won
	}
	if wins || s.won(vcf.VCF, s.opts.Fours) || !holding && s.won(vcf.VCT, s.opts.Threes) {
		return nil, won
	}
	if !holding {
		if _, ok := h.pairer.find(b.Board()); ok {
			return nil, lost
		}
	}
	list, forced := s.leaf.DefencesAtOnce(b, s.list)
	if !forced {
		list = b.Moves(s.list)
	}
	s.list = list
	h.symmetries = symmetries(b.Board(), h.symmetries)
	h.worth = h.pairer.worth(b.Board(), s.of.Attacker.Other(), h.worth)
	for _, m := range s.list[from:] {
		if s.stopped {
			break
		}
		if !b.Legal(m) || h.mirrored(m) {
			continue
		}
		key := b.Board().KeyAfter(m)
		if q := s.table.find(key); q == nil || !q.Decided() {
			b.Play(m)
			o := b.Outcome()
			b.Undo()
			s.nodes++
			switch {
			case o == game.WinFor(s.of.Attacker), o == game.Draw:
				s.table.decide(s.table.claim(key, alphabeta.Proven), alphabeta.Proven)
			case o != game.Undecided:
				s.table.decide(s.table.claim(key, alphabeta.Disproven), alphabeta.Disproven)
			}
		}
		moves = append(moves, edge{key, m, h.promise(m, holding)})
	}
	if len(moves) == 0 {
		return nil, lost // no move parries a five
	}
	return moves, alphabeta.Open
}

// promise is what is assumed of the position after a move of the side that is to move:
// the more lines of the other side, or of its own, it crosses, the less there is to prove.
func (h *Holder) promise(m game.Move, holding bool) alphabeta.ProofNumbers {
	most := 0
	for _, n := range h.worth {
		most = max(most, n)
	}
	n := alphabeta.ProofNumbers{PN: uint32(1 + most - h.worth[m]), DN: 1}
	if !holding {
		n = n.Turned()
	}
	return n
}

// symmetries returns the symmetries, but for the identity, that leave a position as it is.
func symmetries(b *gomoku.Board, buf []int) []int {
	size := b.Size()
	buf = buf[:0]
	for sym := 1; sym < gomoku.Symmetries; sym++ {
		same := true
		for c := 0; same && c < size*size; c++ {
			same = b.At(c) == b.At(gomoku.Transform(size, sym, c))
		}
		if same {
			buf = append(buf, sym)
		}
	}
	return buf
}

// mirrored reports whether a symmetry of the position takes the move to one of a lower
// number.
func (h *Holder) mirrored(m game.Move) bool {
	for _, sym := range h.symmetries {
		if gomoku.Transform(h.solver.of.Size, sym, int(m)) < int(m) {
			return true
		}
	}
	return false
}
