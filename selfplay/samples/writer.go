package samples

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"time"
)

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
// checks the digest of every finished shard against the manifest. Done then tells which
// games are on disk. If another process writes to the directory, the error names it.
func Resume(files FS, dir string, run Run, now func() time.Time) (*Writer, error) {
	return open(files, dir, run, now, (*Writer).resume)
}

// open locks dir and calls begin with the names in it. It takes the lock before it reads
// anything, so that nothing read is out of date.
func open(files FS, dir string, run Run, now func() time.Time, begin func(w *Writer, names []string) error) (*Writer, error) {
	if err := run.check(); err != nil {
		return nil, err
	}
	if err := files.MkdirAll(dir); err != nil {
		return nil, err
	}
	held, err := files.Lock(dir)
	if err != nil {
		return nil, err
	}
	run.Header.Rows, run.Header.Games = 0, nil
	w := &Writer{files: files, lock: held, dir: dir, run: run, now: now,
		done: make([]bool, run.Games), waiting: map[int]int{}}
	names, err := files.List(dir)
	if err == nil {
		err = begin(w, names)
	}
	if err == nil {
		err = w.openNetworks()
	}
	if err == nil {
		err = w.finish()
	}
	if err != nil {
		w.Close()
		return nil, err
	}
	return w, nil
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
	if !slices.Contains(names, RunName) {
		if i := slices.IndexFunc(names, ofRun); i >= 0 {
			return fmt.Errorf("%s has %s but no %s: not a run that can be resumed", w.dir, names[i], RunName)
		}
		return w.start()
	}
	found, err := readAll(w.files, w.path(RunName), maxRunFile)
	if err != nil {
		return err
	}
	if err := w.run.same(found); err != nil {
		return fmt.Errorf("%s: %w", w.path(RunName), err)
	}
	return w.recover(names)
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

func (w *Writer) path(name string) string { return filepath.Join(w.dir, name) }

// start writes the files of a run without games.
func (w *Writer) start() error {
	if err := writeRun(w.files, w.dir, &w.run); err != nil {
		return err
	}
	return appendTo(w.files, w.path(ManifestName), nil, true)
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
	data := map[int][]byte{} // by shard
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
		data[k] = append(data[k], b...)
	}
	for _, k := range shards {
		if err := appendTo(w.files, w.path(journalName(k)), data[k], w.waiting[k] == 0); err != nil {
			return err
		}
		for _, r := range records {
			if w.run.shardOf(int(r.Game.ID)) == k {
				w.enter(int(r.Game.ID))
			}
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
	var records []*Record
	_, err := readJournal(w.files, w.path(journalName(k)), func(payload []byte) error {
		r, err := decodeRecord(payload, w.run.Layout)
		records = append(records, r)
		return err
	})
	if err != nil {
		return err
	}
	slices.SortFunc(records, func(a, b *Record) int { return int(a.Game.ID) - int(b.Game.ID) })
	h := w.run.Header
	if w.networks != nil {
		by, _ := w.networks.Of(k * w.run.GamesPerShard)
		h.Model, h.ModelSHA256 = by.Model, by.SHA256
	}
	var parts []*Columns
	for _, r := range records {
		h.Games = append(h.Games, r.Game)
		parts = append(parts, r.Rows)
	}
	rows := concat(w.run.Layout, parts)
	rows.Seal()
	h.Rows = rows.Rows
	entry, err := w.writeFile(ShardName(k), &h, rows)
	if err != nil {
		return err
	}
	line, err := entry.line()
	if err != nil {
		return err
	}
	if err := appendTo(w.files, w.path(ManifestName), line, false); err != nil {
		return err
	}
	return w.files.Remove(w.path(journalName(k)))
}

// writeFile writes a shard's file and returns its manifest entry.
func (w *Writer) writeFile(name string, h *Header, rows *Columns) (Entry, error) {
	sum, count := sha256.New(), &counter{}
	err := create(w.files, w.path(name), func(f io.Writer) error {
		return WriteShard(io.MultiWriter(f, sum, count), h, rows)
	})
	return Entry{
		File: name, Rows: h.Rows, Games: len(h.Games), Bytes: count.n,
		SHA256: hex.EncodeToString(sum.Sum(nil)), ModelSHA256: h.ModelSHA256,
		Created: w.now().UTC(),
	}, err
}

// counter counts the bytes written to it.
type counter struct{ n int64 }

func (c *counter) Write(b []byte) (int, error) {
	c.n += int64(len(b))
	return len(b), nil
}
