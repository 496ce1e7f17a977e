package selfplay

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Network is a network that plays games.
type Network struct {
	Name   string
	SHA256 string // of its file; "" for the uniform network

	// Evaluator makes a worker's evaluator and is called on the worker's
	// goroutine. Evaluators of different workers must give the same results.
	Evaluator func(worker int) (nn.Evaluator, error)

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

// networkRecord records which network plays which shard; [samples.Networks] is the one
// in a run's directory.
type networkRecord interface {
	Of(id int) (by samples.PlayedBy, begun bool)
	Path(sha256 string) string
	Keep(sha256 string, data []byte) error
	Drop(sha256 string) error
	Begin(id int, model, sha256 string) error
}

// roster holds the networks that games under way use. It is used under the dealer's lock.
type roster struct {
	follow *Follow       // nil: there is one network
	record networkRecord // unused without follow
	own    *openNetwork  // the Setup's
	open   []*openNetwork
	noted  map[string]bool // lines passed to Follow.Note
}

// openNetwork is a network that games under way use.
type openNetwork struct {
	Network
	users int // workers that have an evaluator of it; -1: it stays open
}

func newRoster(s *Setup, record networkRecord) *roster {
	own := &openNetwork{Network{s.Header.Model, s.Header.ModelSHA256, s.Evaluator, nil}, -1}
	return &roster{follow: s.Follow, record: record, own: own, noted: map[string]bool{}}
}

// of returns the network of game id, which is about to be dealt; the first game of a
// shard decides it for the shard. The caller counts as a user.
func (r *roster) of(id int) (*openNetwork, error) {
	if r.follow == nil {
		return r.own, nil
	}
	by, begun := r.record.Of(id)
	if !begun {
		var err error
		if by, err = r.choose(id); err != nil {
			return nil, err
		}
	}
	n := r.inPlay(by.SHA256)
	if n == nil {
		net, err := r.load(by.SHA256)
		if err != nil {
			return nil, fmt.Errorf("%s: the network of the games from %d on cannot be used: %w", r.record.Path(by.SHA256), by.FromGame, err)
		}
		net.Name = by.Model
		n = r.enter(net)
	}
	if n.users >= 0 {
		n.users++
	}
	return n, nil
}

// choose decides which network plays the shard of game id, and records it: that in the
// file, or the last shard's if the file cannot be used.
func (r *roster) choose(id int) (samples.PlayedBy, error) {
	by := samples.PlayedBy{Model: r.own.Name, SHA256: r.own.SHA256}
	for last := id; last >= 0; last-- {
		if found, ok := r.record.Of(last); ok {
			by = found
			break
		}
	}
	if data, err := r.follow.Look(); err != nil {
		r.note(err)
	} else if newer, err := r.newer(data, by.SHA256); err != nil {
		return by, err
	} else if newer != nil {
		by.Model, by.SHA256 = newer.Name, newer.SHA256
	}
	if by.SHA256 == r.own.SHA256 && by.SHA256 != "" {
		if err := r.record.Keep(by.SHA256, r.follow.Start); err != nil {
			return by, err
		}
	}
	by.FromGame = id
	return by, r.record.Begin(id, by.Model, by.SHA256)
}

// newer returns the network in the file's content, nil if that is the last one or cannot
// be used. An error is the disk's.
func (r *roster) newer(data []byte, last string) (*openNetwork, error) {
	digest := sha256.Sum256(data)
	sum := hex.EncodeToString(digest[:])
	if sum == last || r.noted[sum] {
		return nil, nil
	}
	if n := r.inPlay(sum); n != nil {
		return n, nil
	}
	if err := r.record.Keep(sum, data); err != nil {
		return nil, err
	}
	net, err := r.load(sum)
	if err != nil {
		r.noted[sum] = true
		r.note(err)
		return nil, r.record.Drop(sum)
	}
	return r.enter(net), nil
}

// load opens the copy of a network.
func (r *roster) load(sum string) (Network, error) {
	net, err := r.follow.Open(r.record.Path(sum))
	if err == nil && net.SHA256 != sum {
		err = errors.Join(fmt.Errorf("its sha256 is %s, want %s", net.SHA256, sum), closeNetwork(net))
	}
	return net, err
}

// inPlay returns the open network with a digest, nil if there is none.
func (r *roster) inPlay(sha256 string) *openNetwork {
	if sha256 == r.own.SHA256 {
		return r.own
	}
	i := slices.IndexFunc(r.open, func(n *openNetwork) bool { return n.SHA256 == sha256 })
	if i < 0 {
		return nil
	}
	return r.open[i]
}

func (r *roster) enter(net Network) *openNetwork {
	n := &openNetwork{Network: net}
	r.open = append(r.open, n)
	return n
}

// note passes a reason on, the first time.
func (r *roster) note(err error) {
	if text := err.Error(); !r.noted[text] {
		r.noted[text] = true
		r.follow.Note(text)
	}
}

// release says that a worker has dropped its evaluator of n.
func (r *roster) release(n *openNetwork) error {
	if n.users < 0 {
		return nil
	}
	if n.users--; n.users > 0 {
		return nil
	}
	return r.drop(n)
}

// drop closes a network that nobody uses.
func (r *roster) drop(n *openNetwork) error {
	for i, o := range r.open {
		if o == n {
			r.open = append(r.open[:i], r.open[i+1:]...)
			return closeNetwork(n.Network)
		}
	}
	return nil
}

// close frees all networks; no worker uses any.
func (r *roster) close() error {
	var err error
	for _, n := range r.open {
		err = errors.Join(err, closeNetwork(n.Network))
	}
	r.open = nil
	return err
}

func closeNetwork(n Network) error {
	if n.Close == nil {
		return nil
	}
	return n.Close()
}
