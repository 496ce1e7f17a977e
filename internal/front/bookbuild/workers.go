package bookbuild

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// pool holds the engines of the workers.
type pool struct{ engines []Engines }

// newPool makes the engines of all workers.
func newPool(host Host) (*pool, error) {
	p := &pool{}
	for range max(1, host.Workers) {
		e, err := host.Engines()
		if err != nil {
			return nil, errors.Join(err, p.close())
		}
		p.engines = append(p.engines, e)
	}
	return p, nil
}

// run calls a function for the numbers 0..n-1, as many at once as there are workers, each
// with engines of its own. It returns when all calls have: the first error in the order of
// the numbers, or that of ctx.
func (p *pool) run(ctx context.Context, n int, do func(ctx context.Context, e Engines, i int) error) error {
	ctx, stop := context.WithCancel(ctx)
	defer stop()
	var (
		next atomic.Int64
		all  sync.WaitGroup
		errs = make([]error, n)
	)
	for _, e := range p.engines {
		all.Go(func() {
			for {
				i := int(next.Add(1)) - 1
				if i >= n || ctx.Err() != nil {
					return
				}
				if errs[i] = do(ctx, e, i); errs[i] != nil {
					stop()
				}
			}
		})
	}
	all.Wait()
	var cancelled error
	for _, err := range errs {
		switch {
		case errors.Is(err, context.Canceled):
			cancelled = err
		case err != nil:
			return err
		}
	}
	if cancelled == nil {
		cancelled = ctx.Err()
	}
	return cancelled
}

// close ends all engines.
func (p *pool) close() error {
	var err error
	for _, e := range p.engines {
		err = errors.Join(err, e[0].Close(), e[1].Close())
	}
	return err
}
