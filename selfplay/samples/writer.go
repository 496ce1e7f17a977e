package samples

import (
	"cmp"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/disk"
)

// FS makes the changes of a run to the disk. Each is durable when it returns.
type FS interface {
	// Write replaces a file with what write, which it calls once, writes: completely, or
	// not at all.
	Write(path string, write func(io.Writer) error) error
	// Append writes data at the end of a file, which it makes if need be. After a crash
	// a part of it may be there.
	Append(path string, data []byte) error
	// Truncate cuts a file to size bytes.
	Truncate(path string, size int64) error
	// Remove deletes a file.
	Remove(path string) error
}

// Disk is the operating system's file system.
type Disk struct{}

var _ FS = Disk{}

// Write implements [FS].
func (Disk) Write(path string, write func(io.Writer) error) error { return disk.Write(path, write) }

// Append implements [FS].
func (Disk) Append(path string, data []byte) error {
	_, missing := os.Stat(path)
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666)
	if err != nil {
		return err
	}
	if _, err = f.Write(data); err == nil {
		err = f.Sync()
	}
	err = cmp.Or(err, f.Close())
	if err == nil && missing != nil {
		err = disk.SyncFolder(filepath.Dir(path))
	}
	return err
}

// Truncate implements [FS].
func (Disk) Truncate(path string, size int64) error {
	f, err := os.OpenFile(path, os.O_WRONLY, 0)
	if err != nil {
		return err
	}
	return cmp.Or(f.Truncate(size), f.Sync(), f.Close())
}

// Remove implements [FS].
func (Disk) Remove(path string) error { return os.Remove(path) }

// ErrExists is wrapped by Create's error for a directory that holds a run.
var ErrExists = errors.New("the directory holds a run already")

// Writer writes a run's finished games and holds the lock of the run's directory until it
// is closed. It belongs to one goroutine and blocks on the disk. After its first error all
// methods fail; Resume continues from what is on disk.
type Writer struct {
	files FS
	lock  io.Closer
	dir   string
	run   Run
	now   func() time.Time

	done     []bool      // by game id: on disk
	complete int         // games on disk
	waiting  map[int]int // by shard: games in its journal
	next     int         // the first unfinished shard
	networks *Networks   // nil unless run.Follows
	err      error
}

// Create starts a run in dir, which is made if need be and must hold no run.
// now is asked for the times in the manifest. A directory that another process
// writes to is an error that says which.
func Create(files FS, dir string, run Run, now func() time.Time) (*Writer, error) {
	return open(files, dir, run, now, (*Writer).create)
}

// Resume continues the run in dir, which must have been started with the same run; in a
// directory without a run it starts one. It removes what a crash left unfinished, and
// checks every finished shard against the manifest. Done then tells which
// games are on disk. If another process writes to the directory, the error names it.
func Resume(files FS, dir string, run Run, now func() time.Time) (*Writer, error) {
	return open(files, dir, run, now, (*Writer).resume)
}

// open locks dir and calls begin with the names in it. It takes the lock before it reads
// anything, so that nothing read is out of date.
func open(files FS, dir string, run Run, now func() time.Time, begin func(w *Writer, names []string) error) (*Writer,
	error) {
	err := run.check()
	if h := &run.Header; err == nil && (len(h.Planes.Names) != run.Layout.Planes || len(h.Globals) != run.Layout.Globals) {
		err = fmt.Errorf("names of %d planes and %d globals, the encoder has %d and %d",
			len(h.Planes.Names), len(h.Globals), run.Layout.Planes, run.Layout.Globals)
	}
	if err != nil {
		return nil, fmt.Errorf("samples: %w", err)
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return nil, err
	}
	held, err := disk.LockDir(dir)
	if err != nil {
		return nil, err
	}
	run.Header.Rows, run.Header.Games = 0, nil
	w := &Writer{files: files, lock: held, dir: dir, run: run, now: now,
		done: make([]bool, run.Games), waiting: map[int]int{}}
	names, err := listDir(dir)
	for _, step := range []func() error{func() error { return begin(w, names) }, w.openNetworks, w.finish} {
		if err == nil {
			err = step()
		}
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
}

// listDir returns the names in a directory.
func listDir(dir string) (names []string, err error) {
	entries, err := os.ReadDir(dir)
	for _, e := range entries {
		names = append(names, e.Name())
	}
	return names, err
}

// create begins a new run.
func (w *Writer) create(names []string) error {
	if i := slices.IndexFunc(names, ofRun); i >= 0 {
		return fmt.Errorf("%w: %s has %s; resume that run, or choose an empty directory", ErrExists, w.dir, names[i])
	}
	return w.start()
}

// resume continues an existing run.
func (w *Writer) resume(names []string) error {
	for _, name := range names {
		if unfinished(name) {
			if err := w.files.Remove(w.path(name)); err != nil {
				return err
			}
		}
	}
	if !slices.Contains(names, RunName) {
		if i := slices.IndexFunc(names, ofRun); i >= 0 {
			return fmt.Errorf("%s has %s but no %s: not a run that can be resumed", w.dir, names[i], RunName)
		}
		return w.start()
	}
	found, err := readFile(w.path(RunName))
	if err != nil {
		return err
	}
	if err := w.run.Same(found); err != nil {
		return fmt.Errorf("%s: %w", w.path(RunName), err)
	}
	if err := w.recoverManifest(); err != nil {
		return err
	}
	for _, name := range names {
		if k, ok := journalNumber(name); ok {
			if err := w.recoverJournal(k, w.path(name)); err != nil {
				return err
			}
		}
	}
	return nil
}

// Close releases the lock of the run's directory. What was added is on disk
// already.
func (w *Writer) Close() error { return w.lock.Close() }

// ofRun reports whether name is that of a run's file.
func ofRun(name string) bool {
	_, shard := shardNumber(name)
	_, journal := journalNumber(name)
	return shard || journal || name == RunName || name == ManifestName || name == NetworksName
}

// unfinished reports whether name is that of a file of a run whose writing was interrupted.
func unfinished(name string) bool {
	of, number, found := strings.Cut(strings.TrimSuffix(name, ".tmp"), ".")
	if i := strings.LastIndex(number, "."); found && strings.HasSuffix(name, ".tmp") && i >= 0 {
		whole := of + "." + number[:i]
		return ofRun(whole) || strings.HasPrefix(whole, "network-")
	}
	return false
}

func (w *Writer) path(name string) string { return filepath.Join(w.dir, name) }

// start writes the files of a run without games.
func (w *Writer) start() error {
	text, err := w.run.Text()
	if err == nil {
		err = w.write(RunName, text)
	}
	if err != nil {
		return err
	}
	return w.files.Append(w.path(ManifestName), nil)
}

// write writes a small file of the run.
func (w *Writer) write(name string, data []byte) error {
	return writeBytes(w.files, w.path(name), data)
}

func writeBytes(files FS, path string, data []byte) error {
	return files.Write(path, func(out io.Writer) error {
		_, err := out.Write(data)
		return err
	})
}

// recoverManifest counts the finished shards.
func (w *Writer) recoverManifest() error {
	path := w.path(ManifestName)
	entries, size, err := readManifest(w.dir)
	if errors.Is(err, os.ErrNotExist) {
		return w.files.Append(path, nil)
	}
	if err == nil {
		err = w.cut(path, size)
	}
	if err != nil {
		return err
	}
	for k, e := range entries {
		from, to := w.run.gamesOf(k)
		if k >= w.run.Shards() || e.File != ShardName(k) || e.Games != to-from {
			return fmt.Errorf("%s line %d: %s of %d games is not this run's shard %d", path, k+1, e.File, e.Games, k)
		}
		source := Source{w.path(e.File), &e}
		_, found, err := source.decode(false)
		if err == nil {
			_, err = source.compare(found)
		}
		if err != nil {
			return fmt.Errorf("%s or its line in %s is damaged, and the run cannot be resumed without a whole copy: %w",
				source.Path, ManifestName, err)
		}
		for id := from; id < to; id++ {
			w.done[id] = true
		}
		w.complete += to - from
		w.next++
	}
	return nil
}

// recoverJournal counts the games of shard k's journal. It removes the journal of a
// finished shard.
func (w *Writer) recoverJournal(k int, path string) error {
	if k < w.next {
		return w.files.Remove(path)
	}
	records, size, err := readJournal(path, w.run.Layout)
	if err != nil {
		return err
	}
	for _, r := range records {
		id := r.Game.ID
		if id >= uint64(w.run.Games) || w.run.shardOf(int(id)) != k || w.done[id] {
			return fmt.Errorf("%s: game %d does not belong here", path, id)
		}
		w.enter(int(id))
	}
	return w.cut(path, size)
}

// cut shortens a file to size bytes if it is longer.
func (w *Writer) cut(path string, size int64) error {
	info, err := os.Stat(path)
	if err != nil || info.Size() == size {
		return err
	}
	return w.files.Truncate(path, size)
}

// Done reports whether game id is on disk.
func (w *Writer) Done(id int) bool { return w.done[id] }

// Complete returns the number of games on disk.
func (w *Writer) Complete() int { return w.complete }

// Shards returns the number of finished shards.
func (w *Writer) Shards() int { return w.next }

// Add stores a finished game. When it returns nil the game is on disk and will
// not be lost, and every shard that it completed is finished. Shards are
// finished in order, whatever the order of the games. Add seals the record's
// rows.
func (w *Writer) Add(r *Record) error { return w.AddAll([]*Record{r}) }

// AddAll is Add for several games, which reach the disk together: with one sync for
// those of a shard. After a crash some of them may be there and others not.
func (w *Writer) AddAll(records []*Record) error {
	if w.err != nil {
		return w.err
	}
	w.err = w.addAll(records)
	if w.err != nil {
		w.err = fmt.Errorf("%w (%d of %d games are on disk; resume the run to play the others)",
			w.err, w.complete, w.run.Games)
	}
	return w.err
}

func (w *Writer) addAll(records []*Record) error {
	var shards []int
	data, ids := map[int][]byte{}, map[int][]int{} // by shard
	seen := map[uint64]bool{}
	for _, r := range records {
		id := r.Game.ID
		if id >= uint64(w.run.Games) || w.done[id] || seen[id] {
			return fmt.Errorf("samples: game %d is not awaited", id)
		}
		seen[id] = true
		r.Rows.Seal()
		if p := r.Rows.Check(1); len(p) > 0 {
			return fmt.Errorf("samples: game %d: %v", id, p[0])
		}
		b, err := r.encode()
		if err != nil {
			return err
		}
		k := w.run.shardOf(int(id))
		if data[k] == nil {
			shards = append(shards, k)
		}
		data[k], ids[k] = append(data[k], b...), append(ids[k], int(id))
	}
	for _, k := range shards {
		if err := w.files.Append(w.path(journalName(k)), data[k]); err != nil {
			return err
		}
		for _, id := range ids[k] {
			w.enter(id)
		}
	}
	return w.finish()
}

// enter counts a game that is in its shard's journal.
func (w *Writer) enter(id int) {
	w.done[id] = true
	w.complete++
	w.waiting[w.run.shardOf(id)]++
}

// finish writes the shards whose games are all there, in order.
func (w *Writer) finish() error {
	for w.next < w.run.Shards() {
		from, to := w.run.gamesOf(w.next)
		if w.waiting[w.next] < to-from {
			return nil
		}
		if err := w.writeShard(w.next); err != nil {
			return err
		}
		delete(w.waiting, w.next)
		w.next++
	}
	return nil
}

// writeShard turns the complete journal of shard k into the shard. It writes the file,
// then its line in the manifest, which completes the shard, and then removes the journal.
func (w *Writer) writeShard(k int) error {
	records, _, err := readJournal(w.path(journalName(k)), w.run.Layout)
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b *Record) int { return cmp.Compare(a.Game.ID, b.Game.ID) })
	var by PlayedBy
	if w.networks != nil {
		by, _ = w.networks.Of(k * w.run.GamesPerShard)
	}
	s, sum := shardOf(&w.run, by, records), disk.NewDigest()
	err = w.files.Write(w.path(ShardName(k)), func(out io.Writer) error {
		return WriteShard(io.MultiWriter(out, sum), &s.Header, s.Columns)
	})
	if err != nil {
		return err
	}
	line, err := jsonLine(Entry{
		File: ShardName(k), Rows: s.Header.Rows, Games: len(records), Bytes: sum.Bytes,
		SHA256: sum.SHA256(), ModelSHA256: s.Header.ModelSHA256, Created: w.now().UTC(),
	})
	if err == nil {
		err = w.files.Append(w.path(ManifestName), line)
	}
	if err != nil {
		return err
	}
	return w.files.Remove(w.path(journalName(k)))
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
