package selfplay

import (
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Summary counts what one call of Run did. Games of an earlier, interrupted
// call are in OnDisk only.
type Summary struct {
	Games     int // games finished
	Positions int // rows recorded
	Plies     int // moves, random ones included
	First     int // games won by the first player
	Second    int // games won by the second player
	Draws     int // games drawn
	Resigned  int // games that ended by resignation

	// Games played on to audit resignation, those of them that a side would have
	// resigned, and of these the ones that it did not lose.
	Audited, WouldResign, FalseResigns int

	OnDisk  int           // games of the run that are on disk
	Of      int           // games of the run
	Lost    int           // unfinished games that were abandoned; set when Run has ended
	Shards  int           // finished shards of the run
	Stats   nn.Stats      // of all evaluators; while games are under way as of each worker's last finished game
	Nodes   int64         // moves played by all teachers, likewise
	Elapsed time.Duration // by the Host's clock
	Idle    time.Duration // of all workers together, from their last game's end to that of the run's
}

// Add counts a finished game.
func (s *Summary) Add(r *samples.Record) {
	s.Games++
	s.Positions += r.Rows.Rows
	s.Plies += r.Game.Plies
	if r.Game.Reason == game.Resigned {
		s.Resigned++
	}
	if would, lost := r.Game.Audit.Resigned(r.Game.Result); r.Game.Audit != nil {
		s.Audited++
		if would {
			s.WouldResign++
		}
		if would && !lost {
			s.FalseResigns++
		}
	}
	switch r.Game.Result {
	case game.FirstWins.String():
		s.First++
	case game.SecondWins.String():
		s.Second++
	default:
		s.Draws++
	}
}

// MeanLength returns the mean number of moves of a game, 0 without games.
func (s *Summary) MeanLength() float64 { return ratio(float64(s.Plies), float64(s.Games)) }

// PositionsPerSecond returns the rows per second.
func (s *Summary) PositionsPerSecond() float64 {
	return ratio(float64(s.Positions), s.Elapsed.Seconds())
}

// EvalsPerSecond returns the network's positions per second, answers from a
// cache not counted.
func (s *Summary) EvalsPerSecond() float64 {
	return ratio(float64(s.Stats.Evals), s.Elapsed.Seconds())
}

// NodesPerSecond returns the moves per second that teachers play in their
// searches.
func (s *Summary) NodesPerSecond() float64 { return ratio(float64(s.Nodes), s.Elapsed.Seconds()) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
