package bookbuild

import (
	"context"
	"errors"
	"sync/atomic"

	"golang.org/x/sync/errgroup"
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
// with engines of its own. It returns when all calls have: the first error, or that of ctx.
func (p *pool) run(ctx context.Context, n int, do func(ctx context.Context, e Engines, i int) error) error {
	var next atomic.Int64
	all, ctx := errgroup.WithContext(ctx)
	for _, e := range p.engines {
		all.Go(func() error {
			for ctx.Err() == nil {
				i := int(next.Add(1)) - 1
				if i >= n {
					return nil
				}
				if err := do(ctx, e, i); err != nil {
					return err
				}
			}
			return ctx.Err()
		})
	}
	return all.Wait()
}

// close ends all engines.
func (p *pool) close() error {
	var err error
	for _, e := range p.engines {
		err = errors.Join(err, e[0].Close(), e[1].Close())
	}
	return err
}
