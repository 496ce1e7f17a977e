package dataset

import (
	"bytes"
	"cmp"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

// Packed counts what is in an archive.
type Packed struct {
	Runs   int   `json:"runs"`
	Shards int   `json:"shards"`
	Games  int   `json:"games"`
	Rows   int   `json:"rows"`
	From   int64 `json:"from_bytes"` // of the shards
	Bytes  int64 `json:"bytes"`      // of the archive, or of what was unpacked from it
}

func (t *Packed) add(e *samples.Entry) {
	t.Shards++
	t.Games += e.Games
	t.Rows += e.Rows
	t.From += e.Bytes
}

// Pack writes an archive of runs to a new file, as a whole or not at all. A path is a
// run's folder, or one of runs, of which all are packed in the order of their names. Runs
// must be whole and not under way. Each shard is put together again before it is written.
func Pack(ctx context.Context, open samples.CodecFunc, out string, step Progress, paths ...string) (total Packed,
	err error) {
	if _, err := os.Lstat(out); err == nil {
		return total, fmt.Errorf("%s is there already: name a new file", out)
	}
	var dirs []string
	var runs []*run
	all := 0
	for _, path := range paths {
		found, err := runDirs(path)
		if err != nil {
			return total, err
		}
		for _, dir := range found {
			r, err := readRun(dir)
			if err != nil {
				return total, fmt.Errorf("%s: %w", dir, err)
			}
			i := slices.IndexFunc(runs, func(o *run) bool { return strings.EqualFold(o.Name, r.Name) })
			if i >= 0 {
				return total, fmt.Errorf("%s and %s have one name: an archive holds each once", dirs[i], dir)
			}
			dirs, runs, all = append(dirs, dir), append(runs, r), all+r.rows
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return total, err
	}
	err = disk.Write(out, func(w io.Writer) error {
		p := &packer{w: w, z: z, open: open, total: &total}
		if _, err := p.Write([]byte(magic + string(rune(version)))); err != nil {
			return err
		}
		for i := range runs {
			if err := p.run(ctx, dirs[i], runs[i], func() { step(total.Rows, all) }); err != nil {
				return fmt.Errorf("%s: %w", dirs[i], err)
			}
		}
		return msgpack.NewEncoder(p).EncodeNil()
	})
	return total, err
}

// packer writes runs one after the other.
type packer struct {
	w     io.Writer
	z     *zstd.Encoder
	open  samples.CodecFunc
	total *Packed
}

// Write implements [io.Writer].
func (p *packer) Write(b []byte) (int, error) {
	n, err := p.w.Write(b)
	p.total.Bytes += int64(n)
	return n, err
}

// data writes an object.
func (p *packer) data(b []byte) error {
	return msgpack.NewEncoder(p).EncodeBytes(p.z.EncodeAll(b, nil))
}

// object writes the msgpack of a value as an object.
func (p *packer) object(v any) error {
	b, err := msgpack.Marshal(v)
	if err != nil {
		return err
	}
	return p.data(b)
}

// run writes a run.
func (p *packer) run(ctx context.Context, dir string, r *run, step func()) error {
	if err := p.object(r); err != nil {
		return err
	}
	for _, sum := range r.Copies {
		data, err := fileIn(dir, samples.NetworkName(sum))
		if err == nil && digestOf(data) != sum {
			err = fmt.Errorf("%s has another sha256", samples.NetworkName(sum))
		}
		if err == nil {
			err = p.data(data)
		}
		if err != nil {
			return err
		}
	}
	for i := range r.entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		e := &r.entries[i]
		path := filepath.Join(dir, e.File)
		shard, _, err := samples.Source{Path: path, Entry: e}.Read()
		if err != nil {
			return err
		}
		packed, err := strip(shard)
		if err != nil {
			return err
		}
		if check := *packed; check.write(p.open, e, io.Discard) != nil {
			raw, err := fileIn(dir, e.File)
			if err != nil {
				return err
			}
			packed = &packedShard{Raw: raw}
		}
		if err := p.object(packed); err != nil {
			return err
		}
		p.total.add(e)
		step()
	}
	p.total.Runs++
	return nil
}

// runDirs returns the folders of the runs at a path.
func runDirs(path string) (dirs []string, err error) {
	for _, name := range []string{samples.RunName, samples.ManifestName} {
		if _, err := os.Stat(filepath.Join(path, name)); err == nil {
			return []string{path}, nil
		}
	}
	entries, err := os.ReadDir(path)
	if err != nil {
		return nil, err
	}
	for _, e := range entries {
		dir := filepath.Join(path, e.Name())
		if _, err := os.Stat(filepath.Join(dir, samples.RunName)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s: want a run's directory, with a %s, or one of runs", path, samples.RunName)
	}
	return dirs, nil
}

// readRun reads what is beside the shards of a run, which must be whole.
func readRun(dir string) (*run, error) {
	if who, held := disk.DirHolder(dir); held {
		return nil, fmt.Errorf("it is under way, %v: pack it when it is done", who)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &run{Name: filepath.Base(abs)}
	for name, to := range map[string]*string{
		samples.RunName: &r.Options, samples.ManifestName: &r.Manifest, samples.NetworksName: &r.Networks,
	} {
		data, err := fileIn(dir, name)
		switch missing := errors.Is(err, fs.ErrNotExist); {
		case missing && name == samples.RunName:
			return nil, fmt.Errorf("it has no %s: runs are packed, not what was merged or filtered of them", samples.RunName)
		case err != nil && !(missing && name == samples.NetworksName):
			return nil, err
		}
		*to = string(data)
	}
	for line := range strings.Lines(r.Networks) {
		var by samples.PlayedBy
		if err := json.Unmarshal([]byte(line), &by); err != nil {
			return nil, fmt.Errorf("%s: %w", samples.NetworksName, err)
		}
		if by.SHA256 != "" && !slices.Contains(r.Copies, by.SHA256) {
			r.Copies = append(r.Copies, by.SHA256)
		}
	}
	plan, err := samples.ParseRun([]byte(r.Options))
	if err = cmp.Or(err, r.list()); err != nil {
		return nil, err
	}
	if len(r.entries) != plan.Shards() || r.games != plan.Games {
		return nil, fmt.Errorf("%d of %d games are in shards: pack the run when it is whole", r.games, plan.Games)
	}
	return r, nil
}

// fileIn returns the content of a file beside the shards.
func fileIn(dir, name string) ([]byte, error) {
	path := filepath.Join(dir, name)
	b, err := disk.ReadFile(path, maxMemory)
	if err != nil {
		err = fmt.Errorf("%s: %w", path, err)
	}
	return b, err
}

// strip returns a shard without what write puts back.
func strip(s *samples.Shard) (*packedShard, error) {
	header, err := s.Header.Options()
	if err != nil {
		return nil, err
	}
	p := &packedShard{Header: header, Games: slices.Clone(s.Header.Games), Columns: *s.Columns}
	for i := range p.Games {
		p.Games[i].Seed = 0
	}
	c := &p.Columns
	p.Sealed = c.RowCRC != nil
	c.Planes, c.Globals, c.Legal, c.Played, c.Reply, c.RowCRC = nil, nil, nil, nil, nil, nil
	if slices.Equal(c.PolicyTarget, visitTargets(c)) {
		c.PolicyTarget = nil
	}
	return p, nil
}

// visitTargets returns the policy targets that are the shares of the visits.
func visitTargets(c *samples.Columns) []float32 {
	t := make([]float32, len(c.VisitCounts))
	for i := range c.Rows {
		lo, hi := c.VisitOffsets[i], c.VisitOffsets[i+1]
		samples.VisitTarget(t[lo:hi], c.VisitCounts[lo:hi])
	}
	return t
}

// write puts the shard together, which changes p, and writes its file to w. It must be the
// one of the manifest's entry.
func (p *packedShard) write(open samples.CodecFunc, e *samples.Entry, w io.Writer) error {
	var b bytes.Buffer
	if b.Write(p.Raw); p.Raw == nil {
		s, err := p.replay(open)
		if err != nil {
			return fmt.Errorf("%s: %w", e.File, err)
		}
		if err := samples.WriteShard(&b, &s.Header, s.Columns); err != nil {
			return err
		}
	}
	if int64(b.Len()) != e.Bytes || digestOf(b.Bytes()) != e.SHA256 {
		return fmt.Errorf("%s comes out otherwise than it was packed: unpack it with the version of the program that "+
			"played it", e.File)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// replay plays the games through the rules and fills in what strip left out.
func (p *packedShard) replay(open samples.CodecFunc) (*samples.Shard, error) {
	h, err := samples.ParseOptions(p.Header)
	if err != nil {
		return nil, err
	}
	codec, err := open(&h)
	if err != nil {
		return nil, err
	}
	c, shape := &p.Columns, codec.Encoder.Shape()
	h.Games, h.Rows = slices.Clone(p.Games), c.Rows
	planes, globals := make([]float32, shape.PlaneSize()), make([]float32, shape.Globals)
	legal := make([]byte, c.Layout.LegalBytes)
	if c.Layout != samples.NewLayout(shape.Planes, shape.Height*shape.Width, shape.Globals, shape.Actions) {
		return nil, fmt.Errorf("its planes are %.40q, this program's %q", h.Planes.Version, codec.Encoder.Version())
	}
	row := 0
	for i := range h.Games {
		g := &h.Games[i]
		g.Seed = samples.GameSeed(h.Seed, g.ID)
		pos, moves, err := codec.Parse(g.Moves)
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", g.ID, err)
		}
		for ply, m := range moves {
			if !pos.Legal(m) {
				return nil, fmt.Errorf("game %d: move %d is not legal", g.ID, ply+1)
			}
			action := uint16(codec.Encoder.Action(pos, m, 0))
			if row > 0 && int(c.Game[row-1]) == i && int(c.Ply[row-1]) == ply-1 {
				c.Reply[row-1] = action
			}
			if row < c.Rows && int(c.Game[row]) == i && int(c.Ply[row]) == ply {
				codec.Encoder.Encode(pos, 0, planes, globals)
				c.Planes = samples.PackPlanes(c.Planes, planes, shape.Height*shape.Width)
				c.Globals = append(c.Globals, globals...)
				var actions []int
				for _, m := range pos.Moves(nil) {
					actions = append(actions, codec.Encoder.Action(pos, m, 0))
				}
				samples.PackActions(legal, actions)
				c.Legal = append(c.Legal, legal...)
				c.Played, c.Reply = append(c.Played, action), append(c.Reply, samples.None)
				row++
			}
			pos.Play(m)
		}
	}
	if row != c.Rows {
		return nil, fmt.Errorf("%d of %d rows are in its games", row, c.Rows)
	}
	if c.PolicyTarget == nil {
		c.PolicyTarget = visitTargets(c)
	}
	if p.Sealed {
		c.Seal()
	}
	return &samples.Shard{Header: h, Columns: c}, nil
}

// digestOf returns the SHA-256 of data in hexadecimal digits.
func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}
