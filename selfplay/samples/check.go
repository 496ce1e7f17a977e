package samples

import (
	"fmt"
	"math"
)

// Problem is one thing that is wrong with a file.
type Problem struct {
	File   string `json:"file"`
	Row    int    `json:"row"`    // -1: not about one row
	Column string `json:"column"` // "" : not about one column
	What   string `json:"what"`
}

// String returns the problem in one line.
func (p Problem) String() string {
	s := p.What
	if p.Column != "" {
		s = p.Column + ": " + s
	}
	if p.Row >= 0 {
		s = fmt.Sprintf("row %d: %s", p.Row, s)
	}
	if p.File != "" {
		s = p.File + ": " + s
	}
	return s
}

// problems collects what is wrong with one file.
type problems []Problem

func (p *problems) add(row int, column, format string, args ...any) {
	*p = append(*p, Problem{Row: row, Column: column, What: fmt.Sprintf(format, args...)})
}

// Check returns what is wrong with the columns by themselves, for a header
// that lists games games: offsets, order, ranges, sums, and row checksums where
// the shard has them.
func (c *Columns) Check(games int) []Problem {
	var p problems
	c.check(games, &p)
	return p
}

func (c *Columns) check(games int, p *problems) {
	c.checkOffsets(p)
	for i := range c.Rows {
		r := c.Row(i)
		r.check(i, games, p)
		if i > 0 && !ordered(c.Game[i-1], c.Ply[i-1], c.Game[i], c.Ply[i]) {
			p.add(i, "ply", "game %d ply %d after game %d ply %d: rows are ordered by game and ply",
				c.Game[i], c.Ply[i], c.Game[i-1], c.Ply[i-1])
		}
	}
	c.checkSums(p)
}

func ordered(game0 uint32, ply0 uint16, game1 uint32, ply1 uint16) bool {
	return game0 < game1 || game0 == game1 && ply0 < ply1
}

func (c *Columns) checkOffsets(p *problems) {
	if c.VisitOffsets[0] != 0 {
		p.add(0, "visit_offsets", "starts at %d, want 0", c.VisitOffsets[0])
	}
	for i := range c.Rows {
		lo, hi := c.VisitOffsets[i], c.VisitOffsets[i+1]
		if lo >= hi || int(hi) > len(c.VisitActions) {
			p.add(i, "visit_offsets", "visits %d..%d of %d: want at least one", lo, hi, len(c.VisitActions))
		}
	}
	if last := int(c.VisitOffsets[c.Rows]); last != len(c.VisitActions) {
		p.add(c.Rows-1, "visit_offsets", "ends at %d, want %d", last, len(c.VisitActions))
	}
}

func (c *Columns) checkSums(p *problems) {
	if c.RowCRC == nil {
		return
	}
	for i, sum := range c.crcs() {
		if c.RowCRC[i] != sum {
			p.add(i, crcColumn, "checksum %08x, the row's values have %08x: a value was changed", c.RowCRC[i], sum)
		}
	}
}

// check appends what is wrong with row i by itself.
func (r *Row) check(i, games int, p *problems) {
	if r.Outcome < -1 || r.Outcome > 1 {
		p.add(i, "outcome", "%d, want -1, 0 or 1", r.Outcome)
	}
	r.checkQ(i, "root_q", r.RootQ, p)
	r.checkQ(i, "net_q", r.NetQ, p)
	if int64(r.Game) >= int64(games) {
		p.add(i, "game", "%d of %d games", r.Game, games)
	}
	if r.PliesLeft == 0 {
		p.add(i, "plies_left", "0, want at least the move played")
	}
	if r.FullSearch > 1 {
		p.add(i, "full_search", "%d, want 0 or 1", r.FullSearch)
	}
	if r.Proven < ProvenLoss || r.Proven > ProvenUnknown {
		p.add(i, "proven", "%d, want -1, 0, 1 or 2", r.Proven)
	}
	if !(r.Weight > 0) || math.IsInf(float64(r.Weight), 0) {
		p.add(i, "weight", "%v, want a finite number above 0", r.Weight)
	}
	for _, g := range r.Globals {
		if g != g || math.IsInf(float64(g), 0) {
			p.add(i, "globals", "%v, want a finite number", g)
		}
	}
	r.checkVisits(i, p)
}

func (r *Row) checkQ(i int, column string, q float32, p *problems) {
	if !(q >= -1 && q <= 1) {
		p.add(i, column, "%v, want -1..1", q)
	}
}

// checkVisits checks the sparse columns: actions ascending and legal, and a
// target that sums to 1.
func (r *Row) checkVisits(i int, p *problems) {
	var sum float64
	for j, a := range r.Actions {
		if j > 0 && a <= r.Actions[j-1] {
			p.add(i, "visit_actions", "%d after %d: want ascending", a, r.Actions[j-1])
		}
		if int(a)>>3 >= len(r.Legal) || !Bit(r.Legal, int(a)) {
			p.add(i, "visit_actions", "%d is not legal", a)
		}
		if t := r.Target[j]; !(t >= 0 && t <= 1) {
			p.add(i, "policy_target", "%v, want 0..1", t)
		}
		sum += float64(r.Target[j])
	}
	if len(r.Actions) == 0 {
		return
	}
	if math.Abs(sum-1) > 1e-4 {
		p.add(i, "policy_target", "sums to %v, want 1", sum)
	}
}
