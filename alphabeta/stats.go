package alphabeta

import (
	"math"
	"time"
)

// Stats count what a search did. A node is a move played.
type Stats struct {
	Nodes           int64 // all
	QuiescenceNodes int64 // of them, below the horizon
	SolverNodes     int64 // of them, by the Solver
	TableProbes     int64
	TableHits       int64
	TableAliens     int64 // moves from the table that were not legal: another position's
	Cutoffs         int64 // nodes above the horizon left by a move of beta or more
	FirstCutoffs    int64 // of them, by the first move searched
	SelDepth        int   // the longest path from the root, in plies; the Solver's not counted
	Elapsed         time.Duration
	TableFill       float64 // share of the table used by this search, estimated
}

// add adds o's counts to s; the longest path is the longer one.
func (s *Stats) add(o *Stats) {
	s.Nodes += o.Nodes
	s.QuiescenceNodes += o.QuiescenceNodes
	s.SolverNodes += o.SolverNodes
	s.TableProbes += o.TableProbes
	s.TableHits += o.TableHits
	s.TableAliens += o.TableAliens
	s.Cutoffs += o.Cutoffs
	s.FirstCutoffs += o.FirstCutoffs
	s.SelDepth = max(s.SelDepth, o.SelDepth)
}

// HitRate returns the share of table probes that found the position.
func (s *Stats) HitRate() float64 { return share(s.TableHits, s.TableProbes) }

// FirstCutoffRate returns the share of cut-offs by the first move: how good the
// order of moves is.
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
