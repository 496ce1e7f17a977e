package samples

import (
	"fmt"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
)

// replay plays the shard's games through the rules and adds a problem for each
// difference from its header and rows. The columns have the right shapes.
func (s *Shard) replay(codec Codec, p *problems) {
	h, c := &s.Header, s.Columns
	r := &replayer{codec: codec, header: h, columns: c, problems: p, Deriver: NewDeriver(codec.Encoder)}
	if h.Planes.Version != codec.Encoder.Version() || c.Layout != r.Layout {
		p.add(-1, "", "planes %.40q of layout %+v, want %q of %+v", h.Planes.Version, c.Layout, codec.Encoder.Version(),
			r.Layout)
		return
	}
	r.target, _ = option[string](h, TargetKey)
	r.audit, _ = option[float64](h, AuditKey)
	r.resignAt, _ = option[float64](h, resignKey)
	rows := r.byGame()
	for i := range h.Games {
		if i > 0 && h.Games[i].ID <= h.Games[i-1].ID {
			p.add(-1, "", "game %d follows game %d: want ascending", h.Games[i].ID, h.Games[i-1].ID)
		}
		r.game(&h.Games[i], rows[i])
	}
}

// replayer replays one game after the other.
type replayer struct {
	*problems
	*Deriver
	codec   Codec
	header  *Header
	columns *Columns
	target  string // what made the policy target; "" if the header does not say

	audit, resignAt float64 // options of the run; 0: off
}

// Deriver makes the parts of a row that follow from the rules. It belongs to one goroutine.
type Deriver struct {
	encoder nn.Encoder
	shape   nn.Shape
	Layout  Layout

	planes, globals []float32 // scratch
	packed, legal   []byte
	moves           []game.Move
	actions         []int
}

// NewDeriver returns a Deriver for the inputs of an encoder.
func NewDeriver(enc nn.Encoder) *Deriver {
	shape := enc.Shape()
	l := NewLayout(shape.Planes, shape.Height*shape.Width, shape.Globals, shape.Actions)
	return &Deriver{
		encoder: enc, shape: shape, Layout: l,
		planes: make([]float32, shape.PlaneSize()), globals: make([]float32, shape.Globals),
		legal: make([]byte, l.LegalBytes),
	}
}

// Row returns the planes, globals and legal moves of pos, which the moves follow on, all of them
// legal, and the first two as actions. Its slices hold until the next call.
func (d *Deriver) Row(pos game.Position, moves []game.Move) *Row {
	d.encoder.Encode(pos, 0, d.planes, d.globals)
	d.packed = PackPlanes(d.packed[:0], d.planes, d.shape.Height*d.shape.Width)
	d.moves = pos.Moves(d.moves[:0])
	PackActions(d.legal, d.ofMoves(pos))
	row := &Row{Planes: d.packed, Globals: d.globals, Legal: d.legal, Reply: None, PliesLeft: uint16(len(moves))}
	row.Played = uint16(d.encoder.Action(pos, moves[0], 0))
	if len(moves) > 1 { // as the side that plays it sees it
		pos.Play(moves[0])
		row.Reply = uint16(d.encoder.Action(pos, moves[1], 0))
		pos.Undo()
	}
	return row
}

// ofMoves returns the actions of d.moves.
func (d *Deriver) ofMoves(pos game.Position) []int {
	d.actions = d.actions[:0]
	for _, m := range d.moves {
		d.actions = append(d.actions, d.encoder.Action(pos, m, 0))
	}
	return d.actions
}

// end returns the position after all moves, or an error about the first that is not legal.
func (c *Codec) end(start game.Position, moves []game.Move) (game.Position, error) {
	pos := start.Clone()
	for ply, m := range moves {
		if !pos.Legal(m) {
			return nil, fmt.Errorf("move %d, %s, is not legal", ply+1, c.Notation.FormatMove(m))
		}
		pos.Play(m)
	}
	return pos, nil
}

// byGame returns the rows of each game.
func (r *replayer) byGame() [][]int {
	rows := make([][]int, len(r.header.Games))
	for i, g := range r.columns.Game {
		if int64(g) < int64(len(rows)) {
			rows[g] = append(rows[g], i)
		}
	}
	return rows
}

// gameProblem adds a problem of a game, at its first row if it has one.
func (r *replayer) gameProblem(g *Game, rows []int, format string, args ...any) {
	row := -1
	if len(rows) > 0 {
		row = rows[0]
	}
	r.add(row, "", "game %d: %s", g.ID, fmt.Sprintf(format, args...))
}

// game checks a game's entry and its rows.
func (r *replayer) game(g *Game, rows []int) {
	if want := GameSeed(r.header.Seed, g.ID); g.Seed != want {
		r.gameProblem(g, rows, "seed %d, want %d", g.Seed, want)
	}
	start, moves, err := r.codec.Parse(g.Moves)
	if err != nil {
		r.gameProblem(g, rows, "moves: %v", err)
		return
	}
	if g.Plies != len(moves) {
		r.gameProblem(g, rows, "%d plies, it has %d moves", g.Plies, len(moves))
	}
	first := len(moves)
	if len(rows) > 0 {
		first = min(first, int(r.columns.Ply[rows[0]]))
	}
	if from := r.codec.Format(start, moves[:first]); g.From != from {
		r.gameProblem(g, rows, "from %.60q, its first row comes after %q", g.From, from)
	}
	end, err := r.codec.end(start, moves)
	if err != nil {
		r.gameProblem(g, rows, "%v", err)
		return
	}
	last := -1
	if len(rows) > 0 {
		last = rows[len(rows)-1]
	}
	r.ending(g, last, end, len(moves))
	r.audited(g, rows, len(moves))
	pos := start
	for ply, m := range moves {
		for len(rows) > 0 && int(r.columns.Ply[rows[0]]) == ply {
			r.check(rows[0], g, pos, moves[ply:])
			rows = rows[1:]
		}
		pos.Play(m)
	}
	for _, i := range rows {
		r.add(i, "ply", "%d, game %d has %d moves or the row is out of order", r.columns.Ply[i], g.ID, len(moves))
	}
}

// ending checks a game's result and reason against its last position. row is
// the game's last row, -1 if it has none.
func (r *replayer) ending(g *Game, row int, pos game.Position, plies int) {
	wrong := func(want game.Outcome, reason game.Reason) {
		if g.Result != want.String() {
			r.add(row, "", "game %d: result %.20q, want %q by %q", g.ID, g.Result, want.String(), reason)
		}
	}
	if o := pos.Outcome(); o != game.Undecided {
		wrong(o, pos.Reason())
		if g.Reason != pos.Reason() {
			r.add(row, "", "game %d: reason %.20q, want %q", g.ID, g.Reason, pos.Reason())
		}
		return
	}
	switch g.Reason {
	case game.Resigned, game.Forfeit:
		wrong(game.WinFor(pos.ToMove().Other()), g.Reason)
	case game.MoveLimit:
		wrong(game.Draw, g.Reason)
	case game.Proven:
		if row < 0 || int(r.columns.Ply[row]) != plies-1 {
			if r.header.Filter == "" {
				r.add(row, "", "game %d: ends by a proof without the row that proved it", g.ID)
			}
			return
		}
		o := game.Undecided
		for result, code := range ProvenCodes {
			if code == r.columns.Proven[row] {
				o = result.Winner(pos.ToMove().Other())
			}
		}
		if o == game.Undecided {
			r.add(row, "proven", "game %d: ends by a proof, but the row proves nothing", g.ID)
			return
		}
		wrong(o, g.Reason)
	default:
		r.add(row, "", "game %d: reason %.20q after moves that do not end it", g.ID, g.Reason)
	}
}

// check checks row i against the position that it was made of, before moves.
func (r *replayer) check(i int, g *Game, pos game.Position, moves []game.Move) {
	row, want := r.columns.Row(i), r.Row(pos, moves)
	if at := mismatch(row.Planes, want.Planes); at >= 0 {
		r.add(i, "planes", "plane %d differs from the position's", at/r.columns.Layout.PlaneBytes)
	}
	for k, v := range want.Globals {
		if math.Float32bits(row.Globals[k]) != math.Float32bits(v) {
			r.add(i, "globals", "value %d is %v, want %v", k, row.Globals[k], v)
		}
	}
	r.want(mismatch(row.Legal, want.Legal) < 0, i, "legal", "differs from the position's legal moves")
	r.want(row.Played == want.Played, i, "played", "%d, want %d", row.Played, want.Played)
	r.want(row.Reply == want.Reply, i, "reply", "%d, want %d", row.Reply, want.Reply)
	r.want(row.PliesLeft == want.PliesLeft, i, "plies_left", "%d, want %d", row.PliesLeft, want.PliesLeft)
	if o, ok := game.ParseOutcome(g.Result); ok {
		value := int8(o.Value(pos.ToMove()))
		r.want(row.Outcome == value, i, "outcome", "%d, want %d", row.Outcome, value)
	} else {
		r.add(i, "outcome", "game %d has the result %.20q", g.ID, g.Result)
	}
	r.proven(i, &row, pos)
	r.policy(i, &row)
	r.wins(i, &row, pos)
}

// proven checks the column proven where the rules alone decide it: an immediate win,
// and a position each of whose moves ends the game in a loss or draw.
func (r *replayer) proven(i int, row *Row, pos game.Position) {
	if row.Proven == ProvenUnknown {
		return
	}
	r.moves = pos.Wins(r.moves[:0])
	if len(r.moves) > 0 && row.Proven != ProvenWin {
		r.add(i, "proven", "%d, but %s wins at once", row.Proven, r.codec.Notation.FormatMove(r.moves[0]))
	}
	if i == 0 {
		return
	}
	before := r.columns.Row(i - 1)
	if before.Game != row.Game || int(before.Ply)+1 != int(row.Ply) || before.Proven == ProvenUnknown {
		return
	}
	if before.Proven != ProvenWin && row.Proven < -before.Proven {
		r.add(i, "proven", "%d, but the opponent was proven %d one move ago", row.Proven, before.Proven)
	}
}

// mismatch returns the first index at which a and b, of one length, differ, or
// -1.
func mismatch(a, b []byte) int {
	for i := range a {
		if a[i] != b[i] {
			return i
		}
	}
	return -1
}

// option returns an option of the run, of one type.
func option[T any](h *Header, key string) (value T, ok bool) {
	v, there := h.Search.Get(key)
	if there {
		value, ok = v.(T)
	}
	return value, ok
}

// audited checks a game's resignation audit: whether its seed selects it for one, and
// which side would have resigned. rows are those of the game.
func (r *replayer) audited(g *Game, rows []int, plies int) {
	want := r.audit > 0 && Audited(g.Seed, r.audit)
	switch {
	case want != (g.Audit != nil):
		r.gameProblem(g, rows, "audited is %v, its seed says %v", g.Audit != nil, want)
		return
	case g.Audit == nil:
		return
	case g.Reason == game.Resigned:
		r.gameProblem(g, rows, "it ended by resignation, although it is audited")
	}
	a := g.Audit
	if a.Resigns == Nobody {
		return
	}
	if a.Resigns != game.First.String() && a.Resigns != game.Second.String() || a.Ply >= plies {
		r.gameProblem(g, rows, "audit: %.20q resigns after %d moves of %d, want first, second or none, before the end",
			a.Resigns, a.Ply, plies)
		return
	}
	for _, i := range rows {
		if int(r.columns.Ply[i]) == a.Ply && float64(r.columns.RootQ[i]) > -r.resignAt {
			r.add(i, "root_q", "game %d: %v, and %s would have resigned here, at %v", g.ID, r.columns.RootQ[i], a.Resigns,
				-r.resignAt)
		}
	}
}

// policy recomputes the policy target if it is the shares of the visits, and checks that a
// search without visits writes none.
func (r *replayer) policy(i int, row *Row) {
	visits := uint64(0)
	for _, n := range row.Counts {
		visits += uint64(n)
	}
	switch {
	case r.target == TargetScores && visits > 0:
		r.add(i, "visit_counts", "%d visits, where the target is of scores: want 0", visits)
	case r.target != TargetScores && visits == 0 && row.Proven == ProvenUnknown:
		r.add(i, "visit_counts", "no visits: only a proven root may have none")
	case r.ofVisits(row) && visits == 0 && len(row.Actions) != 1:
		r.add(i, "visit_counts", "no visits: only a proven root may have none, and has one entry then")
	}
	switch {
	case r.ofVisits(row):
		want := make([]float32, len(row.Counts))
		VisitTarget(want, row.Counts)
		if !slices.Equal(want, row.Target) {
			r.add(i, "policy_target", "differs from the visits' shares")
		}
	case r.target == TargetPruned:
		r.pruned(i, row)
	}
}

// ofVisits reports whether the target of a row is the visits' shares.
func (r *replayer) ofVisits(row *Row) bool {
	return r.target == TargetVisits || row.FullSearch == 0 && (r.target == TargetPruned || r.target == TargetImproved)
}

// wins checks that immediate wins in pos have all of the target, where the target's rule
// demands it.
func (r *replayer) wins(i int, row *Row, pos game.Position) {
	if row.FullSearch == 0 || r.target != TargetPruned && r.target != TargetImproved {
		return
	}
	if r.moves = pos.Wins(r.moves[:0]); len(r.moves) == 0 {
		return
	}
	wins := r.ofMoves(pos)
	for k, a := range row.Actions {
		if row.Target[k] > 0 && !slices.Contains(wins, int(a)) {
			r.add(i, "policy_target", "action %d has a share, where %s wins at once", a, r.codec.Notation.FormatMove(r.moves[0]))
		}
	}
}

// pruned checks that a target is the shares of integer numbers of visits, at most those of
// each move, and all visits of the move with the most. If moves win, they share equally
// instead.
func (r *replayer) pruned(i int, row *Row) {
	best := 0
	for k, share := range row.Target {
		if share > row.Target[best] {
			best = k
		}
	}
	top := float64(row.Target[best])
	for k, share := range row.Target {
		if share == 0 {
			continue
		}
		if row.Proven == ProvenWin {
			if share != row.Target[best] {
				r.add(i, "policy_target", "%v and %v, want equal shares of what wins", share, row.Target[best])
			}
			continue
		}
		kept := float64(share) / top * float64(row.Counts[best])
		if whole := math.Round(kept); math.Abs(kept-whole) > 1e-3*max(1, whole) || whole > float64(row.Counts[k]) {
			r.add(i, "policy_target", "action %d has %.3f visits left of %d", row.Actions[k], kept, row.Counts[k])
		}
	}
}
