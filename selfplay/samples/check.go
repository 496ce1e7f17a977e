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

// want adds a problem unless something holds.
func (p *problems) want(holds bool, row int, column, format string, args ...any) {
	if !holds {
		p.add(row, column, format, args...)
	}
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
	offsets, visits := c.VisitOffsets, len(c.VisitActions)
	p.want(offsets[0] == 0, 0, "visit_offsets", "starts at %d, want 0", offsets[0])
	for i := range c.Rows {
		lo, hi := offsets[i], offsets[i+1]
		p.want(lo < hi && int(hi) <= visits, i, "visit_offsets", "visits %d..%d of %d: want at least one", lo, hi, visits)
	}
	p.want(int(offsets[c.Rows]) == visits, c.Rows-1, "visit_offsets", "ends at %d, want %d", offsets[c.Rows], visits)
	for i := range c.Rows {
		r := c.Row(i)
		r.check(i, games, p)
		if i == 0 {
			continue
		}
		game, ply := c.Game[i-1], c.Ply[i-1]
		p.want(game < r.Game || game == r.Game && ply < r.Ply, i, "ply",
			"game %d ply %d after game %d ply %d: rows are ordered by game and ply", r.Game, r.Ply, game, ply)
	}
	if c.RowCRC == nil {
		return
	}
	for i, sum := range c.crcs() {
		p.want(c.RowCRC[i] == sum, i, crcColumn, "checksum %08x, the row's values have %08x: a value was changed", c.RowCRC[i],
			sum)
	}
}

// check appends what is wrong with row i by itself.
func (r *Row) check(i, games int, p *problems) {
	finite := func(x float32) bool { return x == x && !math.IsInf(float64(x), 0) }
	p.want(r.Outcome >= -1 && r.Outcome <= 1, i, "outcome", "%d, want -1, 0 or 1", r.Outcome)
	p.want(r.RootQ >= -1 && r.RootQ <= 1, i, "root_q", "%v, want -1..1", r.RootQ)
	p.want(r.NetQ >= -1 && r.NetQ <= 1, i, "net_q", "%v, want -1..1", r.NetQ)
	p.want(int64(r.Game) < int64(games), i, "game", "%d of %d games", r.Game, games)
	p.want(r.PliesLeft > 0, i, "plies_left", "0, want at least the move played")
	p.want(r.FullSearch <= 1, i, "full_search", "%d, want 0 or 1", r.FullSearch)
	p.want(r.Proven >= ProvenLoss && r.Proven <= ProvenUnknown, i, "proven", "%d, want -1, 0, 1 or 2", r.Proven)
	p.want(r.Weight > 0 && finite(r.Weight), i, "weight", "%v, want a finite number above 0", r.Weight)
	for _, g := range r.Globals {
		p.want(finite(g), i, "globals", "%v, want a finite number", g)
	}
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
	p.want(len(r.Actions) == 0 || math.Abs(sum-1) <= 1e-4, i, "policy_target", "sums to %v, want 1", sum)
}
