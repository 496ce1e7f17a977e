package bench

import (
	"context"
	"time"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
)

// AlphaBetaPositions is how many of the quiet positions MeasureAlphaBeta
// searches: the first ones, from the opening to the late middle game.
const AlphaBetaPositions = 12

// AlphaBeta is the speed of the classical search to a fixed depth. A node is a
// move played, by the solver and quiescence too.
type AlphaBeta struct {
	Rule            string              `json:"rule"`
	Size            int                 `json:"size"`
	Threads         int                 `json:"threads"`
	TableMiB        int                 `json:"table_mib"`
	Depth           int                 `json:"depth"`
	Nodes           int64               `json:"nodes"`
	QuiescenceNodes int64               `json:"quiescence_nodes"`
	SolverNodes     int64               `json:"solver_nodes"`
	NodesPerS       float64             `json:"nodes_per_s"`
	MoveUndoPerS    float64             `json:"move_undo_per_s"`
	Signature       int64               `json:"signature"` // Nodes; the same on every run on one thread
	HitRate         float64             `json:"table_hit_rate"`
	FirstCutoffRate float64             `json:"first_cutoff_rate"`
	TimeMS          float64             `json:"time_ms"`
	Positions       []AlphaBetaPosition `json:"positions"`

	SMP     *SMP     `json:"smp,omitempty"`
	Tactics *Tactics `json:"tactics,omitempty"`
	Settled *Settled `json:"settled,omitempty"`
}

// AlphaBetaPosition is the search of one position.
type AlphaBetaPosition struct {
	Position        string  `json:"position"`
	Move            string  `json:"move"`
	Score           int     `json:"score"`
	Depth           int     `json:"depth"`
	Nodes           int64   `json:"nodes"`
	QuiescenceNodes int64   `json:"quiescence_nodes"`
	SolverNodes     int64   `json:"solver_nodes"`
	TimeMS          float64 `json:"time_ms"`
}

// AlphaBetaOptions configure the measurements of the classical search.
type AlphaBetaOptions struct {
	Search alphabeta.Options
	Depth  int
}

// classical returns the search alone: a solver beside it would be measured too.
func (o AlphaBetaOptions) classical() search.ClassicalOptions {
	return search.ClassicalOptions{
		Search: o.Search, Proof: search.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off},
	}
}

// MeasureAlphaBeta searches the first quiet positions to a fixed depth, each
// with an empty table, and plays and takes back their moves.
func MeasureAlphaBeta(ctx context.Context, v games.Variant, o AlphaBetaOptions, progress func()) (*AlphaBeta, error) {
	texts, list, err := quietPositions(v)
	if err != nil {
		return nil, err
	}
	c, err := search.NewClassical(v, o.classical())
	if err != nil {
		return nil, err
	}
	list = list[:min(len(list), AlphaBetaPositions)]
	r := &AlphaBeta{
		Rule: v.Rule(), Size: v.Size, Depth: o.Depth, Threads: o.Search.Threads, TableMiB: o.Search.TableMiB,
		Positions: []AlphaBetaPosition{},
	}
	var sum engine.Stats
	for i, pos := range list {
		c.Forget()
		found, err := engine.Complete(ctx, c, pos, engine.Limits{Depth: o.Depth})
		if err != nil {
			return nil, err
		}
		r.add(v.Notation(), texts[i], found)
		addStats(&sum, &found.Stats)
		progress()
	}
	r.Signature = r.Nodes
	r.NodesPerS = float64(r.Nodes) / (r.TimeMS / 1000)
	r.HitRate, r.FirstCutoffRate = sum.HitRate(), sum.FirstCutoffRate()
	r.MoveUndoPerS, err = measureMoveUndo(ctx, v, list)
	return r, err
}

// add enters the search of a position.
func (r *AlphaBeta) add(n game.Notation, text string, found *engine.Answer) {
	s := &found.Stats
	p := AlphaBetaPosition{
		Position: text, Move: n.FormatMove(found.Move), Score: found.Moves[0].Score, Depth: s.Depth,
		Nodes: s.Nodes, QuiescenceNodes: s.QuiescenceNodes, SolverNodes: s.SolverNodes, TimeMS: milliseconds(s.Elapsed),
	}
	r.Positions = append(r.Positions, p)
	r.Nodes += p.Nodes
	r.QuiescenceNodes += p.QuiescenceNodes
	r.SolverNodes += p.SolverNodes
	r.TimeMS += p.TimeMS
}

// addStats adds what rates are made of.
func addStats(sum, s *engine.Stats) {
	sum.TableProbes += s.TableProbes
	sum.TableHits += s.TableHits
	sum.Cutoffs += s.Cutoffs
	sum.FirstCutoffs += s.FirstCutoffs
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// moveUndoTime is how long playing and taking back is measured.
const moveUndoTime = 300 * time.Millisecond

// measureMoveUndo plays and takes back the moves that the search would look at,
// on what it searches on.
func measureMoveUndo(ctx context.Context, v games.Variant, list []game.Position) (float64, error) {
	type bound struct {
		pos   game.Position
		moves []alphabeta.ScoredMove
	}
	var all []bound
	count := 0
	for _, pos := range list {
		parts, err := v.Classical().Bind(pos.Clone())
		if err != nil {
			return 0, err
		}
		b := bound{pos: parts.Position}
		for stage, more := 0, true; more; stage++ {
			b.moves, more = parts.Picker.Stage(stage, b.moves)
		}
		count += len(b.moves)
		all = append(all, b)
	}
	rounds, elapsed := repeat(ctx, moveUndoTime, func() {
		for _, b := range all {
			for i := range b.moves {
				b.pos.Play(b.moves[i].Move)
				b.pos.Undo()
			}
		}
	})
	return float64(rounds*count) / elapsed.Seconds(), ctx.Err()
}
