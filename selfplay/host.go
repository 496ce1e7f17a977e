package selfplay

import (
	"cmp"
	"context"
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Host says where and how a run is executed. Nothing in it affects the bytes of the
// shards.
type Host struct {
	Dir    string // the run's directory
	Resume bool   // continue the run in Dir; otherwise Dir must hold none

	// Workers is how many goroutines play at a time, each a game. Zero means 1. With a
	// network on a device AtOnce games are under way, most of which wait for the device;
	// zero means as many as keep it busy.
	Workers, AtOnce int

	// Files is the file system. Nil means the disk.
	Files samples.FS

	// Now is the clock for the manifest and the Summary. Nil means a clock
	// that stands still at the zero time.
	Now func() time.Time

	// Progress, if not nil, is called on Run's goroutine after every game that was
	// written.
	Progress func(Summary)
}

func (h Host) withDefaults() Host {
	h.Workers = cmp.Or(h.Workers, 1)
	if h.Files == nil {
		h.Files = samples.Disk{}
	}
	if h.Now == nil {
		h.Now = func() time.Time { return time.Time{} }
	}
	if h.Progress == nil {
		h.Progress = func(Summary) {}
	}
	return h
}

// Games returns how many games of a setup are under way at a time.
func (h *Host) Games(s *Setup) int {
	workers := max(h.Workers, 1)
	if s.Turns == nil {
		return workers
	}
	return max(workers, cmp.Or(h.AtOnce, s.AtOnce))
}

// Play plays the games of the run that are not on disk yet and returns when all its
// goroutines have ended. If ctx ends, or after any other error, it abandons the current
// games and returns the error; all finished games are on disk. The Summary is always
// valid.
func Play(ctx context.Context, setup Setup, opts Options, host Host) (Summary, error) {
	opts, host = opts.WithDefaults(), host.withDefaults()
	sum := Summary{Of: opts.Games}
	run, err := Plan(setup, opts)
	if err != nil {
		return sum, err
	}
	started := host.Now()
	out, err := samples.Open(host.Files, host.Dir, run, host.Resume, host.Now)
	if err != nil {
		return sum, err
	}
	count := func() {
		sum.OnDisk, sum.Shards, sum.Elapsed = out.Complete(), out.Shards(), host.Now().Sub(started)
	}
	count()
	assigner := NewAssigner(setup, opts, out)
	var ended []time.Time // when each worker ran out of games
	for again := true; again; {
		deal := &dealer{networks: newOpenNetworks(&setup, host.Dir)}
		deal.by = func(id int) (samples.PlayedBy, error) {
			// A device has no room for a third network, and so many games that shards overlap.
			return assigner.of(id, setup.Turns != nil && deal.networks.inUse() > 1)
		}
		for id := range opts.Games {
			if !out.Done(id) {
				deal.games = append(deal.games, id)
			}
		}
		ended = nil
		err = deal.play(ctx, &setup, &opts, &host, func(g FinishedGame) error {
			sum.Stats, sum.Nodes, sum.Lost = g.Stats, g.Nodes, sum.Lost+g.lost
			if g.Record == nil {
				ended = append(ended, host.Now())
				return nil
			}
			if err := out.Add(g.Record); err != nil {
				return err
			}
			sum.Add(g.Record)
			count()
			host.Progress(sum)
			return nil
		})
		again, err = assigner.PlayAgain(out, err)
	}
	count()
	for _, at := range ended {
		sum.Idle += ended[len(ended)-1].Sub(at)
	}
	return sum, cmp.Or(err, out.Close())
}

// Plan returns the run's description for package samples: everything that decides the
// bytes of its shards. It fails where Play would fail before the first game.
func Plan(setup Setup, opts Options) (samples.Run, error) {
	opts = opts.WithDefaults()
	if err := opts.Check(nil); err != nil {
		return samples.Run{}, err
	}
	return setup.run(opts)
}

// Setup is the game that is played and the engines that play it.
type Setup struct {
	// Start is the usual starting position; it is only cloned and must not be over.
	Start game.Position

	// Deal returns the starting position of one game, which may be drawn with rng and
	// must not be over. Nil means that all games start from Start.
	Deal func(rng *rand.Rand) (game.Position, error)

	// Format returns the text of a game's start and moves.
	Format func(start game.Position, moves []game.Move) string

	// Encoder makes the rows' planes; it is only cloned.
	Encoder nn.Encoder

	// Columns is the width of the board if moves are cell indices counted
	// row by row, else 0.
	Columns int

	// Header is the header of the shards. Its Search holds what else can change a
	// result, such as the evaluator's and the solver's options; Run puts its own
	// options before it and sets Seed, Rows and Games.
	Header samples.Header

	// Labeler makes a worker's Labeler, which searches its positions in place of the
	// tree search. Those of different workers must give the same results. Nil means
	// the tree search, with Evaluator and Solver.
	Labeler func(worker int) (Labeler, error)

	// Evaluator makes a worker's evaluator, as that of a Network does.
	Evaluator func(worker int, turn *nn.Turn) (nn.Evaluator, error)

	// Turns are those of the workers if the network is on a device, else nil; and AtOnce
	// is how many games at once keep the device busy.
	Turns  *nn.Turns
	AtOnce int
	Device Device

	// Solver makes a worker's solver. It may be nil.
	Solver func(worker int) mcts.Solver

	// Follow lets the network change between shards; nil: it does not. The run begins
	// with the network of Header and Evaluator.
	Follow *Follow
}

// Device is what computes a run's network outside the processor, and all there that can change
// a bit; zero: the processor computes.
type Device struct {
	Kind  nn.DeviceKind
	Batch int    // rows that are computed together
	Probe string // start of the digest of what it makes of a probe
}

// String implements [fmt.Stringer].
func (d Device) String() string {
	if d == (Device{}) {
		return "the processor"
	}
	text := d.Kind.Provider
	for _, more := range []string{d.Kind.Library, d.Kind.Model} {
		if more != "" {
			text += ", " + more
		}
	}
	return fmt.Sprintf("%s, batches of %d, probe %s", text, d.Batch, d.Probe)
}

// run describes the run to package samples. The options have their defaults.
func (s *Setup) run(o Options) (samples.Run, error) {
	search, err := o.fields(s.Labeler != nil)
	if err != nil {
		return samples.Run{}, err
	}
	search = append(search, s.Header.Search...)
	if s.Follow != nil {
		search = append(search, samples.Field{Key: "follow", Value: true})
	}
	h := s.Header
	h.Search, h.Seed = search, o.Seed
	shape := s.Encoder.Shape()
	return samples.Run{
		Header:        h,
		Layout:        samples.NewLayout(shape.Planes, shape.Height*shape.Width, shape.Globals, shape.Actions),
		Games:         o.Games,
		GamesPerShard: o.GamesPerShard,
		Follows:       s.Follow != nil,
	}, nil
}

// Summary counts what one call of Run did. Games of an earlier, interrupted
// call are in OnDisk only.
type Summary struct {
	Games     int // games finished
	Positions int // rows recorded
	Plies     int // moves, random ones included
	samples.Results
	samples.Audits
	Resigned int // games that ended by resignation

	OnDisk  int           // games of the run that are on disk
	Of      int           // games of the run
	Lost    int           // unfinished games that were abandoned; set when Run has ended
	Shards  int           // finished shards of the run
	Stats   nn.Stats      // of all evaluators; while games are under way as of each worker's last finished game
	Nodes   int64         // moves that all Labelers have searched, likewise
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
	s.Results.Add(&r.Game)
	s.Audits.Add(&r.Game)
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

// NodesPerSecond returns the moves per second that Labelers search.
func (s *Summary) NodesPerSecond() float64 { return ratio(float64(s.Nodes), s.Elapsed.Seconds()) }

func ratio(a, b float64) float64 {
	if b == 0 {
		return 0
	}
	return a / b
}
