package crosscheck

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/internal/disk"
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
func Run(ctx context.Context, o Options, h Host) (*Findings, error) {
	o = o.WithDefaults()
	if err := o.Check(); err != nil {
		return nil, err
	}
	total, err := count(h.Games, o.Sampling, func(sample) error { return nil })
	if err != nil {
		return nil, err
	}
	if total == 0 {
		return nil, fmt.Errorf("%w: every game of the input is over where a position would be taken", ErrNone)
	}
	j, err := rowsFile.Open(h.Rows, h.Resume)
	if err != nil {
		return nil, err
	}
	games, err := h.Games()
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	defer games.Close()
	r := &run{
		opts: o, host: h, journal: j, tally: newTally(total),
		samples: sampler{games: games, rules: o.Sampling},
	}
	if err = r.prepare(); err == nil {
		err = r.work(ctx)
	}
	for _, x := range r.examiners {
		err = errors.Join(err, x.engines.close())
	}
	err = errors.Join(err, j.Close())
	return &Findings{options: o, tally: r.tally}, err
}

// Findings are the results of a run.
type Findings struct {
	options Options
	tally   *tally
}

// Summary returns the counts.
func (f *Findings) Summary() Summary { return f.tally.summary() }

// run is the state of one Run.
type run struct {
	opts      Options
	host      Host
	journal   *disk.Journal
	tally     *tally
	samples   sampler
	later     map[int]Row // rows of an earlier run, behind a gap
	examiners []*examiner
}

// prepare takes in the rows of an earlier run and builds the engines.
func (r *run) prepare() (err error) {
	r.later, err = loadRows(r.journal, r.opts.fingerprint(), func(row *Row) error {
		s, err := r.samples.next()
		if errors.Is(err, io.EOF) {
			return errors.New("more rows than the input has positions")
		}
		if err == nil {
			err = row.fits(s)
		}
		if err == nil {
			r.tally.add(row)
		}
		return err
	})
	if err == nil && len(r.later) > 0 {
		err = r.checkLater()
	}
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

// checkLater returns an error unless the rows behind a gap are of the input's positions.
func (r *run) checkLater() error {
	left := len(r.later)
	refuse := func(err error) error { return fmt.Errorf("%s %w: %w", r.host.Rows, disk.ErrRefused, err) }
	_, err := count(r.host.Games, r.opts.Sampling, func(s sample) error {
		row, ok := r.later[s.index]
		if !ok {
			return nil
		}
		left--
		if err := row.fits(s); err != nil {
			return refuse(err)
		}
		return nil
	})
	if err == nil && left > 0 {
		err = refuse(errors.New("more rows than the input has positions"))
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
		return fmt.Errorf("row %d is of %s on %dx%[3]d, the input of %[4]s on %[5]dx%[5]d: want the same input as before", r.Index, r.Rule, r.Size, v.Rule(), v.Size)
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
		return r.feed(wctx, jobs, results, slots)
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

// feed hands out the positions. Rows of an earlier run stand for theirs.
func (r *run) feed(ctx context.Context, jobs chan<- sample, results chan<- Row, slots chan<- struct{}) error {
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
		if row, ok := r.later[s.index]; ok {
			results <- row
			continue
		}
		select {
		case jobs <- s:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
}

// collect writes the rows in order until results is closed, and then those
// behind a gap. After an error it cancels the work and only drains.
func (r *run) collect(results <-chan Row, slots <-chan struct{}, cancel func()) error {
	waiting := map[int]Row{}
	next := r.tally.sum.Positions
	var failed error
	for row := range results {
		waiting[row.Index] = row
		for row, ok := waiting[next]; ok && failed == nil; row, ok = waiting[next] {
			if failed = r.journal.Append(&row); failed != nil {
				cancel()
				break
			}
			r.tally.add(&row)
			delete(waiting, next)
			next++
			<-slots
			r.progress()
		}
	}
	for _, index := range slices.Sorted(maps.Keys(waiting)) {
		row := waiting[index]
		if failed == nil {
			failed = r.journal.Append(&row)
		}
	}
	return failed
}

func (r *run) progress() {
	if r.host.Progress != nil {
		r.host.Progress(r.tally.summary())
	}
}
