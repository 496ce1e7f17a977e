package samples

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"slices"
	"sync"
)

// NetworksName is the name of the file that records which network plays which games, in a
// run whose network may change between shards. It has a line for each begun shard,
// written before the shard's first game.
const NetworksName = "networks.jsonl"

// maxNetworks bounds the bytes read of that file.
const maxNetworks = 256 << 20

// PlayedBy is a line of that file: the network of the games from FromGame up to those of
// the next line.
type PlayedBy struct {
	FromGame int    `json:"from_game"`
	Model    string `json:"model"`
	SHA256   string `json:"sha256"` // "" for the net without knowledge
}

// NetworkName returns the name under which a run keeps the copy of a network.
func NetworkName(sha256 string) string { return "network-" + sha256 + ".onnx" }

var networkName = regexp.MustCompile(`^network-([0-9a-f]{64})\.onnx$`)

// Networks is the record of a run's networks. It may be used by several goroutines.
type Networks struct {
	files    FS
	dir      string
	perShard int

	mu   sync.Mutex
	list []PlayedBy // by game, one for each shard from the first on
}

// Of returns what plays game id, false if its shard was not begun.
func (n *Networks) Of(id int) (PlayedBy, bool) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return of(n.list, id, n.perShard)
}

func of(list []PlayedBy, id, perShard int) (PlayedBy, bool) {
	if k := id / perShard; k < len(list) {
		return list[k], true
	}
	return PlayedBy{}, false
}

// Path returns the path of the copy of a network.
func (n *Networks) Path(sha256 string) string { return filepath.Join(n.dir, NetworkName(sha256)) }

// Keep writes the copy of a network atomically, unless it exists. sha256 is the digest of
// data.
func (n *Networks) Keep(sha256 string, data []byte) error {
	if size, err := n.files.Size(n.Path(sha256)); err == nil && size == int64(len(data)) {
		return nil
	}
	return create(n.files, n.Path(sha256), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
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
		p := PlayedBy{FromGame: k * n.perShard, Model: model, SHA256: sha256}
		line, err := json.Marshal(p)
		if err != nil {
			return err
		}
		lines = append(append(lines, line...), '\n')
		list = append(list, p)
	}
	if len(lines) == 0 {
		return nil
	}
	if err := appendTo(n.files, filepath.Join(n.dir, NetworksName), lines, len(n.list) == 0); err != nil {
		return err
	}
	n.list = list
	return nil
}

// readNetworks returns the lines of a run's record, none if it has none, and the
// length of the complete ones.
func readNetworks(files FS, dir string, perShard int) (list []PlayedBy, size int64, err error) {
	text, err := readAll(files, filepath.Join(dir, NetworksName), maxNetworks)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, 0, nil
	}
	if err != nil {
		return nil, 0, err
	}
	for {
		line, rest, whole := bytes.Cut(text[size:], []byte{'\n'})
		if !whole {
			return list, size, nil
		}
		var p PlayedBy
		if err := json.Unmarshal(line, &p); err != nil {
			return nil, 0, fmt.Errorf("%s line %d: %w", NetworksName, len(list)+1, err)
		}
		if p.FromGame != len(list)*perShard || p.SHA256 != "" && !networkName.MatchString(NetworkName(p.SHA256)) {
			return nil, 0, fmt.Errorf("%s line %d: game %d, network %.70q: want game %d and a SHA-256",
				NetworksName, len(list)+1, p.FromGame, p.SHA256, len(list)*perShard)
		}
		list = append(list, p)
		size = int64(len(text) - len(rest))
	}
}

// openNetworks reads the record of the writer's run and cuts off an incomplete last line.
func (w *Writer) openNetworks() error {
	if !w.run.Follows {
		return nil
	}
	list, size, err := readNetworks(w.files, w.dir, w.run.GamesPerShard)
	if err != nil {
		return err
	}
	if there, err := w.files.Size(w.path(NetworksName)); err == nil && there != size {
		if err := w.files.Truncate(w.path(NetworksName), size); err != nil {
			return err
		}
	}
	w.networks = &Networks{files: w.files, dir: w.dir, perShard: w.run.GamesPerShard, list: list}
	for id, done := range w.done {
		if _, ok := w.networks.Of(id); done && !ok {
			return fmt.Errorf("%s: no line for game %d, which was played: the run cannot be resumed", w.path(NetworksName), id)
		}
	}
	return nil
}

// Networks returns the record of a run with Follows, nil for any other.
func (w *Writer) Networks() *Networks { return w.networks }

// networks reads the record of the run in dir, if it has one.
func (v *verifier) networks(dir string, r *verifiedRun) error {
	if r.plan == nil {
		return nil
	}
	list, _, err := readNetworks(v.files, dir, r.plan.GamesPerShard)
	if err != nil {
		v.wrong(filepath.Join(dir, NetworksName), "%v", err)
	}
	r.networks = list
	return nil
}

// copies checks that the copies of a run's networks exist and have their digests.
func (v *verifier) copies(dir string, list []PlayedBy) error {
	checked := map[string]bool{"": true}
	for _, p := range list {
		if checked[p.SHA256] {
			continue
		}
		checked[p.SHA256] = true
		path := filepath.Join(dir, NetworkName(p.SHA256))
		f, err := v.files.Open(path)
		if errors.Is(err, fs.ErrNotExist) {
			v.wrong(path, "missing, and game %d was played with it", p.FromGame)
			continue
		}
		if err != nil {
			return err
		}
		sum := newHashingReader(f)
		_, err = io.Copy(io.Discard, sum)
		f.Close()
		if err != nil {
			return err
		}
		if got := sum.digest(); got != p.SHA256 {
			v.wrong(path, "its sha256 is %s", got)
		}
	}
	return nil
}

// sameNetwork checks the network of shard k against the record, and replaces it by the
// run's own, for comparison.
func (r *verifiedRun) sameNetwork(k int, run *Run, p *problems) {
	if r.networks == nil {
		return
	}
	h := &run.Header
	by, ok := of(r.networks, k, 1)
	if !ok || by.Model != h.Model || by.SHA256 != h.ModelSHA256 {
		p.add(-1, "", "network %.80q %.70q, %s says %q %q", h.Model, h.ModelSHA256, NetworksName, by.Model, by.SHA256)
	}
	h.Model, h.ModelSHA256 = r.plan.Header.Model, r.plan.Header.ModelSHA256
}
