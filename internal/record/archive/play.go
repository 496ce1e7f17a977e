package archive

import (
	"errors"
	"fmt"
	"path/filepath"
	"time"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// findNetworks returns an error unless every run of an archive of games can be played
// here.
func (u *unpacker) findNetworks(path string) error {
	if u.o.Player == nil {
		return errors.New("it holds games, and nothing here plays them")
	}
	r, err := openReader(u.files, path)
	if err != nil {
		return err
	}
	defer r.close()
	run := -1
	for {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		data, err := r.block()
		if data == nil || err != nil {
			return err
		}
		b, err := openBlock(data, r.kind, false)
		if err != nil {
			return err
		}
		first := false
		err = b.lines(func(runLine) error {
			run, first = run+1, true
			return nil
		}, func(samples.Entry, string) error {
			options, err := b.sections[headerSection].text()
			if err != nil || !first {
				return err
			}
			first = false
			h, err := samples.ParseOptions(options)
			if err != nil {
				return invalid("%w", err)
			}
			if run >= len(u.list.Runs) {
				return invalid("it was changed while it was read")
			}
			if err := u.list.Runs[run].plan.Compare(&h, []byte(u.list.Runs[run].line.Options), false); err != nil {
				return invalid("%s: %w", u.list.Runs[run].Name, err)
			}
			if err := u.o.Player.Find(&h); err != nil {
				return fmt.Errorf("%s: %w", u.list.Runs[run].Name, err)
			}
			return nil
		})
		if err != nil {
			return err
		}
	}
}

// errGame is wrapped by the error for a game that is another one here.
var errGame = errors.New("is another one here")

// play plays the run again, or goes on with it, until it is whole.
func (u *unpacker) play() error {
	setup, opts, err := u.o.Player.Play(&u.header, u.run.plan)
	if err != nil {
		return fmt.Errorf("%s: %w; %s", u.run.Name, err, u.madeBy())
	}
	plan, err := selfplay.Plan(setup, opts)
	if err == nil {
		err = plan.Same([]byte(u.run.line.Options))
	}
	if err != nil {
		return fmt.Errorf("%s: this program plays another run of its options; %s: %w", u.run.Name, u.madeBy(), err)
	}
	before := u.total.Rows
	host := u.o.Host
	host.Dir, host.Resume, host.Files, host.Now = u.temp(u.run), true, u.files, u.o.Now
	if host.Now == nil {
		host.Now = func() time.Time { return time.Time{} }
	}
	host.Accept = func(r *samples.Record) error {
		id := int(r.Game.ID)
		if id >= len(u.hashes) || hashGames(nil, []samples.Game{r.Game})[0] != u.hashes[id] {
			return fmt.Errorf("%s: game %d %w; %s", u.run.Name, id, errGame, u.madeBy())
		}
		return nil
	}
	host.Progress = func(s selfplay.Summary) { u.step(min(before+int(s.Positions), u.list.Rows), u.list.Rows) }
	if _, err := selfplay.Run(u.ctx, setup, opts, host); err != nil {
		return err
	}
	entries, err := samples.ReadManifest(u.files, host.Dir)
	if err != nil {
		return err
	}
	if len(entries) != len(u.run.entries) {
		return fmt.Errorf("%s: %d shards, want %d", host.Dir, len(entries), len(u.run.entries))
	}
	for i, e := range entries {
		want := u.run.entries[i]
		if e.File != want.File || e.SHA256 != want.SHA256 || e.Bytes != want.Bytes || e.Rows != want.Rows || e.ModelSHA256 != want.ModelSHA256 {
			return fmt.Errorf("%s: %w, though its games are the same: %d bytes, sha256 %.12s…, want %d, %.12s…; %s",
				filepath.Join(u.run.Name, e.File), errOther, e.Bytes, e.SHA256, want.Bytes, want.SHA256, u.madeBy())
		}
		u.count(&want)
	}
	return nil
}
