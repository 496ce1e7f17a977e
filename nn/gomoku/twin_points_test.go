package gomoku

// target is a cell where a side could complete a five, and the one other cell
// (or noCell) where a stone of its opponent prevents that. A cell that
// completes several windows has a target for each.
type target struct{ cell, defence int16 }

// points marks five, four and open-four points, allowed or not, in the flags of
// cells, whose stones are marked already. It serves one side at a time.
type points struct {
	cells   []flags
	windows windows
	targets []target // scratch

	five, openFour, four flags // the planes of the side being marked
	exact                bool  // it needs exactly five
}

func newPoints(g *geometry, cells []flags) points {
	w := newWindows(g)
	return points{cells: cells, windows: w, targets: make([]target, 0, cap(w.wins)+cap(w.links))}
}

// mark marks the points of the side whose line masks are own. view is 0 for
// the side to move and 1 for its opponent.
func (p *points) mark(g *geometry, rule lineRule, view int, own, opp []uint32) {
	p.five, p.openFour, p.four = 1<<(PlaneFiveOwn+view), 1<<(PlaneOpenFourOwn+view), 1<<(PlaneFourOwn+view)
	p.exact = rule.exact
	p.windows.find(g, rule, own, opp)
	if len(p.windows.wins) > 0 {
		p.markFives()
	}
	if len(p.windows.links) > 0 {
		p.markFours()
	}
}

// markFives marks the five points, and the open-four points that are so
// because of them, without a new four.
func (p *points) markFives() {
	wins := p.windows.wins
	p.targets = p.targets[:0]
	for i := range wins {
		p.cells[wins[i].cell] |= p.five
		p.targets = append(p.targets, target{wins[i].cell, wins[i].defence})
	}
	if lasting(p.targets) {
		for c := range p.cells {
			if p.cells[c]&stoneFlags == 0 {
				p.cells[c] |= p.openFour
			}
		}
	}
	for i := range wins {
		p.judge(wins[i].cell)
		for _, c := range wins[i].ends {
			if c != noCell && p.cells[c]&stoneFlags == 0 {
				p.judge(c)
			}
		}
	}
}

// markFours marks the four points and judges again what they can change.
func (p *points) markFours() {
	for c, head := range p.windows.heads {
		if head == noCell {
			continue
		}
		if p.makesFour(head) {
			p.cells[c] |= p.four
		}
		p.judge(int16(c))
	}
}

// makesFour reports whether a list of links leads to a cell that is no five
// point yet.
func (p *points) makesFour(head int16) bool {
	for i := head; i != noCell; i = p.windows.links[i].next {
		if p.cells[p.windows.links[i].cell]&p.five == 0 {
			return true
		}
	}
	return false
}

// judge decides whether the empty cell c is an open-four point.
func (p *points) judge(c int16) {
	w := p.windows
	p.targets = p.targets[:0]
	for i := range w.wins {
		v := &w.wins[i]
		switch {
		case v.cell == c:
		case v.ends[0] != c && v.ends[1] != c:
			p.targets = append(p.targets, target{v.cell, v.defence})
		case !p.exact: // the run becomes longer than five, which no block stops
			p.targets = append(p.targets, target{v.cell, noCell})
		}
	}
	for i := w.heads[c]; i != noCell; i = w.links[i].next {
		p.targets = append(p.targets, target{w.links[i].cell, w.links[i].defence})
	}
	p.cells[c] &^= p.openFour
	if lasting(p.targets) {
		p.cells[c] |= p.openFour
	}
}

// lasting reports whether, after any one stone of the opponent, some target
// is left. Such a stone must take the first target away, so that two cells
// at most can be the one that takes them all.
func lasting(targets []target) bool {
	if len(targets) < 2 {
		return false
	}
	first := targets[0]
	return survives(targets, first.cell) &&
		(first.defence == noCell || survives(targets, first.defence))
}

// survives reports whether some target is left after the opponent's stone on c.
func survives(targets []target, c int16) bool {
	for _, t := range targets {
		if t.cell != c && t.defence != c {
			return true
		}
	}
	return false
}
