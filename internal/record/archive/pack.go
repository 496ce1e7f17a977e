package archive

import (
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"math/rand/v2"
	"path/filepath"
	"slices"

	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay/samples"
)

// Progress is called after each of so many positions.
type Progress func(done, all int)

// Planner returns the run that this program would play for a shard's header and a
// plan; a run that it cannot play again is an error.
type Planner func(h *samples.Header, p samples.Plan) (samples.Run, error)

// PackOptions describe a Pack.
type PackOptions struct {
	Kind Kind

	// Plan says whether a run can be played again, in one of Games.
	Plan Planner

	// Naming names in errors the options "columns", for archives of Columns, and
	// "follow", by which a run changes its network.
	Naming option.Naming
}

// columnsKey is the key of the option for an archive of [Columns].
const columnsKey = "columns"

// Packed counts what was packed.
type Packed struct {
	Kind   string `json:"kind"`
	Runs   int    `json:"runs"`
	Shards int    `json:"shards"`
	Games  int    `json:"games"`
	Rows   int    `json:"rows"`
	From   int64  `json:"from_bytes"` // of the shards
	Bytes  int64  `json:"bytes"`      // of the archive
}

// Blocks end once they hold so many rows or bytes: enough for the models to learn
// from, little enough to be held in memory.
const (
	blockRows  = 1 << 16
	blockBytes = 32 << 20
)

// Pack writes an archive of runs to a new file, as a whole or not at all. A path is a
// run's directory, or one of runs, of which all are packed in the order of their names.
// Runs must be whole and not under way. Everything that is written is read again, and
// in an archive of Columns put together to the bytes of its shards, before the file has
// its name.
func Pack(ctx context.Context, files samples.FS, open samples.CodecFunc, o PackOptions, out string, step Progress, paths ...string) (total Packed, err error) {
	runs, all, err := findRuns(files, paths)
	if err != nil {
		return total, err
	}
	if _, err := files.Size(out); err == nil {
		return total, fmt.Errorf("%s is there already: name a new file", out)
	} else if !errors.Is(err, fs.ErrNotExist) {
		return total, err
	}
	total.Kind = o.Kind.String()
	err = writeWhole(files, out, func(to io.Writer) error {
		w, err := newWriter(to, o.Kind)
		if err != nil {
			return err
		}
		p := &packer{
			ctx: ctx, files: files, o: o, to: w, total: &total, all: all, step: step,
			parts: &player{open: open}, again: &player{open: open}, block: newBlockWriter(o.Kind),
		}
		for i := range runs {
			if err := p.run(&runs[i]); err != nil {
				return err
			}
		}
		if err := p.flush(); err != nil {
			return err
		}
		err = w.end()
		total.Bytes = w.bytes
		return err
	})
	return total, err
}

// writeWhole makes a file of what write puts into it, under a name of its own first. What
// fails leaves nothing, and of two calls at once for one file the later one's is there.
func writeWhole(files samples.FS, name string, write func(io.Writer) error) error {
	temp := filepath.Join(filepath.Dir(name), fmt.Sprintf("%s%s.%016x", tempPrefix, filepath.Base(name), rand.Uint64()))
	f, err := files.Create(temp)
	if err != nil {
		return err
	}
	err = write(f)
	if err == nil {
		err = f.Sync()
	}
	if err = cmp.Or(err, f.Close()); err == nil {
		err = files.Rename(temp, name)
	}
	if err != nil {
		_ = files.Remove(temp)
		return err
	}
	return files.SyncDir(filepath.Dir(name))
}

// tempPrefix starts the names of what is not finished.
const tempPrefix = ".tmp-"

// packer writes runs one after the other.
type packer struct {
	ctx   context.Context
	files samples.FS
	o     PackOptions
	to    *archiveWriter
	total *Packed
	all   int
	step  Progress

	parts, again *player // taking apart, and putting together to see that it works
	block        *blockWriter
	wrote        []unitOf // the shards of the block
}

// unitOf is a shard of the block that is written.
type unitOf struct {
	path   string
	plan   samples.Plan
	entry  samples.Entry
	hashes []uint64 // of its games
}

// run packs a run.
func (p *packer) run(r *wholeRun) error {
	if err := p.block.line(r.line); err != nil {
		return err
	}
	if len(r.networks) > 0 {
		if p.o.Kind == Games {
			return fmt.Errorf("%s was played by several networks, one after the other (%s), and cannot be played again: pack it with %s", r.dir, p.o.Naming.FlagName("follow"), p.o.Naming.FlagName(columnsKey))
		}
		if err := p.flush(); err != nil {
			return err
		}
		for _, sum := range r.networks {
			if err := p.network(r, sum); err != nil {
				return err
			}
		}
	}
	for i, e := range r.entries {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		path := filepath.Join(r.dir, e.File)
		shard, _, err := samples.Source{Path: path, Entry: &r.entries[i]}.Read(p.files)
		if err != nil {
			return err
		}
		if err := p.shard(r, i, shard); err != nil {
			return fmt.Errorf("%s: %w", path, err)
		}
		if err := p.block.line(shardLine{r.lines[i]}); err != nil {
			return err
		}
		p.total.Shards++
		p.total.Games += e.Games
		p.total.Rows += e.Rows
		p.total.From += e.Bytes
		p.step(p.total.Rows, p.all)
		if p.block.rows >= blockRows || p.block.size() >= blockBytes {
			if err := p.flush(); err != nil {
				return err
			}
		}
	}
	p.total.Runs++
	return nil
}

// shard adds shard i of a run to the block.
func (p *packer) shard(r *wholeRun, i int, shard *samples.Shard) error {
	if err := r.plan.Compare(&shard.Header, []byte(r.line.Options), r.line.Networks != ""); err != nil {
		return err
	}
	if p.o.Kind == Games && i == 0 {
		if err := p.playable(r, shard); err != nil {
			return err
		}
	}
	if err := p.parts.putShard(p.block, shard); err != nil {
		return fmt.Errorf("it cannot be packed: %w", err)
	}
	p.wrote = append(p.wrote, unitOf{
		path: filepath.Join(r.dir, r.entries[i].File), plan: r.plan, entry: r.entries[i], hashes: hashGames(nil, shard.Header.Games),
	})
	return nil
}

// playable returns an error unless this program would play the shard's run.
func (p *packer) playable(r *wholeRun, shard *samples.Shard) error {
	run, err := p.o.Plan(&shard.Header, r.plan)
	if err == nil {
		var text []byte
		if text, err = run.Text(); err == nil && string(text) != r.line.Options {
			err = run.Same([]byte(r.line.Options))
		}
	}
	if err != nil {
		return fmt.Errorf("the run cannot be played again from its options, pack it with %s: %w", p.o.Naming.FlagName(columnsKey), err)
	}
	return nil
}

// network writes the copy of a network that a run has.
func (p *packer) network(r *wholeRun, sum string) error {
	path := filepath.Join(r.dir, samples.NetworkName(sum))
	f, err := p.files.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	data, err := io.ReadAll(io.LimitReader(f, mostBlock))
	if err != nil {
		return err
	}
	if got := digestOf(data); got != sum {
		return fmt.Errorf("%s: its sha256 is %s", path, got)
	}
	return p.to.block([]byte{networkBlock}, data)
}

// flush writes the block, once what it holds was put together again.
func (p *packer) flush() error {
	if p.block.index.Len() == 0 {
		return nil
	}
	data, err := p.block.bytes()
	if err != nil {
		return err
	}
	if err := p.proof(data); err != nil {
		return err
	}
	p.block, p.wrote = newBlockWriter(p.o.Kind), p.wrote[:0]
	return p.to.block(data)
}

// proof reads a block and holds its shards to what they were made of.
func (p *packer) proof(data []byte) error {
	b, err := openBlock(data, p.o.Kind, false)
	if err != nil {
		return err
	}
	for i := range p.wrote {
		if err := p.ctx.Err(); err != nil {
			return err
		}
		u := &p.wrote[i]
		k, _ := samples.ShardNumber(u.entry.File)
		if err := p.again.getHeader(b); err != nil {
			return fmt.Errorf("%s: it does not come out as it was: %w", u.path, err)
		}
		if p.o.Kind == Columns {
			err = rebuilt(p.again, b, u.plan.FirstGame(k), &u.entry, io.Discard)
		} else {
			var games []samples.Game
			err = p.again.getGames(b, u.plan.FirstGame(k), u.entry.Games, func(g *samples.Game, _ *played) error {
				games = append(games, *g)
				return nil
			})
			if err == nil && !slices.Equal(hashGames(nil, games), u.hashes) {
				err = errors.New("its games are others")
			}
		}
		if err != nil {
			return fmt.Errorf("%s: it does not come out as it was: %w", u.path, err)
		}
	}
	return b.done()
}

// rebuilt puts the next shard together, writes it to w, and holds it to its entry.
func rebuilt(p *player, b *block, first int, e *samples.Entry, w io.Writer) error {
	shard, err := p.getShard(b, first, e.Games)
	if err != nil {
		return err
	}
	sum := newSummed(w)
	if err := samples.WriteShard(sum, &shard.Header, shard.Columns); err != nil {
		return err
	}
	if sum.n != e.Bytes || sum.digest() != e.SHA256 || shard.Header.Rows != e.Rows || shard.Header.ModelSHA256 != e.ModelSHA256 {
		return fmt.Errorf("%w: %d bytes with the sha256 %.12s…, its run had %d, %.12s…", errOther, sum.n, sum.digest(), e.Bytes, e.SHA256)
	}
	return nil
}

// errOther says that a shard comes out otherwise.
var errOther = errors.New("the shard comes out otherwise here")

// fits returns an error unless an entry is that of shard k of a plan.
func fits(p samples.Plan, e samples.Entry, k int) error {
	if k >= p.Shards() || e.File != samples.ShardName(k) || e.Games != p.GamesOf(k) {
		return fmt.Errorf("%s of %d games in the place of shard %d", e.File, e.Games, k)
	}
	return nil
}

// hashGames appends a hash of each game: of all that playing it again must repeat.
func hashGames(list []uint64, games []samples.Game) []uint64 {
	for i := range games {
		g := games[i]
		g.From = "" // which follows from the rows
		text, _ := json.Marshal(g)
		sum := sha256.Sum256(text)
		list = append(list, binary.LittleEndian.Uint64(sum[:]))
	}
	return list
}

// digestOf returns the SHA-256 of data in hexadecimal digits.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// summed counts and sums what is written to another writer.
type summed struct {
	to  io.Writer
	sum hash.Hash
	n   int64
}

func newSummed(to io.Writer) *summed { return &summed{to: to, sum: sha256.New()} }

// Write implements [io.Writer].
func (s *summed) Write(b []byte) (int, error) {
	n, err := s.to.Write(b)
	s.sum.Write(b[:n])
	s.n += int64(n)
	return n, err
}

// digest returns the SHA-256 of what was written.
func (s *summed) digest() string { return hex.EncodeToString(s.sum.Sum(nil)) }
