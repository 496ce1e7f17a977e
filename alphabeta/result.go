package alphabeta

import (
	"math"
	"time"

	"github.com/carozero/carozero/game"
)

// Line is a principal variation and its score.
type Line struct {
	Moves []game.Move // at least one; the last ones may come from the table
	Score Score       // for the side to move at the root
	Depth int         // of the iteration that found it; 0 if none did
}

// Result is what a search found.
type Result struct {
	Move  game.Move // the first of the best line, always legal
	Score Score     // of the best line
	Depth int       // iterations completed
	Lines []Line    // the best first: Limits.Lines of them, or as many as moves were searched
	Stats Stats

	// Iterations are the completed ones, in order. The caller may keep them.
	Iterations []Iteration
}

// Reply returns the expected reply to Move, the second move of the best line,
// or NoMove if that has none: the move to ponder on.
func (r *Result) Reply() game.Move {
	if len(r.Lines) == 0 || len(r.Lines[0].Moves) < 2 {
		return noMove
	}
	return r.Lines[0].Moves[1]
}

// result returns the result of w so far.
func (w *worker) result() Result {
	r := Result{Depth: w.root.completed}
	for i := range min(w.root.width, len(w.root.moves)) {
		m := &w.root.moves[i]
		if i > 0 && m.bounded {
			break
		}
		r.Lines = append(r.Lines, Line{Moves: w.extendLine(m), Score: m.score, Depth: m.depth})
	}
	r.Move, r.Score = r.Lines[0].Moves[0], r.Lines[0].Score
	return r
}

// extendLine returns the line of m, extended by the table's moves up to the depth of the
// iteration, or to the end of the game that the score claims. All its moves are legal.
// The moves that extendLine plays do not count as nodes.
func (w *worker) extendLine(m *rootMove) []game.Move {
	most := m.depth
	if plies, ok := m.score.Claim(); ok {
		most = plies
	}
	moves := make([]game.Move, m.line.n, max(most, m.line.n))
	copy(moves, m.line.moves[:m.line.n])
	played := 0
	for _, next := range moves {
		w.pos.Play(next)
		played++
	}
	for len(moves) < most && w.pos.Outcome() == game.Undecided {
		next := w.nextOfLine()
		if next == noMove {
			break
		}
		moves = append(moves, next)
		w.pos.Play(next)
		played++
	}
	for range played {
		w.pos.Undo()
	}
	return moves
}

// nextOfLine returns a move that wins at once, or that of the endgames, or the table's,
// or noMove.
func (w *worker) nextOfLine() game.Move {
	if w.wins = w.pos.Wins(w.wins[:0]); len(w.wins) > 0 {
		return w.wins[0]
	}
	if _, ok := w.endgame(0); ok {
		return w.heuristics.Endgames.Best()
	}
	if m := w.table.probe(w.pos.Hash()).move; m != noMove && w.pos.Legal(m) {
		return m
	}
	return noMove
}

// Iteration is the state of the main thread after one iteration. Nodes and Elapsed count
// from the start of the search, for this thread only.
type Iteration struct {
	Depth    int
	SelDepth int // the longest path from the root, in plies
	Move     game.Move
	Score    Score
	Nodes    int64
	Elapsed  time.Duration // 0 without a clock
}

// Stats count what a search did. A node is a move played.
type Stats struct {
	Nodes           int64 // all
	QuiescenceNodes int64 // of them, below the horizon
	SolverNodes     int64 // of them, by the Solver
	Leaves          int64 // positions at the horizon, however they got their score
	TableProbes     int64
	TableHits       int64
	TableCollisions int64 // illegal moves from the table: entries of other positions
	Cutoffs         int64 // beta cutoffs above the horizon
	FirstCutoffs    int64 // of them, by the first move searched
	SelDepth        int   // the longest path from the root, in plies, without the Solver's
	Elapsed         time.Duration
	TableFill       float64 // share of the table used by this search, estimated
}

// add adds o's counts to s; the longest path is the longer one.
func (s *Stats) add(o *Stats) {
	s.Nodes += o.Nodes
	s.QuiescenceNodes += o.QuiescenceNodes
	s.SolverNodes += o.SolverNodes
	s.Leaves += o.Leaves
	s.TableProbes += o.TableProbes
	s.TableHits += o.TableHits
	s.TableCollisions += o.TableCollisions
	s.Cutoffs += o.Cutoffs
	s.FirstCutoffs += o.FirstCutoffs
	s.SelDepth = max(s.SelDepth, o.SelDepth)
}

// HitRate returns the share of table probes that found the position.
func (s *Stats) HitRate() float64 { return share(s.TableHits, s.TableProbes) }

// FirstCutoffRate returns the share of cutoffs by the first move, a measure of move
// ordering.
func (s *Stats) FirstCutoffRate() float64 { return share(s.FirstCutoffs, s.Cutoffs) }

// NodesPerSecond returns the speed, 0 if no time was taken.
func (s *Stats) NodesPerSecond() float64 {
	if s.Elapsed <= 0 {
		return 0
	}
	return float64(s.Nodes) / s.Elapsed.Seconds()
}

// Branching returns the effective branching factor of a search of one thread
// that completed depth: the number b for which b^depth is its number of nodes.
func (s *Stats) Branching(depth int) float64 {
	if depth <= 0 || s.Nodes <= 0 {
		return 0
	}
	return math.Pow(float64(s.Nodes), 1/float64(depth))
}

func share(part, whole int64) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}
