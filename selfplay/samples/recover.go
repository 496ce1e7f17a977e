package samples

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
)

// recover prepares the run whose directory has the given names: it removes unfinished
// files, cuts off incomplete ends, and counts shards and games.
func (w *Writer) recover(names []string) error {
	for _, name := range names {
		if strings.HasPrefix(name, tempPrefix) {
			if err := w.files.Remove(w.path(name)); err != nil {
				return err
			}
		}
	}
	if err := w.recoverManifest(); err != nil {
		return err
	}
	for _, name := range names {
		if k, ok := journalNumber(name); ok {
			if err := w.recoverJournal(k, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverManifest counts the finished shards.
func (w *Writer) recoverManifest() error {
	name := w.path(ManifestName)
	entries, size, err := readManifest(w.files, w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return appendTo(w.files, name, nil, true)
	}
	if err != nil {
		return err
	}
	if err := w.cut(name, size); err != nil {
		return err
	}
	for k, e := range entries {
		from, to := w.run.gamesOf(k)
		if k >= w.run.Shards() || e.File != ShardName(k) || e.Games != to-from {
			return fmt.Errorf("%s line %d: %s of %d games is not this run's shard %d", name, k+1, e.File, e.Games, k)
		}
		if err := w.whole(&e); err != nil {
			return fmt.Errorf("%s is damaged and the run cannot be resumed without a whole copy of it: %w", w.path(e.File), err)
		}
		for id := from; id < to; id++ {
			w.done[id] = true
		}
		w.complete += to - from
		w.next++
	}
	return nil
}

// whole reads the file of a finished shard and returns an error unless it has the size and
// digest in the manifest.
func (w *Writer) whole(e *Entry) error {
	there, err := w.files.Size(w.path(e.File))
	if err != nil {
		return err
	}
	if there != e.Bytes {
		return fmt.Errorf("%d bytes, the manifest says %d", there, e.Bytes)
	}
	f, err := w.files.Open(w.path(e.File))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := newHashingReader(f)
	if _, err := io.Copy(io.Discard, sum); err != nil {
		return err
	}
	if found := sum.digest(); found != e.SHA256 {
		return fmt.Errorf("sha256 %s, the manifest says %s", found, e.SHA256)
	}
	return nil
}

// recoverJournal counts the games of shard k's journal. It removes the journal of a
// finished shard.
func (w *Writer) recoverJournal(k int, name string) error {
	name = w.path(name)
	if k < w.next {
		return w.files.Remove(name)
	}
	size, err := readJournal(w.files, name, func(payload []byte) error {
		d := payloadDecoder(payload)
		g, err := d.game()
		if err != nil {
			return err
		}
		if g.ID >= uint64(w.run.Games) || w.run.shardOf(int(g.ID)) != k || w.done[g.ID] {
			return fmt.Errorf("game %d does not belong here", g.ID)
		}
		w.enter(int(g.ID))
		return nil
	})
	if err != nil {
		return err
	}
	return w.cut(name, size)
}

// cut shortens a file to size bytes if it is longer.
func (w *Writer) cut(name string, size int64) error {
	there, err := w.files.Size(name)
	if err != nil || there == size {
		return err
	}
	return w.files.Truncate(name, size)
}
