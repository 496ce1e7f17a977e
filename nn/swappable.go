package nn

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"
)

// Swappable is a [Network] whose model can be exchanged while searches use
// it. A model that was taken out is closed when the last Forward on it has
// returned, never earlier.
//
// A Forward uses one model from its start to its end, but a Run of several
// batches that a Swap meets may use both. Where results must be reproducible,
// swap between searches.
type Swappable struct {
	enc     Encoder
	mu      sync.Mutex // guards the counts of every tenure, and closed
	current atomic.Pointer[tenure]
	closed  bool
	err     error // of closing retired networks
}

// tenure is the time that one network is in place.
type tenure struct {
	net     Network
	id      uint64
	users   int  // calls of Forward that run now
	retired bool // no new users
}

// NewSwappable returns a Swappable that owns net and only accepts networks
// that suit enc. It keeps enc, only to ask networks to Check it.
func NewSwappable(net Network, enc Encoder) (*Swappable, error) {
	if err := net.Check(enc); err != nil {
		return nil, err
	}
	s := &Swappable{enc: enc}
	s.current.Store(&tenure{net: net, id: net.ID()})
	return s, nil
}

// Swap puts net in the place of the current network and takes ownership of
// it. On an error net stays the caller's and nothing changes. Swap does not
// wait for running calls of Forward.
func (s *Swappable) Swap(net Network) error {
	if err := net.Check(s.enc); err != nil {
		return err
	}
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	old := s.current.Load()
	// Every tenure has an ID of its own, so that an answer is never filed
	// under a model that was in place only before and after its computation.
	s.current.Store(&tenure{net: net, id: chain(old.id, net.ID())})
	idle := old.retire()
	s.mu.Unlock()
	s.dispose(old, idle)
	return nil
}

// Name implements [Network].
func (s *Swappable) Name() string { return s.current.Load().net.Name() }

// ID implements [Network]; it changes with every Swap.
func (s *Swappable) ID() uint64 { return s.current.Load().id }

// Check implements [Network].
func (s *Swappable) Check(enc Encoder) error { return s.current.Load().net.Check(enc) }

// Forward implements [Network].
func (s *Swappable) Forward(ctx context.Context, b *Batch) error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return ErrClosed
	}
	t := s.current.Load()
	t.users++
	s.mu.Unlock()

	defer func() {
		s.mu.Lock()
		t.users--
		idle := t.retired && t.users == 0
		s.mu.Unlock()
		s.dispose(t, idle)
	}()
	return t.net.Forward(ctx, b)
}

// Close implements [Network]. It does not wait for running calls of Forward,
// the last of which closes the network. The error is that of every network
// closed so far.
func (s *Swappable) Close() error {
	s.mu.Lock()
	if s.closed {
		s.mu.Unlock()
		return nil
	}
	s.closed = true
	t := s.current.Load()
	idle := t.retire()
	s.mu.Unlock()
	s.dispose(t, idle)
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.err
}

// retire keeps new users away and reports whether there are none.
func (t *tenure) retire() bool {
	t.retired = true
	return t.users == 0
}

// dispose closes a retired network that nobody uses.
func (s *Swappable) dispose(t *tenure, idle bool) {
	if !idle {
		return
	}
	if err := t.net.Close(); err != nil {
		s.mu.Lock()
		s.err = errors.Join(s.err, err)
		s.mu.Unlock()
	}
}
