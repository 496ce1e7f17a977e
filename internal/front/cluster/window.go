package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

// window holds units of one worker that are on disk and not audited yet, in order of
// arrival.
type window struct {
	peer   *peer
	path   string
	units  [][]int // games
	opened time.Time
	fresh  int  // units at the end that draw has not considered yet
	closed bool // an audit of one of its units decides about it
}

// games returns how many games are in the window.
func (w *window) games() (n int) {
	for _, u := range w.units {
		n += len(u)
	}
	return n
}

// peer is a worker, across all its sessions.
type peer struct {
	name    string
	session *session // nil: not connected
	good    int      // units that were replayed with the same result
	windows []*window
	games   int    // accepted
	bad     string // why it is refused, "" if it is not
	revoked bool   // refused because its token was revoked
}

// current returns the window for the peer's next unit.
func (p *peer) current() *window {
	if n := len(p.windows); n > 0 && !p.windows[n-1].closed {
		return p.windows[n-1]
	}
	return nil
}

// forget removes a window.
func (p *peer) forget(w *window) {
	for i, other := range p.windows {
		if other == w {
			p.windows = append(p.windows[:i], p.windows[i+1:]...)
			return
		}
	}
}

// heldFolder is the folder of the windows, inside the cluster's folder.
const heldFolder = "held"

var heldPattern = regexp.MustCompile(`^held-([0-9]{9})-(.+)\.bin$`)

// heldName returns the name of a window's file.
func heldName(number int, worker string) string {
	return fmt.Sprintf("held-%09d-%s.bin", number, worker)
}

// parseHeld reads the name of a window's file.
func parseHeld(name string) (number int, worker string, ok bool) {
	m := heldPattern.FindStringSubmatch(name)
	if m == nil {
		return 0, "", false
	}
	if name, token, own := strings.Cut(m[2], "@"); CheckName(name) != nil || own && CheckName(token) != nil {
		return 0, "", false
	}
	number, err := strconv.Atoi(m[1])
	return number, m[2], err == nil
}

// recoverWindows loads the windows that an earlier coordinator left. Each gets an audit of
// its own. Windows of workers that are quarantined or whose token was revoked are deleted.
func (c *Coordinator) recoverWindows() error {
	if c.server != nil {
		if err := c.server.Reread(); err != nil {
			return err
		}
	}
	dir := filepath.Join(c.dir, heldFolder)
	if err := c.o.Files.MkdirAll(dir); err != nil {
		return err
	}
	names, err := c.o.Files.List(dir)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	for _, name := range names {
		number, worker, ok := parseHeld(name)
		if !ok {
			continue
		}
		c.number = max(c.number, number+1)
		p := c.peer(worker)
		if p.bad != "" || c.badTokens[tokenOf(worker)] != "" || c.server != nil && c.server.Revoked(tokenOf(worker)) {
			if err := c.o.Files.Remove(filepath.Join(dir, name)); err != nil {
				return err
			}
			continue
		}
		if err := c.recoverWindow(p, filepath.Join(dir, name)); err != nil {
			return err
		}
	}
	return nil
}

// recoverWindow loads one window: its complete units that are still open.
func (c *Coordinator) recoverWindow(p *peer, path string) error {
	records, err := samples.ReadSpool(c.o.Files, path, c.run.Layout)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	w := &window{peer: p, path: path, opened: c.o.Now()}
	for _, r := range records {
		if r.Game.ID >= uint64(c.table.games) {
			return fmt.Errorf("%s: game %d is not of this run", path, r.Game.ID)
		}
		if id := int(r.Game.ID); c.table.state[id] == open {
			w.units = append(w.units, []int{id})
			c.table.set(id, held)
		}
	}
	if len(w.units) == 0 {
		return c.o.Files.Remove(path)
	}
	p.windows = append(p.windows, w)
	c.close(w, c.o.Rand.IntN(len(w.units)))
	return nil
}
