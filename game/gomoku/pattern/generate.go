package pattern

// distance says how many further own stones a line is away from a four and
// from an open four; far stands for every greater number. ways is the number of
// cells where one stone brings the open four nearer.
type distance struct{ four, open, ways uint8 }

const far = 4

// generator finds the shape of the stone on the centre for all contents
// of the two arms, in the view of one side: content 1 is its own stone.
type generator struct {
	rule lineRule
	arms *arms
	more [][reach]int16 // by arm and cell: the arm with an own stone there, -1 if not empty

	known []bool
	dist  []distance
}

// generate returns the shape by arm behind * number of arms + arm ahead.
func generate(rule lineRule, a *arms) []shape {
	n := len(a.list)
	g := &generator{
		rule: rule, arms: a,
		more:  make([][reach]int16, n),
		known: make([]bool, n*n),
		dist:  make([]distance, n*n),
	}
	for i, content := range a.list {
		for k := range reach {
			g.more[i][k] = -1
			if content.at(k) == vacant {
				g.more[i][k] = a.index[content.with(k, 1)]
			}
		}
	}
	made := make([]shape, n*n)
	for i := range n {
		for j := range n {
			made[i*n+j] = g.shape(i, j)
		}
	}
	return made
}

func (g *generator) shape(behind, ahead int) shape {
	s := g.segment(behind, ahead)
	switch {
	case g.rule.won(s):
		return fiveShape
	case g.rule.foul(s):
		return foulShape
	}
	return g.distance(behind, ahead).shape()
}

// segment returns the masks of two arms around an own stone.
func (g *generator) segment(behind, ahead int) segment {
	s := segment{own: 1 << centre}
	for i := range g.arms.half {
		for _, c := range [2]struct {
			content uint64
			bit     int
		}{{g.arms.list[behind].at(i), centre - 1 - i}, {g.arms.list[ahead].at(i), centre + 1 + i}} {
			switch c.content {
			case vacant:
				s.empty |= 1 << c.bit
			case 1:
				s.own |= 1 << c.bit
			case 2:
				s.opp |= 1 << c.bit
			default:
				s.edge |= 1 << c.bit
			}
		}
	}
	return s
}

// distance plays own stones on the line until there is a four, remembering
// what it found for every content.
func (g *generator) distance(behind, ahead int) distance {
	at := behind*len(g.arms.list) + ahead
	if g.known[at] {
		return g.dist[at]
	}
	d := g.measure(behind, ahead)
	g.known[at], g.dist[at] = true, d
	return d
}

func (g *generator) measure(behind, ahead int) distance {
	s := g.segment(behind, ahead)
	d := distance{four: far, open: far}
	if g.rule.foul(s) {
		return d
	}
	for k := range reach {
		if next := g.more[behind][k]; next >= 0 {
			d = d.closer(g.distance(int(next), ahead))
		}
		if next := g.more[ahead][k]; next >= 0 {
			d = d.closer(g.distance(behind, int(next)))
		}
	}
	if g.rule.completing(s) != 0 {
		d.four = 0
	}
	if g.rule.lasting(s) {
		d.open = 0
	}
	return d
}

// closer returns the smaller distances of d and of one stone more than next.
func (d distance) closer(next distance) distance {
	d.four = min(d.four, next.four+1)
	switch open := next.open + 1; {
	case open < d.open:
		d.open, d.ways = open, 1
	case open == d.open:
		d.ways++
	}
	return d
}
