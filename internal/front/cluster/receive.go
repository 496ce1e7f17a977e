package cluster

import (
	"errors"
	"fmt"
	"path/filepath"
	"slices"

	"golang.org/x/sync/errgroup"

	"github.com/carozero/carozero/selfplay/samples"
)

// arrival is a unit that was replayed through the rules and is to be stored.
type arrival struct {
	session *session
	records []*samples.Record
	reply   func(answer)
}

// ids returns the games of the unit.
func (a *arrival) ids() (ids []int) {
	for _, r := range a.records {
		ids = append(ids, int(r.Game.ID))
	}
	return ids
}

// arrived stores units: in the run if they need no audit, otherwise in their workers'
// windows. They are on disk before the workers get the answer.
func (c *Coordinator) arrived(list []arrival) error {
	var direct []*samples.Record
	parcels := map[*window][]byte{}
	var taken []arrival
	var tasks []int
	for _, a := range list {
		text, open := c.mayStore(&a)
		if !open {
			a.reply(answer{Refused: text})
			continue
		}
		taken = append(taken, a)
		for _, id := range a.ids() {
			tasks = append(tasks, c.table.task(id))
		}
		p := a.session.peer
		p.games += len(a.records)
		if a.session.trusted || c.share(p) == 0 {
			for _, id := range a.ids() {
				c.table.set(id, stored)
			}
			direct = append(direct, a.records...)
			continue
		}
		if err := c.hold(p, &a, parcels); err != nil {
			return err
		}
	}
	// The windows are synced concurrently, which costs little more than one sync.
	var writes errgroup.Group
	for w, parcel := range parcels {
		writes.Go(func() error {
			if err := samples.AppendSpool(c.o.Files, w.path, parcel, w.fresh == len(w.units)); err != nil {
				return fmt.Errorf("%s: %w", w.path, err)
			}
			return nil
		})
	}
	if err := writes.Wait(); err != nil {
		return err
	}
	if err := c.store(direct); err != nil {
		return err
	}
	for w := range parcels {
		c.draw(w)
	}
	slices.Sort(tasks)
	c.settle(slices.Compact(tasks)...)
	c.m.held.Set(float64(c.table.count[held]))
	for _, a := range taken {
		a.reply(answer{})
	}
	return nil
}

// mayStore reports whether a unit is to be stored. If not, why is the reason for refusing it,
// or "" if the run already has it.
func (c *Coordinator) mayStore(a *arrival) (why string, ok bool) {
	s := a.session
	if s.peer.bad != "" {
		return s.peer.refusal(), false
	}
	ids := a.ids()
	for _, id := range ids {
		if c.table.state[id] != open {
			c.m.doubled.Add(float64(len(ids)))
			return "", false
		}
	}
	if !s.tasks[c.table.task(ids[0])] {
		c.m.refused("not dealt")
		return fmt.Sprintf("game %d was not dealt to this session", ids[0]), false
	}
	return "", true
}

// hold adds a unit to its worker's window; what is to be written goes into parcels.
func (c *Coordinator) hold(p *peer, a *arrival, parcels map[*window][]byte) error {
	w := p.current()
	if w == nil {
		w = &window{peer: p, path: filepath.Join(c.dir, heldFolder, heldName(c.number, p.name)), opened: c.o.Now()}
		c.number++
		p.windows = append(p.windows, w)
	}
	for _, r := range a.records {
		var err error
		if parcels[w], err = samples.AppendRecord(parcels[w], r); err != nil {
			return err
		}
		c.table.set(int(r.Game.ID), held)
	}
	w.units = append(w.units, a.ids())
	w.fresh++
	return nil
}

// draw decides at random for each new unit of a window, which is on disk, whether it is
// audited; a window that has become large is closed in any case.
func (c *Coordinator) draw(w *window) {
	share := c.share(w.peer)
	for at := len(w.units) - w.fresh; at < len(w.units); at++ {
		if c.o.Rand.Float64() < share {
			w.fresh = 0
			c.close(w, at)
			return
		}
	}
	w.fresh = 0
	if len(w.units) >= c.o.WindowUnits {
		c.close(w, c.o.Rand.IntN(len(w.units)))
	}
}

// quarantine refuses a worker from now on and has everything that it has sent since its
// last good audit played again. Other workers with the same token of their own are refused
// too.
func (c *Coordinator) quarantine(p *peer, why string) error {
	if p.bad != "" {
		return nil
	}
	c.o.Log.Warn("a worker is quarantined", "worker", p.name, "why", why, "games", p.games)
	if err := c.ledger.write(entry{Event: "quarantined", Worker: p.name, Why: why}); err != nil {
		return err
	}
	c.condemned(p, why)
	c.m.quarantined.Inc()
	err := c.dropGames(p)
	if t := tokenOf(p.name); t != "" {
		for _, name := range c.names() {
			if tokenOf(name) == t {
				err = errors.Join(err, c.quarantine(c.peers[name], why))
			}
		}
	}
	return err
}

// revocations refuses the workers whose token was revoked and has everything that they have
// sent since their last good audit played again.
func (c *Coordinator) revocations() (err error) {
	if c.server == nil {
		return nil
	}
	text := ""
	if err := c.server.Reread(); err != nil {
		text = err.Error()
	}
	if text != c.tokensSaid && text != "" {
		c.o.Log.Warn("the tokens are what they were before", "error", text)
	}
	c.tokensSaid = text
	for _, name := range c.names() {
		p := c.peers[name]
		if p.revoked || p.session == nil && len(p.windows) == 0 || p.session != nil && p.session.trusted || !c.server.Revoked(tokenOf(name)) {
			continue
		}
		c.o.Log.Warn("a worker's token was revoked", "worker", name)
		if p.revoked = true; p.bad == "" {
			p.bad = revokedText
		}
		if p.session != nil {
			p.session.flooded.Store(true) // it cannot come back
		}
		err = errors.Join(err, c.dropGames(p))
	}
	return err
}

// dropGames ends the session of a refused worker and has the games in its windows played
// again.
func (c *Coordinator) dropGames(p *peer) error {
	dropped := []int{}
	for _, w := range p.windows {
		for _, u := range w.units {
			dropped = append(dropped, u...)
		}
	}
	if len(dropped) > 0 {
		if err := c.ledger.write(entry{Event: "dropped", Worker: p.name, Games: dropped}); err != nil {
			return err
		}
	}
	c.m.dropped.Add(float64(len(dropped)))
	var failed error
	for _, w := range p.windows {
		failed = errors.Join(failed, c.o.Files.Remove(w.path))
	}
	p.windows = nil
	for _, id := range dropped {
		c.table.set(id, open)
	}
	for _, id := range dropped {
		if t := c.table.task(id); c.table.tasks[t] == complete {
			c.table.again(t)
		}
	}
	c.m.held.Set(float64(c.table.count[held]))
	if p.session != nil {
		c.drop(p.session, p.refusal())
	}
	return failed
}

// refusal returns the error for a refused worker.
func (p *peer) refusal() string {
	if p.revoked {
		return revokedText
	}
	return quarantinedText(p.bad)
}

const revokedText = "the token of this worker was revoked"

func quarantinedText(why string) string {
	return "this worker is quarantined: " + why
}
