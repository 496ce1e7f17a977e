package samples

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"
)

// PlayedBy is a line of the record of networks: the network of the games from FromGame up
// to those of the next line.
type PlayedBy struct {
	FromGame int    `json:"from_game"`
	Model    string `json:"model"`
	SHA256   string `json:"sha256"` // "" for the net without knowledge

	// Broken is the SHA-256 of the network with which the games were begun, if that turned
	// out to be of no use: the copy of it is no part of the run.
	Broken string `json:"broken,omitempty"`
}

// NetworkName returns the name under which a run keeps the copy of a network.
func NetworkName(sha256 string) string { return "network-" + sha256 + ".onnx" }

// readNetworks returns the lines of a run's record, by shard, none if it has none, and the
// length of the whole ones.
func readNetworks(dir string, perShard int) ([]PlayedBy, int64, error) {
	path := filepath.Join(dir, NetworksName)
	text, err := readFile(path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	} else if err != nil {
		return nil, 0, err
	}
	list, size, err := parseLines[PlayedBy](path, text)
	for k, p := range list {
		if p.FromGame != k*perShard || p.SHA256 != "" && !hexDigest.MatchString(p.SHA256) {
			return nil, 0, fmt.Errorf("%s line %d: game %d, network %.70q: want game %d and a SHA-256",
				path, k+1, p.FromGame, p.SHA256, k*perShard)
		}
	}
	return list, size, err
}

// Networks is the record of a run's networks. It may be used by several goroutines.
type Networks struct {
	files    FS
	dir      string
	perShard int

	mu   sync.Mutex
	list []PlayedBy // by shard
}

// Networks returns the record of a run with Follows, nil for any other.
func (w *Writer) Networks() *Networks { return w.networks }

// openNetworks reads the record of the writer's run and cuts off an incomplete last line.
func (w *Writer) openNetworks() error {
	if !w.run.Follows {
		return nil
	}
	list, size, err := readNetworks(w.dir, w.run.GamesPerShard)
	if err != nil {
		return err
	}
	path := w.path(NetworksName)
	if err := w.cut(path, size); err != nil && !errors.Is(err, os.ErrNotExist) {
		return err
	}
	w.networks = &Networks{files: w.files, dir: w.dir, perShard: w.run.GamesPerShard, list: list}
	for id, done := range w.done {
		if _, ok := w.networks.Of(id); done && !ok {
			return fmt.Errorf("%s: no line for game %d, which was played: the run cannot be resumed", path, id)
		}
	}
	return nil
}

// Of returns what plays game id, false if its shard was not begun.
func (n *Networks) Of(id int) (PlayedBy, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if k := id / n.perShard; k < len(n.list) {
		return n.list[k], true
	}
	return PlayedBy{}, false
}

// Broken returns the networks whose shards were played again with others, in the order of the
// shards; none where n is nil.
func (n *Networks) Broken() (sums []string) {
	if n == nil {
		return nil
	}
	n.mu.Lock()
	defer n.mu.Unlock()
	for _, p := range n.list {
		if p.Broken != "" && !slices.Contains(sums, p.Broken) {
			sums = append(sums, p.Broken)
		}
	}
	return sums
}

// Path returns the path of the copy of a network.
func (n *Networks) Path(sha256 string) string { return filepath.Join(n.dir, NetworkName(sha256)) }

// Keep writes the copy of a network, unless it exists. sha256 is the digest of data.
func (n *Networks) Keep(sha256 string, data []byte) error {
	if info, err := os.Stat(n.Path(sha256)); err == nil && info.Size() == int64(len(data)) {
		return nil
	}
	return writeBytes(n.files, n.Path(sha256), data)
}

// Drop removes the copy of a network that no game was played with.
func (n *Networks) Drop(sha256 string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	if slices.ContainsFunc(n.list, func(p PlayedBy) bool { return p.SHA256 == sha256 }) {
		return nil
	}
	return n.files.Remove(n.Path(sha256))
}

// Begin records the network of all shards up to that of game id that have not begun. When
// it returns nil the record is on disk.
func (n *Networks) Begin(id int, model, sha256 string) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	var lines []byte
	list := n.list
	for k := len(list); k <= id/n.perShard; k++ {
		list = append(list, PlayedBy{FromGame: k * n.perShard, Model: model, SHA256: sha256})
		line, err := jsonLine(list[k])
		if err != nil {
			return err
		}
		lines = append(lines, line...)
	}
	if len(lines) == 0 {
		return nil
	}
	err := n.files.Append(filepath.Join(n.dir, NetworksName), lines)
	if err == nil {
		n.list = list
	}
	return err
}

// Replace has the unfinished shards of a network that turned out to be broken played again,
// from their first game, with the last other network before them, or the run's own. It returns
// the first of these games. After a crash in between the shards are still the broken one's.
func (w *Writer) Replace(broken string, own PlayedBy) (from int, err error) {
	n := w.networks
	n.mu.Lock()
	defer n.mu.Unlock()
	from, before := w.run.Games, own
	list := slices.Clone(n.list)
	var lines []byte
	for k := range list {
		switch p := &list[k]; {
		case p.SHA256 != broken:
			before = *p
		case k >= w.next:
			p.Model, p.SHA256, p.Broken = before.Model, before.SHA256, broken
			from = min(from, p.FromGame)
			if err := w.forget(k); err != nil {
				return from, err
			}
		}
		line, err := jsonLine(list[k])
		if err != nil {
			return from, err
		}
		lines = append(lines, line...)
	}
	if err = w.write(NetworksName, lines); err == nil {
		n.list = list
	}
	return from, err
}

// forget removes the journal of a shard with its games.
func (w *Writer) forget(k int) error {
	if w.waiting[k] == 0 {
		return nil
	}
	first, after := w.run.gamesOf(k)
	clear(w.done[first:after])
	w.complete -= w.waiting[k]
	delete(w.waiting, k)
	return w.files.Remove(w.path(journalName(k)))
}
