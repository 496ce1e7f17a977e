package selfplay

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Network is a network that plays games.
type Network struct {
	Name   string
	SHA256 string // of its file; "" for the uniform network

	// Evaluator makes a worker's evaluator and is called on the worker's goroutine, whose
	// turn is nil without a device. Evaluators of different workers must give the same
	// results.
	Evaluator func(worker int, turn *nn.Turn) (nn.Evaluator, error)

	// Close frees the network once no evaluator of it is in use. It may be nil.
	Close func() error
}

// Follow lets a run use a newer network from a file at the start of each shard, while a
// trainer writes better ones to the file. Its functions are called by one goroutine at a
// time.
//
// The file is read when the first game of a shard is about to be dealt. Its network plays
// all games of the shard. Which one it is, and a copy of it, are on disk before the game
// begins. So the network of a game depends only on the game's id and on that record, and
// a resumed run plays its begun shards with the recorded networks. If the file is missing
// or cannot be used, the network stays the same.
type Follow struct {
	// Look returns the current content of the file.
	Look func() ([]byte, error)

	// Open loads the network in the file at path. It fails if the network cannot
	// evaluate the run's positions.
	Open func(path string) (Network, error)

	// Start is the content of the file of the Setup's own network, with which the run
	// begins; nil for the uniform network.
	Start []byte

	// Note is called with the reason why the file is not used, one line, once for each
	// reason.
	Note func(line string)
}

// load opens a copy of the network with a digest.
func (f *Follow) load(path, sum string) (Network, error) {
	net, err := f.Open(path)
	if err == nil && net.SHA256 != sum {
		err = errors.Join(fmt.Errorf("%s: its sha256 is %s, want %s", path, net.SHA256, sum), net.close())
	}
	return net, err
}

func (n *Network) close() error {
	if n.Close == nil {
		return nil
	}
	return n.Close()
}

// Assigner decides which network plays which shard of a run. It is used by one goroutine at
// a time.
type Assigner struct {
	follow   *Follow // nil: there is one network
	own      samples.PlayedBy
	record   *samples.Networks // of a run that follows
	perShard int
	noted    map[string]bool // lines passed to Follow.Note, and digests of files that cannot be used
}

// NewAssigner returns the assigner of a run that is written through out.
func NewAssigner(setup Setup, opts Options, out *samples.Writer) *Assigner {
	a := &Assigner{
		follow: setup.Follow, record: out.Networks(),
		perShard: opts.WithDefaults().GamesPerShard, noted: map[string]bool{},
		own: samples.PlayedBy{Model: setup.Header.Model, SHA256: setup.Header.ModelSHA256},
	}
	for _, sum := range a.record.Broken() {
		a.noted[sum] = true
	}
	return a
}

// Of returns the network that plays game id, which is about to be dealt. The first game of
// a shard decides it for the whole shard, and the decision is on disk when Of returns.
func (a *Assigner) Of(id int) (by samples.PlayedBy, err error) { return a.of(id, false) }

// of is Of; with stay a shard that begins has the network of the one before.
func (a *Assigner) of(id int, stay bool) (by samples.PlayedBy, err error) {
	by, begun := a.own, a.follow == nil
	for last := id; last >= 0 && !begun; last -= a.perShard {
		if found, ok := a.record.Of(last); ok {
			by, begun = found, last == id
			break
		}
	}
	if !begun {
		if !stay {
			if by, err = a.newest(by); err != nil {
				return by, err
			}
		}
		if by.SHA256 == a.own.SHA256 {
			if err := a.keepOwn(); err != nil {
				return by, err
			}
		}
		if err := a.record.Begin(id, by.Model, by.SHA256); err != nil {
			return by, err
		}
	}
	by.FromGame = id - id%a.perShard
	return by, nil
}

// keepOwn writes the copy of the network that the run begins with.
func (a *Assigner) keepOwn() error {
	if a.own.SHA256 == "" {
		return nil
	}
	return a.record.Keep(a.own.SHA256, a.follow.Start)
}

// newest returns the network in the file, a copy of which is on disk then, or the last
// shard's if the file's cannot be used. An error is the disk's.
func (a *Assigner) newest(last samples.PlayedBy) (samples.PlayedBy, error) {
	data, err := a.follow.Look()
	if err != nil {
		a.note(err)
		return last, nil
	}
	sum := disk.Sum(data)
	switch {
	case sum == last.SHA256 || a.noted[sum]:
		return last, nil
	case sum == a.own.SHA256:
		return a.own, nil
	}
	if err := a.record.Keep(sum, data); err != nil {
		return last, err
	}
	net, err := a.follow.load(a.record.Path(sum), sum)
	if err != nil {
		a.noted[sum] = true
		a.note(err)
		return last, a.record.Drop(sum)
	}
	return samples.PlayedBy{Model: net.Name, SHA256: sum}, net.close()
}

// note passes a reason on, the first time.
func (a *Assigner) note(err error) {
	if text := err.Error(); !a.noted[text] {
		a.noted[text] = true
		a.follow.Note(text)
	}
}

// BrokenNetwork is the error of games whose network does not evaluate positions.
type BrokenNetwork struct {
	SHA256 string
	error
}

func (e *BrokenNetwork) Unwrap() error { return e.error }

// NewBrokenNetwork returns the error of a network that gave results that are not finite, as
// another machine has told them.
func NewBrokenNetwork(sha256, told string) error {
	return &BrokenNetwork{sha256, fmt.Errorf("%s: %w", strings.TrimSuffix(told, ": "+nn.ErrBroken.Error()), nn.ErrBroken)}
}

// Broken returns the network by whose results, which were not finite, games ended with err.
func Broken(err error) (*BrokenNetwork, bool) {
	broken, ok := errors.AsType[*BrokenNetwork](err)
	return broken, ok && errors.Is(broken, nn.ErrBroken)
}

// PlayAgain reports whether a run that has ended with an error goes on: if a followed network
// gave results that are not finite, its unfinished shards are played again with the network
// before it.
func (a *Assigner) PlayAgain(out *samples.Writer, failed error) (bool, error) {
	broken, ok := Broken(failed)
	if !ok {
		return false, failed
	}
	if a.follow == nil || broken.SHA256 == a.own.SHA256 {
		return false, fmt.Errorf("%w: begin another run with another network", failed)
	}
	if err := a.keepOwn(); err != nil {
		return false, err
	}
	from, err := out.Replace(broken.SHA256, a.own)
	if err != nil {
		return false, err
	}
	a.noted[broken.SHA256] = true
	a.note(fmt.Errorf("%w; its shards that are not finished are played again from game %d on, with the network before it",
		broken.error, from))
	return true, nil
}

// openNetworks holds the networks that games under way use. It is used under the dealer's
// lock.
type openNetworks struct {
	follow *Follow // nil: there is one network
	dir    string  // where copies of followed ones are
	own    *openNetwork
	open   []*openNetwork
}

// openNetwork is a network that games under way use.
type openNetwork struct {
	Network
	users int // workers that have an evaluator of it
}

func newOpenNetworks(s *Setup, dir string) *openNetworks {
	return &openNetworks{
		follow: s.Follow, dir: dir,
		own: &openNetwork{Network: Network{SHA256: s.Header.ModelSHA256, Evaluator: s.Evaluator}},
	}
}

// use returns a network, and counts the caller as a user.
func (o *openNetworks) use(by samples.PlayedBy) (*openNetwork, error) {
	if o.follow == nil || by.SHA256 == o.own.SHA256 {
		o.own.users++
		return o.own, nil
	}
	i := slices.IndexFunc(o.open, func(n *openNetwork) bool { return n.SHA256 == by.SHA256 })
	if i < 0 {
		path := filepath.Join(o.dir, samples.NetworkName(by.SHA256))
		net, err := o.follow.load(path, by.SHA256)
		if err != nil {
			return nil, fmt.Errorf("%s: the network of the games from %d on cannot be used: %w", path, by.FromGame, err)
		}
		i, o.open = len(o.open), append(o.open, &openNetwork{Network: net})
	}
	o.open[i].users++
	return o.open[i], nil
}

// inUse returns how many networks have users.
func (o *openNetworks) inUse() int { return len(o.open) + min(o.own.users, 1) }

// release says that a user has gone. A network without users is closed.
func (o *openNetworks) release(n *openNetwork) error {
	if n.users--; n.users > 0 || n == o.own {
		return nil
	}
	o.open = slices.DeleteFunc(o.open, func(m *openNetwork) bool { return m == n })
	return n.close()
}

// close frees all networks; nobody uses any.
func (o *openNetworks) close() (err error) {
	for _, n := range o.open {
		err = errors.Join(err, n.close())
	}
	o.open = nil
	return err
}
