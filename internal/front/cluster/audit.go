package cluster

import (
	"context"
	"slices"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// auditor replays units from their seeds. All its methods except serve are called on the
// coordinator's goroutine.
type auditor struct {
	stock *selfplay.GameQueue
	jobs  []*audit
}

// audit is the replay of one unit, which decides whether windows are accepted.
type audit struct {
	unit    []int
	by      samples.PlayedBy
	windows []*window         // that wait for it
	again   []*samples.Record // by place in the unit, as the games finish
}

// add schedules the replay of a unit of a window.
func (a *auditor) add(w *window, unit []int, by samples.PlayedBy) {
	for _, j := range a.jobs {
		if slices.Equal(j.unit, unit) {
			j.windows = append(j.windows, w)
			return
		}
	}
	a.jobs = append(a.jobs, &audit{unit: unit, by: by, windows: []*window{w}, again: make([]*samples.Record, len(unit))})
	a.stock.Add(by, unit...)
}

// over takes in a replayed game. It returns the audit when the unit is complete, and nil
// before.
func (a *auditor) over(r *samples.Record) *audit {
	for i, j := range a.jobs {
		at := slices.Index(j.unit, int(r.Game.ID))
		if at < 0 {
			continue
		}
		j.again[at] = r
		if slices.Contains(j.again, nil) {
			return nil
		}
		a.jobs = append(a.jobs[:i], a.jobs[i+1:]...)
		return j
	}
	return nil
}

// serve plays until the context ends or a game cannot be played.
func (a *auditor) serve(ctx context.Context, o *CoordinatorOptions, take func(*samples.Record)) error {
	host := selfplay.Host{Workers: o.Auditors, AtOnce: o.AuditsAtOnce, Dir: o.Dir}
	return selfplay.PlayQueue(ctx, o.Setup, o.Config.Options, host, a.stock, func(s selfplay.FinishedGame) error {
		take(s.Record)
		return nil
	})
}

// share returns the share of a peer's units that are audited.
func (c *Coordinator) share(p *peer) float64 {
	if p.good < c.o.NewUnits {
		return max(c.o.Audit, c.o.NewAudit)
	}
	return c.o.Audit
}

// close ends a window; the audit of the unit at index at decides about it.
func (c *Coordinator) close(w *window, at int) {
	w.closed = true
	unit := w.units[at]
	by, _ := c.playedBy(unit[0])
	c.auditor.add(w, unit, by)
	c.m.auditing.Set(float64(len(c.auditor.jobs)))
}

// closeAll ends a peer's open windows and audits a random unit of each.
func (c *Coordinator) closeAll(p *peer) {
	if w := p.current(); w != nil {
		c.close(w, c.o.Rand.IntN(len(w.units)))
	}
}

// judge compares the replayed unit with what the windows hold.
func (c *Coordinator) judge(j *audit) error {
	c.m.auditing.Set(float64(len(c.auditor.jobs)))
	for _, w := range j.windows {
		if !slices.Contains(w.peer.windows, w) {
			continue // dropped meanwhile
		}
		records, err := samples.ReadSpool(c.o.Files, w.path, c.run.Layout)
		if err != nil {
			return err
		}
		var got []*samples.Record
		for _, id := range j.unit {
			if i := slices.IndexFunc(records, func(r *samples.Record) bool { return int(r.Game.ID) == id }); i >= 0 {
				got = append(got, records[i])
			}
		}
		why, diverged, err := same(!c.o.Inexact, got, j.again)
		if err != nil {
			return err
		}
		if diverged {
			c.m.audits.WithLabelValues("diverged").Inc()
		}
		if why != "" {
			c.m.audits.WithLabelValues("false").Inc()
			if err := c.quarantine(w.peer, why); err != nil {
				return err
			}
			continue
		}
		c.m.audits.WithLabelValues("same").Inc()
		w.peer.good++
		if err := c.storeWindow(w, records); err != nil {
			return err
		}
	}
	return nil
}

// storeWindow moves the games of a window into the run. Its file may have more: what a torn
// write has left of a unit.
func (c *Coordinator) storeWindow(w *window, records []*samples.Record) error {
	ids := slices.Concat(w.units...)
	records = slices.DeleteFunc(records, func(r *samples.Record) bool { return !slices.Contains(ids, int(r.Game.ID)) })
	for batch := range slices.Chunk(records, releaseBatch) {
		if err := c.store(batch); err != nil {
			return err
		}
	}
	w.peer.forget(w)
	if err := c.ledger.write(entry{Event: "taken", Worker: w.peer.name, Games: ids}); err != nil {
		return err
	}
	return c.o.Files.Remove(w.path)
}

// releaseBatch is how many games are moved into the run with one sync of each journal.
const releaseBatch = 32
