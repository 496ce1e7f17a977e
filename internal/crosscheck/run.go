package crosscheck

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math/rand/v2"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"golang.org/x/sync/errgroup"
)

// Host is where and how a run is carried out. Nothing in it changes a row.
type Host struct {
	Games   Source // opened twice: all are read before any work is done
	Engines func() (Engines, error)
	Workers int    // positions at once; zero means 1
	Rows    string // file of the rows; "" keeps none
	Resume  bool   // go on with the rows that are in it

	// Progress, if given, is called after each row, in order, and once before
	// the first, by one goroutine.
	Progress func(Summary)
}

// ErrNone is wrapped by the error for an input without a position to judge.
var ErrNone = errors.New("no position to check")

// Run judges all positions of the games. It returns what was found so far
// beside an error that came in the middle, the context's too; the rows file
// then holds every row that was finished.
func Run(ctx context.Context, o Options, h Host) (found Summary, err error) {
	o = o.WithDefaults()
	total, err := count(h.Games, o.Sampling)
	if err != nil {
		return found, err
	}
	if total == 0 {
		return found, fmt.Errorf("%w: every game of the input is over where a position would be taken", ErrNone)
	}
	j, err := rowsFile.Open(h.Rows, h.Resume)
	if err != nil {
		return found, err
	}
	games, err := h.Games()
	if err != nil {
		return found, errors.Join(err, j.Close())
	}
	defer games.Close()
	r := &run{
		opts: o, host: h, journal: j, found: Summary{Of: total},
		samples: sampler{games: games, rules: o.Sampling},
	}
	if err = r.prepare(); err == nil {
		err = r.work(ctx)
	}
	for _, x := range r.examiners {
		err = errors.Join(err, x.engines.close())
	}
	return r.found, errors.Join(err, j.Close())
}

// run is the state of one Run.
type run struct {
	opts      Options
	host      Host
	journal   *disk.Journal
	found     Summary
	samples   sampler
	examiners []*examiner
}

// prepare takes in the rows of an earlier run and builds the engines.
func (r *run) prepare() (err error) {
	err = loadRows(r.journal, r.opts.fingerprint(), func(row *Row) error {
		s, err := r.samples.next()
		if errors.Is(err, io.EOF) {
			return errors.New("more rows than the input has positions")
		}
		if err == nil {
			err = row.fits(s)
		}
		if err == nil {
			r.found.add(row)
		}
		return err
	})
	for range max(1, r.host.Workers) {
		if err != nil {
			return err
		}
		var e Engines
		if e, err = r.host.Engines(); err == nil {
			r.examiners = append(r.examiners, newExaminer(e, r.opts))
		}
	}
	return err
}

// fits returns an error if a row is not of that position.
func (r *Row) fits(s sample) error {
	if text := s.game.Text(s.plies); r.Index != s.index || r.Position != text || r.Source != s.game.Source {
		return fmt.Errorf("row %d is of %q from %s, the input has %q from %s: want the same input as before",
			r.Index, r.Position, r.Source, text, s.game.Source)
	}
	if v := s.game.Variant; r.Rule != v.Rule() || r.Size != v.Size {
		return fmt.Errorf("row %d is of %s on %dx%[3]d, the input of %[4]s on %[5]dx%[5]d: want the same input as before",
			r.Index, r.Rule, r.Size, v.Rule(), v.Size)
	}
	return nil
}

// window is how many positions for each worker may be in work or wait for an
// earlier one to be written.
const window = 4

// work judges what is left, with every goroutine joined when it returns.
func (r *run) work(ctx context.Context) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	r.progress()
	workers, wctx := errgroup.WithContext(ctx)
	jobs := make(chan sample)
	results := make(chan Row)
	slots := make(chan struct{}, window*len(r.examiners))
	workers.Go(func() error {
		defer close(jobs)
		return r.feed(wctx, jobs, slots)
	})
	for _, x := range r.examiners {
		workers.Go(func() error {
			for s := range jobs {
				row, err := x.row(wctx, s)
				if err != nil {
					return err
				}
				results <- row
			}
			return nil
		})
	}
	var failed error
	go func() {
		failed = workers.Wait()
		close(results)
	}()
	err := r.collect(results, slots, cancel)
	if err == nil {
		err = failed
	}
	return err
}

// feed hands out the positions.
func (r *run) feed(ctx context.Context, jobs chan<- sample, slots chan<- struct{}) error {
	for {
		s, err := r.samples.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		select {
		case slots <- struct{}{}:
		case <-ctx.Done():
			return ctx.Err()
		}
		select {
		case jobs <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// collect writes the rows in order until results is closed. After an error it cancels the work
// and only drains.
func (r *run) collect(results <-chan Row, slots <-chan struct{}, cancel func()) error {
	waiting := map[int]Row{}
	next := r.found.Positions
	var failed error
	for row := range results {
		waiting[row.Index] = row
		for row, ok := waiting[next]; ok && failed == nil; row, ok = waiting[next] {
			if failed = r.journal.Append(&row); failed != nil {
				cancel()
				break
			}
			r.found.add(&row)
			delete(waiting, next)
			next++
			<-slots
			r.progress()
		}
	}
	return failed
}

func (r *run) progress() {
	if r.host.Progress != nil {
		r.host.Progress(r.found)
	}
}

// Options are all settings that can change a row. Zero stands for the default
// that each field names.
type Options struct {
	Playouts int // of MCTS; zero means 400
	Nodes    int // of alpha-beta; zero means 200,000

	// Deeper is by what MCTS's and alpha-beta's budgets are multiplied where
	// they differ, 2 or more. Zero means 4.
	Deeper int

	// SolverNodes bounds each call of the solvers. Zero means 100,000.
	SolverNodes int

	Sampling Sampling

	// Setting describes whatever else makes the engines what they are: program,
	// models, rules, further options. It only has to be equal for a run to be
	// resumed.
	Setting string
}

// Sampling chooses positions of games. Single positions are always taken.
type Sampling struct {
	Every   int    // take every n-th position of a game, from a place drawn by the seed; zero means 1
	PerGame int    // then draw so many of these; zero means all
	Limit   int    // positions in all; zero means no limit
	Seed    uint64 // of what is drawn
}

// Defaults of the zero Options.
const (
	defaultPlayouts    = 400
	defaultNodes       = 200_000
	defaultDeeper      = 4
	defaultSolverNodes = 100_000
)

// WithDefaults returns o with each zero replaced by what it stands for.
func (o Options) WithDefaults() Options {
	o.Playouts = cmp.Or(o.Playouts, defaultPlayouts)
	o.Nodes = cmp.Or(o.Nodes, defaultNodes)
	o.Deeper = cmp.Or(o.Deeper, defaultDeeper)
	o.SolverNodes = cmp.Or(o.SolverNodes, defaultSolverNodes)
	o.Sampling.Every = cmp.Or(o.Sampling.Every, 1)
	return o
}

// rowsVersion changes when rows of equal options would differ.
const rowsVersion = 5

// fingerprint identifies options whose rows may stand in one file. It expects
// the options with their defaults. The limit is not part of it, so that a run
// can be resumed with a higher one.
func (o Options) fingerprint() string {
	o.Sampling.Limit = 0
	text, err := json.Marshal(struct {
		Version int
		Options
	}{rowsVersion, o})
	if err != nil {
		panic(err) // numbers and strings have a JSON form
	}
	sum := sha256.Sum256(text)
	return hex.EncodeToString(sum[:8])
}

// The first keys of every row, so that a file of rows is recognised by its first line,
// which is a row like the others.
const (
	rowsFormat      = "carozero-crosscheck"
	rowsFileVersion = 1
)

// rowsFile is a JSON line for each position, in the input's order.
var rowsFile = disk.JournalKind{
	Name: "a file of rows", Rows: "rows", Format: rowsFormat, Version: rowsFileVersion, MaxLine: MaxRow,
}

// CheckRows returns an error if a run could not keep its rows at path. It
// changes nothing.
func CheckRows(path string, resume bool) error { return rowsFile.Check(path, resume) }

// loadRows calls inOrder with the rows of a run at the file's start that follow one another from
// index 0. The next row overwrites what is behind them: earlier versions kept rows behind a gap.
func loadRows(j *disk.Journal, run string, inOrder func(*Row) error) error {
	for next, end := 0, int64(0); ; next++ {
		var r Row
		there, err := j.Next(&r)
		if err != nil {
			return err
		}
		if there {
			err = r.check(run)
		}
		if err == nil && (!there || r.Index != next) {
			j.DropAfter(end)
			return nil
		}
		if err == nil {
			err = inOrder(&r)
		}
		if err != nil {
			return j.Refuse(err)
		}
		end = j.End()
	}
}

// check returns an error for a row of another run.
func (r *Row) check(run string) error {
	if r.Format != rowsFormat || r.Version != rowsFileVersion {
		return fmt.Errorf("not a row: want %s of version %d", rowsFormat, rowsFileVersion)
	}
	if r.Run != run {
		return errors.New("a row of a run with other options: want the program, engines, budgets, sampling and seed that " +
			"it began with")
	}
	return nil
}

// ParseRow reads a line of a rows file, of whatever run.
func ParseRow(line []byte) (r Row, err error) {
	if err := json.Unmarshal(line, &r); err != nil {
		return r, fmt.Errorf("not a row: %w", err)
	}
	return r, r.check(r.Run)
}

// MaxRow bounds a line of a rows file, in bytes.
const MaxRow = 4 << 20

// IsRows reports whether a file that begins so is a rows file.
func IsRows(head []byte) bool {
	return bytes.HasPrefix(head, fmt.Appendf(nil, `{"format":%q,`, rowsFormat))
}

// sample is a position to be judged.
type sample struct {
	index   int
	game    *gamefiles.Game
	plies   int          // moves of the game that lead to it
	outcome game.Outcome // of the game, if its end tells something of the play
}

// Source opens the games anew, from the first one.
type Source func() (*gamefiles.Reader, error)

// sampler hands out the positions of games, in their order.
type sampler struct {
	games   *gamefiles.Reader
	rules   Sampling
	game    *gamefiles.Game
	number  int   // of the next game
	pending []int // plies of the current game's samples that are still to come
	given   int
}

// next returns the next position, io.EOF after the last one.
func (s *sampler) next() (sample, error) {
	if s.rules.Limit > 0 && s.given == s.rules.Limit {
		return sample{}, io.EOF
	}
	for len(s.pending) == 0 {
		g, err := s.games.Next()
		if err != nil {
			return sample{}, err
		}
		s.game = &g
		if s.pending, err = s.rules.plies(&g, s.number); err != nil {
			return sample{}, err
		}
		s.number++
	}
	out := sample{index: s.given, game: s.game, plies: s.pending[0], outcome: s.game.Outcome}
	if s.game.Reason == game.Forfeit {
		out.outcome = game.Undecided
	}
	s.pending = s.pending[1:]
	s.given++
	return out, nil
}

// plies returns the chosen positions of a game, ascending, by the number of
// moves before them. Positions in which the game is over are left out.
func (s Sampling) plies(g *gamefiles.Game, number int) ([]int, error) {
	end := len(g.Moves)
	pos, err := g.At(end)
	if err != nil {
		return nil, err
	}
	if pos.Outcome() != game.Undecided {
		end--
	} else if !g.Single && end > g.Opening {
		end-- // no move was made in the last position of an unfinished game
	}
	if g.Single {
		if end < len(g.Moves) {
			return nil, nil
		}
		return []int{end}, nil
	}
	rng := rand.New(rand.NewPCG(s.Seed, uint64(number)))
	var list []int
	for p := g.Opening + rng.IntN(s.Every); p <= end; p += s.Every {
		list = append(list, p)
	}
	if s.PerGame == 0 || len(list) <= s.PerGame {
		return list, nil
	}
	rng.Shuffle(len(list), func(i, j int) { list[i], list[j] = list[j], list[i] })
	list = list[:s.PerGame]
	slices.Sort(list)
	return list, nil
}

// count reads all games and returns the number of their positions. So every fault of the input
// shows before any work is done.
func count(open Source, rules Sampling) (int, error) {
	games, err := open()
	if err != nil {
		return 0, err
	}
	defer games.Close()
	s := sampler{games: games, rules: rules}
	for {
		if _, err := s.next(); errors.Is(err, io.EOF) {
			return s.given, nil
		} else if err != nil {
			return 0, err
		}
	}
}
