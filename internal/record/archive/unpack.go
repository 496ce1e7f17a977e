package archive

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Replayer plays runs again. It is used by one goroutine.
type Replayer interface {
	// Find returns an error unless the network that played the runs of a header is
	// here.
	Find(h *samples.Header) error

	// Play returns what plays a run again. It is valid until the next call.
	Play(h *samples.Header, p samples.Plan) (selfplay.Setup, selfplay.Options, error)
}

// UnpackOptions describe an Unpack.
type UnpackOptions struct {
	Player Replayer      // of archives of Games
	Host   selfplay.Host // of its games: Workers, AtOnce
	Now    func() time.Time

	// Free returns how many bytes can be written below a directory. Nil means that
	// nobody knows.
	Free func(dir string) (int64, error)

	// Naming names in errors the option "columns", for archives of Columns.
	Naming option.Naming
}

// Unpacked counts what was unpacked.
type Unpacked struct {
	Kind   string `json:"kind"`
	Runs   int    `json:"runs"`
	Shards int    `json:"shards"`
	Games  int    `json:"games"`
	Rows   int    `json:"rows"`
	Bytes  int64  `json:"bytes"` // of the shards
	Found  int    `json:"found"` // runs that were there from a call before
}

// Unpack writes the runs of an archive into a directory, each as a directory of its
// name, with the bytes that it had. The directory must be new or empty, or hold what an
// interrupted Unpack of the same archive has left, which it goes on with. A run is
// there as a whole or not at all; once the context has ended the whole ones stay, and
// after any other error nothing does. Before anything is written the archive is held
// to its digest, and the networks and the room that it needs are looked for.
func Unpack(ctx context.Context, files samples.FS, open samples.CodecFunc, o UnpackOptions, path, dir string, step Progress) (total Unpacked, err error) {
	l, err := List(ctx, files, path)
	if err != nil {
		return total, err
	}
	u := &unpacker{ctx: ctx, files: files, o: o, dir: dir, list: &l, total: &total, step: step, parts: &player{open: open}}
	total.Kind = l.Kind
	if l.Kind == Games.String() {
		if err := u.findNetworks(path); err != nil {
			return total, named(path, err)
		}
	}
	if err := u.begin(); err != nil {
		return total, err
	}
	err = u.all(path)
	return total, errors.Join(err, u.end(err))
}

// unpacker writes runs one after the other.
type unpacker struct {
	ctx   context.Context
	files samples.FS
	o     UnpackOptions
	dir   string
	list  *Listing
	total *Unpacked
	step  Progress
	parts *player

	made  bool // the directory was not there
	lock  io.Closer
	next  int // the run that comes next
	run   *ListedRun
	skip  bool // the run is there already
	shard int  // the next one of the run

	hashes []uint64       // of the run's games, in an archive of games
	header samples.Header // of the run's first shard, likewise
}

// marker is the file that tells, in a directory, which archive is unpacked into it.
const marker = tempPrefix + "archive"

// begin takes the directory and looks at what is in it.
func (u *unpacker) begin() (err error) {
	var names []string
	_, err = os.Lstat(u.dir)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		u.made = true
	case err == nil:
		var info fs.FileInfo
		if info, err = os.Stat(u.dir); err != nil || !info.IsDir() {
			return fmt.Errorf("%s is there and is not a folder: %w", u.dir, samples.ErrNotEmpty)
		}
		names, err = u.files.List(u.dir)
	}
	if err != nil && !u.made {
		return err
	}
	if err := u.mine(names); err != nil {
		return err
	}
	if u.o.Free != nil {
		parent := u.dir
		if u.made {
			parent = filepath.Dir(u.dir)
		}
		if free, err := u.o.Free(parent); err == nil && free < u.list.From+spare {
			return fmt.Errorf("%s: there are %d MiB free, and the runs take %d MiB", u.dir, free>>20, (u.list.From+spare)>>20)
		}
	}
	if err = u.files.MkdirAll(u.dir); err != nil {
		return err // and remove nothing: what is there is not ours
	}
	if err = u.take(); err != nil && u.made {
		_ = u.files.Remove(u.dir)
	}
	return err
}

// take locks the directory and marks it as this archive's.
func (u *unpacker) take() (err error) {
	if u.lock, err = u.files.Lock(u.dir); err != nil {
		return err
	}
	names, err := u.files.List(u.dir)
	if err == nil {
		err = u.mine(names) // now that nobody else writes there
	}
	path := filepath.Join(u.dir, marker)
	if err == nil && !slices.Contains(names, marker) {
		if err = writeWhole(u.files, path, func(w io.Writer) error {
			_, err := io.WriteString(w, u.list.SHA256+"\n")
			return err
		}); err != nil {
			_ = u.files.Remove(path)
		}
	}
	if err != nil {
		return errors.Join(err, u.lock.Close())
	}
	return nil
}

// spare is how much room is left beside the shards for what is beside them.
const spare = 1 << 20

// mine returns an error if a directory holds anything but what an unpacking of this
// archive has left.
func (u *unpacker) mine(names []string) error {
	names = slices.DeleteFunc(slices.Clone(names), func(n string) bool { return n == lockName })
	if len(names) == 0 {
		return nil
	}
	text, err := readText(u.files, filepath.Join(u.dir, marker))
	if err != nil || strings.TrimSpace(text) != u.list.SHA256 {
		return fmt.Errorf("%s holds %s: %w", u.dir, names[0], samples.ErrNotEmpty)
	}
	return nil
}

// write makes a file, without the care that writeWhole takes: nothing counts before
// its folder is renamed.
func (u *unpacker) write(path, text string) error {
	return u.file(path, func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	})
}

func (u *unpacker) file(path string, write func(io.Writer) error) error {
	f, err := u.files.Create(path)
	if err != nil {
		return err
	}
	if err = write(f); err == nil {
		err = f.Sync()
	}
	return errors.Join(err, f.Close())
}

// end lets go of the directory. After an error, but not after an interruption, what
// is there goes.
func (u *unpacker) end(err error) error {
	if err == nil {
		return errors.Join(u.files.Remove(filepath.Join(u.dir, marker)), u.files.SyncDir(u.dir), u.lock.Close())
	}
	if u.ctx.Err() != nil {
		return u.lock.Close()
	}
	for i := range u.list.Runs {
		u.clear(u.list.Runs[i].in(u.dir))
		u.clear(u.temp(&u.list.Runs[i]))
	}
	_ = u.files.Remove(filepath.Join(u.dir, marker))
	closed := u.lock.Close()
	if u.made {
		_ = u.files.Remove(u.dir)
	}
	return closed
}

// clear removes a folder of files, as far as it can.
func (u *unpacker) clear(dir string) {
	names, err := u.files.List(dir)
	if err != nil {
		return
	}
	for _, name := range names {
		_ = u.files.Remove(filepath.Join(dir, name))
	}
	_ = u.files.Remove(dir)
}

// temp returns where a run is until it is whole.
func (u *unpacker) temp(r *ListedRun) string { return filepath.Join(u.dir, tempPrefix+r.Name) }

// all unpacks the blocks.
func (u *unpacker) all(path string) error {
	r, err := openReader(u.files, path)
	if err != nil {
		return named(path, err)
	}
	defer r.close()
	for {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		data, err := r.block()
		if err != nil {
			return named(path, err)
		}
		if data == nil {
			break
		}
		if data[0] == networkBlock {
			err = u.network(data[1:])
		} else {
			err = u.block(data, r.kind)
		}
		if err != nil {
			return err
		}
	}
	if err := u.finish(); err != nil {
		return err
	}
	if u.next != len(u.list.Runs) {
		return named(path, invalid("it was changed while it was read"))
	}
	return nil
}

// block unpacks the shards of a block.
func (u *unpacker) block(data []byte, kind Kind) error {
	b, err := openBlock(data, kind, false)
	if err != nil {
		return err
	}
	err = b.lines(func(line runLine) error {
		if err := u.finish(); err != nil {
			return err
		}
		return u.start(line)
	}, func(e samples.Entry, _ string) error {
		if err := u.ctx.Err(); err != nil {
			return err
		}
		return u.one(b, &e)
	})
	if err != nil {
		return err
	}
	return b.done()
}

// start begins a run.
func (u *unpacker) start(line runLine) error {
	if u.next >= len(u.list.Runs) || u.list.Runs[u.next].Name != line.Name {
		return invalid("it was changed while it was read")
	}
	u.run, u.shard, u.hashes = &u.list.Runs[u.next], 0, u.hashes[:0]
	u.next++
	_, err := u.files.Size(filepath.Join(u.run.in(u.dir), samples.ManifestName))
	if u.skip = err == nil; u.skip {
		u.total.Found++
		return nil
	}
	if u.list.Kind == Games.String() {
		return nil // which goes on with what it finds
	}
	temp := u.temp(u.run)
	u.clear(temp)
	if err := u.files.MkdirAll(temp); err != nil {
		return err
	}
	if line.Networks != "" {
		if err := u.write(filepath.Join(temp, samples.NetworksName), line.Networks); err != nil {
			return err
		}
	}
	return u.write(filepath.Join(temp, samples.RunName), line.Options)
}

// network writes the copy of a network.
func (u *unpacker) network(data []byte) error {
	if u.run == nil {
		return invalid("a network that belongs to no run")
	}
	sum := sha256.Sum256(data)
	name := hex.EncodeToString(sum[:])
	list, err := copies(u.run.line.Networks)
	if err != nil || !slices.Contains(list, name) {
		return invalid("%s: a network that the run does not name: %.12s…", u.run.Name, name)
	}
	if u.skip || u.list.Kind == Games.String() {
		return nil
	}
	return u.file(filepath.Join(u.temp(u.run), samples.NetworkName(name)), func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// one unpacks the next shard of the run, in an archive of games the hashes of its
// games.
func (u *unpacker) one(b *block, e *samples.Entry) error {
	if u.run == nil || u.shard >= len(u.run.entries) || u.run.entries[u.shard] != *e {
		return invalid("it was changed while it was read")
	}
	first := u.run.plan.FirstGame(u.shard)
	u.shard++
	if err := u.parts.getHeader(b); err != nil {
		return fmt.Errorf("%s: %w", u.run.Name, err)
	}
	if b.kind == Games {
		if u.shard == 1 {
			u.header = u.parts.header
		}
		return u.parts.getGames(b, first, e.Games, func(g *samples.Game, _ *played) error {
			u.hashes = hashGames(u.hashes, []samples.Game{*g})
			return nil
		})
	}
	var err error
	if u.skip {
		err = rebuilt(u.parts, b, first, e, io.Discard)
	} else {
		err = u.file(filepath.Join(u.temp(u.run), e.File), func(w io.Writer) error { return rebuilt(u.parts, b, first, e, w) })
	}
	if err != nil {
		if errors.Is(err, errOther) {
			err = fmt.Errorf("%w; %s", err, u.madeBy())
		}
		return fmt.Errorf("%s/%s: %w", u.run.Name, e.File, err)
	}
	u.count(e)
	u.step(u.total.Rows, u.list.Rows)
	return nil
}

// count enters a shard.
func (u *unpacker) count(e *samples.Entry) {
	u.total.Shards++
	u.total.Games += e.Games
	u.total.Rows += e.Rows
	u.total.Bytes += e.Bytes
}

// madeBy says which program the run is of, and what to do.
func (u *unpacker) madeBy() string {
	e := u.run.Engine
	text := fmt.Sprintf("made by carozero %.40s (commit %.40s): check that version out to unpack it", e.Version, e.Commit)
	if u.list.Kind == Games.String() {
		text += ", or pack it with " + u.o.Naming.FlagName(columnsKey)
	}
	return text
}

// finish makes the run that was begun exist, once it was played in an archive of
// games.
func (u *unpacker) finish() error {
	if u.run == nil {
		return nil
	}
	r := u.run
	u.run = nil
	if u.shard != len(r.entries) {
		return invalid("%s: it was changed while it was read", r.Name)
	}
	switch {
	case u.skip && u.list.Kind == Games.String():
		for i := range r.entries {
			u.count(&r.entries[i])
		}
		u.step(u.total.Rows, u.list.Rows)
	case u.skip:
	case u.list.Kind == Games.String():
		u.run = r
		if err := u.play(); err != nil {
			return err
		}
		u.run = nil
	}
	u.total.Runs++
	if u.skip {
		return nil
	}
	temp := u.temp(r)
	if err := u.write(filepath.Join(temp, samples.ManifestName), r.manifest()); err != nil {
		return err
	}
	if err := u.files.SyncDir(temp); err != nil {
		return err
	}
	if err := u.files.Rename(temp, r.in(u.dir)); err != nil {
		return err
	}
	return u.files.SyncDir(u.dir)
}
