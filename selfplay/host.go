package selfplay

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"time"

	"golang.org/x/sync/errgroup"

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

	// Workers is the number of goroutines that play, AtOnce how many games
	// each keeps under way. Zero means 1 and 8.
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
	h.AtOnce = cmp.Or(h.AtOnce, 8)
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
	open := samples.Create
	if host.Resume {
		open = samples.Resume
	}
	started := host.Now()
	out, err := open(host.Files, host.Dir, run, host.Now)
	if err != nil {
		return sum, err
	}
	c := &collector{host: &host, out: out, sum: &sum, started: started, work: make([]work, host.Workers)}
	c.count()
	err = c.play(ctx, &setup, &opts)
	c.count()
	err = cmp.Or(err, out.Close())
	if _, missing := os.Stat(filepath.Join(host.Dir, samples.RunName)); err != nil && errors.Is(missing, fs.ErrNotExist) {
		sum.OnDisk, sum.Shards = 0, 0
		err = fmt.Errorf("%s was removed while its games were played: nothing of the run is left", host.Dir)
	}
	return sum, err
}

// Plan returns the run's description for package samples: everything that decides the
// bytes of its shards. It fails where Run would fail before the first game.
func Plan(setup Setup, opts Options) (samples.Run, error) {
	opts = opts.WithDefaults()
	if err := opts.Check(); err != nil {
		return samples.Run{}, err
	}
	return setup.run(opts)
}

// unfinished returns the games that are not on disk.
func unfinished(out *samples.Writer, games int) (ids []int) {
	for id := range games {
		if !out.Done(id) {
			ids = append(ids, id)
		}
	}
	return ids
}

// collector puts finished games on disk and counts them.
type collector struct {
	host    *Host
	out     *samples.Writer
	sum     *Summary
	started time.Time
	work    []work      // by worker
	ended   []time.Time // when each worker ran out of games, in order
}

// play runs the workers and takes in their games until all have ended. The first error
// ends all.
func (c *collector) play(ctx context.Context, setup *Setup, opts *Options) error {
	ids := unfinished(c.out, opts.Games)
	deal := &dealer{games: ids, workers: min(c.host.Workers, len(ids)), roster: newRoster(setup, c.out.Networks())}
	return deal.runWorkers(ctx, setup, opts, c.host.AtOnce, func(f finished) error {
		c.sum.Lost += f.lost
		if f.record == nil {
			c.ended = append(c.ended, c.host.Now())
		}
		return c.take(f)
	})
}

// runWorkers runs the dealer's workers until all have ended, and calls take on the
// caller's goroutine with what they deliver. The first error ends all workers; after
// it take gets the workers' last messages, but no more games.
func (d *dealer) runWorkers(ctx context.Context, setup *Setup, opts *Options, atOnce int, take func(finished) error) error {
	ctx, cancel := context.WithCancelCause(ctx)
	defer cancel(nil)
	group, ctx := errgroup.WithContext(ctx)
	games := make(chan finished)
	ended := make(chan error, 1)
	for number := range d.workers {
		group.Go(func() error {
			w, err := newWorker(number, setup, opts, d, atOnce, func(f finished) { games <- f })
			if err != nil {
				return err
			}
			err = w.run(ctx)
			games <- finished{worker: number, work: w.work(), lost: w.underWay()}
			return err
		})
	}
	go func() {
		ended <- group.Wait()
		close(games)
	}()
	var failed error
	for f := range games {
		if failed != nil && f.record != nil {
			continue
		}
		if err := take(f); failed == nil && err != nil {
			failed = err
			cancel(failed)
		}
	}
	if err := <-ended; failed == nil {
		failed = err
	}
	return cmp.Or(failed, d.roster.close())
}

// take writes a worker's game.
func (c *collector) take(f finished) error {
	c.work[f.worker] = f.work
	if f.record == nil {
		return nil
	}
	if err := c.out.Add(f.record); err != nil {
		return err
	}
	c.sum.Add(f.record)
	c.count()
	c.host.Progress(*c.sum)
	return nil
}

// count brings the summary up to date.
func (c *collector) count() {
	c.sum.OnDisk, c.sum.Shards = c.out.Complete(), c.out.Shards()
	c.sum.Stats, c.sum.Nodes = nn.Stats{}, 0
	for _, w := range c.work {
		c.sum.Stats = c.sum.Stats.Plus(w.stats)
		c.sum.Nodes += w.nodes
	}
	c.sum.Elapsed = c.host.Now().Sub(c.started)
	c.sum.Idle = 0
	for _, at := range c.ended {
		c.sum.Idle += c.ended[len(c.ended)-1].Sub(at)
	}
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

	// Teacher makes a worker's teacher, which searches its positions in place of the
	// tree search. Teachers of different workers must give the same results. Nil means
	// the tree search, with Evaluator and Solver.
	Teacher func(worker int) (Teacher, error)

	// Evaluator makes a worker's evaluator and is called on the worker's
	// goroutine. Evaluators of different workers must give the same results.
	Evaluator func(worker int) (nn.Evaluator, error)

	// Solver makes a worker's solver. It may be nil.
	Solver func(worker int) mcts.Solver

	// Follow lets the network change between shards; nil: it does not. The run begins
	// with the network of Header and Evaluator.
	Follow *Follow
}

// run describes the run to package samples. The options have their defaults.
func (s *Setup) run(o Options) (samples.Run, error) {
	if s.Start.Outcome() != game.Undecided || s.Start.Ply() != 0 {
		return samples.Run{}, fmt.Errorf("selfplay: the start position has %d moves, want an open game without any", s.Start.Ply())
	}
	if s.Teacher != nil && (o.Targets != (Targets{Gumbel: o.Targets.Gumbel}) || o.Targets.Gumbel.Considered > 0 || s.Follow != nil) {
		return samples.Run{}, errors.New("selfplay: a teacher's games have no targets of visits and no network to follow")
	}
	fields := o.fields
	if s.Teacher != nil {
		fields = o.taughtFields
	}
	search, err := fields(s.Header.Search)
	if err != nil {
		return samples.Run{}, err
	}
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
