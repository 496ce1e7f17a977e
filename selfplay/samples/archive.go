package samples

import (
	"bufio"
	"bytes"
	"cmp"
	"context"
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
)

// An archive packs whole runs of self-play into one file, which unpacks byte for byte. It keeps
// what the rules do not give back: moves, visits, targets and values, as msgpack under zstd.
// Planes, legal moves and checksums are made again as the games are replayed, and every shard
// is held to the SHA-256 of its run's manifest; see docs/samples.md. An archive is archiveMagic,
// the version, and objects of msgpack: byte strings, each a frame of zstd with its checksum, and
// a nil at the end. The frames of a run are an archivedRun, its networks' files, and a
// packedShard for each line of its manifest.
const archiveMagic, archiveVersion = "\x89CZPACK\n", 2

// ErrArchive is wrapped by every error about the content of an archive.
var ErrArchive = errors.New("not a whole archive of samples")

// archivedRun is what an archive holds of a run beside its networks and shards.
type archivedRun struct {
	Name        string   // of its folder
	Options     string   // text of run.json
	Manifest    string   // text of manifest.jsonl
	Networks    string   // text of networks.jsonl, "" if there is none
	Copies      []string // SHA-256 of the files of networks, in their order
	dir         string   // where it is
	entries     []Entry  // of the manifest
	games, rows int
}

// list reads the manifest.
func (r *archivedRun) list() (err error) {
	r.entries, _, err = parseManifest(ManifestName, []byte(r.Manifest))
	for _, e := range r.entries {
		r.games, r.rows = r.games+e.Games, r.rows+e.Rows
	}
	return err
}

// packedShard is a shard without what a replay of its games gives back.
type packedShard struct {
	Header  []byte // Header.Options
	Games   []Game
	Columns Columns
	Sealed  bool   // it has row_crc
	Raw     []byte // the file itself, in place of all, if this program makes another one
}

// Packed counts what is in an archive.
type Packed struct {
	Runs   int   `json:"runs"`
	Shards int   `json:"shards"`
	Games  int   `json:"games"`
	Rows   int   `json:"rows"`
	From   int64 `json:"from_bytes"` // of the shards
	Bytes  int64 `json:"bytes"`      // of the archive, or of what was unpacked from it
}

func (t *Packed) add(e *Entry) {
	t.Shards++
	t.Games += e.Games
	t.Rows += e.Rows
	t.From += e.Bytes
}

// Pack writes an archive of whole runs to a new file, as a whole or not at all. A path is a run's
// folder, or one of runs, which are packed in the order of their names. Each shard is put together
// again before it is written.
func Pack(ctx context.Context, open CodecFunc, out string, step Progress, paths ...string) (total Packed, err error) {
	if _, err := os.Lstat(out); err == nil {
		return total, fmt.Errorf("%s is there already: name a new file", out)
	}
	var runs []*archivedRun
	all := 0
	for _, path := range paths {
		found, err := runDirs(path)
		if err != nil {
			return total, err
		}
		for _, dir := range found {
			r, err := readArchivedRun(dir)
			if err != nil {
				return total, fmt.Errorf("%s: %w", dir, err)
			}
			i := slices.IndexFunc(runs, func(o *archivedRun) bool { return strings.EqualFold(o.Name, r.Name) })
			if i >= 0 {
				return total, fmt.Errorf("%s and %s have one name: an archive holds each once", runs[i].dir, dir)
			}
			runs, all = append(runs, r), all+r.rows
		}
	}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return total, err
	}
	sum := disk.NewDigest()
	err = disk.Write(out, func(w io.Writer) error {
		p := &packer{w: io.MultiWriter(w, sum), z: z, open: open, total: &total}
		if _, err := io.WriteString(p.w, archiveMagic+string(rune(archiveVersion))); err != nil {
			return err
		}
		for _, r := range runs {
			if err := p.run(ctx, r, func() { step(total.Rows, all) }); err != nil {
				return fmt.Errorf("%s: %w", r.dir, err)
			}
		}
		return msgpack.NewEncoder(p.w).EncodeNil()
	})
	total.Bytes = sum.Bytes
	return total, err
}

// packer writes runs one after the other.
type packer struct {
	w     io.Writer
	z     *zstd.Encoder
	open  CodecFunc
	total *Packed
}

// data writes an object.
func (p *packer) data(b []byte) error {
	return msgpack.NewEncoder(p.w).EncodeBytes(p.z.EncodeAll(b, nil))
}

// object writes the msgpack of a value as an object.
func (p *packer) object(v any) error {
	b, err := msgpack.Marshal(v)
	if err == nil {
		err = p.data(b)
	}
	return err
}

// run writes a run.
func (p *packer) run(ctx context.Context, r *archivedRun, step func()) error {
	if err := p.object(r); err != nil {
		return err
	}
	for _, sum := range r.Copies {
		data, err := readFile(filepath.Join(r.dir, NetworkName(sum)))
		if err == nil && disk.Sum(data) != sum {
			err = fmt.Errorf("%s has another sha256", NetworkName(sum))
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
		source := Source{filepath.Join(r.dir, e.File), e}
		shard, _, err := source.Read()
		if err != nil {
			return err
		}
		packed, err := strip(shard)
		if err != nil {
			return err
		}
		if check := *packed; check.write(p.open, e, io.Discard) != nil {
			raw, err := readFile(source.Path)
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
	if _, err := os.Stat(filepath.Join(path, ManifestName)); err == nil {
		return []string{path}, nil
	}
	names, err := listDir(path)
	for _, name := range names {
		dir := filepath.Join(path, name)
		if _, err := os.Stat(filepath.Join(dir, RunName)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if err == nil && len(dirs) == 0 {
		err = fmt.Errorf("%s: want a run's directory, with a %s, or one of runs", path, RunName)
	}
	return dirs, err
}

// readArchivedRun reads what is beside the shards of a run, which must be whole.
func readArchivedRun(dir string) (*archivedRun, error) {
	if who, held := disk.DirHolder(dir); held {
		return nil, fmt.Errorf("it is under way, %v: pack it when it is done", who)
	}
	abs, err := filepath.Abs(dir)
	if err != nil {
		return nil, err
	}
	r := &archivedRun{Name: filepath.Base(abs), dir: dir}
	for name, to := range map[string]*string{RunName: &r.Options, ManifestName: &r.Manifest, NetworksName: &r.Networks} {
		data, err := readFile(filepath.Join(dir, name))
		if err != nil && !(name == NetworksName && errors.Is(err, fs.ErrNotExist)) {
			return nil, err
		}
		*to = string(data)
	}
	plan, err := ParseRun([]byte(r.Options))
	if err = cmp.Or(err, r.list()); err != nil {
		return nil, err
	}
	if len(r.entries) != plan.Shards() || r.games != plan.Games {
		return nil, fmt.Errorf("%d of %d games are in shards: pack the run when it is whole", r.games, plan.Games)
	}
	list, _, err := readNetworks(dir, plan.GamesPerShard)
	for _, by := range list {
		if by.SHA256 != "" && !slices.Contains(r.Copies, by.SHA256) {
			r.Copies = append(r.Copies, by.SHA256)
		}
	}
	return r, err
}

// strip returns a shard without what write puts back.
func strip(s *Shard) (*packedShard, error) {
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
func visitTargets(c *Columns) []float32 {
	t := make([]float32, len(c.VisitCounts))
	for i := range c.Rows {
		lo, hi := c.VisitOffsets[i], c.VisitOffsets[i+1]
		VisitTarget(t[lo:hi], c.VisitCounts[lo:hi])
	}
	return t
}

// write puts the shard together, which changes p, and writes its file to w. It must be the
// one of the manifest's entry.
func (p *packedShard) write(open CodecFunc, e *Entry, w io.Writer) error {
	var b bytes.Buffer
	if b.Write(p.Raw); p.Raw == nil {
		s, err := p.replay(open)
		if err != nil {
			return fmt.Errorf("%s: %w", e.File, err)
		}
		if err := WriteShard(&b, &s.Header, s.Columns); err != nil {
			return err
		}
	}
	if int64(b.Len()) != e.Bytes || disk.Sum(b.Bytes()) != e.SHA256 {
		return fmt.Errorf("%s comes out otherwise than it was packed: unpack it with the version of the program that "+
			"played it", e.File)
	}
	_, err := w.Write(b.Bytes())
	return err
}

// replay plays the games through the rules and fills in what strip left out.
func (p *packedShard) replay(open CodecFunc) (*Shard, error) {
	h, err := ParseOptions(p.Header)
	if err != nil {
		return nil, err
	}
	codec, err := open(&h)
	if err != nil {
		return nil, err
	}
	c, d := &p.Columns, NewDeriver(codec.Encoder)
	h.Games, h.Rows = slices.Clone(p.Games), c.Rows
	if c.Layout != d.Layout {
		return nil, fmt.Errorf("its planes are %.40q, this program's %q", h.Planes.Version, codec.Encoder.Version())
	}
	row := 0
	for i := range h.Games {
		g := &h.Games[i]
		g.Seed = GameSeed(h.Seed, g.ID)
		pos, moves, err := codec.Parse(g.Moves)
		if err == nil {
			_, err = codec.end(pos, moves)
		}
		if err != nil {
			return nil, fmt.Errorf("game %d: %w", g.ID, err)
		}
		for ply, m := range moves {
			if row < c.Rows && int(c.Game[row]) == i && int(c.Ply[row]) == ply {
				of := d.Row(pos, moves[ply:])
				c.Planes, c.Globals = append(c.Planes, of.Planes...), append(c.Globals, of.Globals...)
				c.Legal = append(c.Legal, of.Legal...)
				c.Played, c.Reply = append(c.Played, of.Played), append(c.Reply, of.Reply)
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
	return &Shard{Header: h, Columns: c}, nil
}

// Unpack writes the runs of an archive into a new or empty folder, each as a folder of its
// name, with the bytes that it had. An error leaves nothing.
func Unpack(ctx context.Context, open CodecFunc, path, dir string, step Progress) (total Packed, err error) {
	folder, err := disk.NewFolder(dir)
	if err != nil {
		return total, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	u := &unpacker{ctx: ctx, open: open, folder: folder, step: step, total: &total}
	if err := u.archive(path); err != nil {
		return total, fmt.Errorf("%s: %w", path, err)
	}
	return total, folder.Finish("")
}

// unpacker reads the objects of an archive and writes runs.
type unpacker struct {
	ctx    context.Context
	open   CodecFunc
	folder *disk.Folder
	step   Progress
	total  *Packed
	d      *msgpack.Decoder
	z      *zstd.Decoder
}

// archive unpacks a file.
func (u *unpacker) archive(path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	head := make([]byte, len(archiveMagic)+1)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(archiveMagic)]) != archiveMagic {
		return fmt.Errorf("%w: it does not begin as one", ErrArchive)
	}
	if v := head[len(archiveMagic)]; v != archiveVersion {
		return fmt.Errorf("its format is version %d, this program reads version %d: unpack it with the release that "+
			"packed it", v, archiveVersion)
	}
	if u.z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxUnpacked)); err != nil {
		return err
	}
	defer u.z.Close()
	u.d = msgpack.NewDecoder(in)
	for {
		data, err := u.next()
		if err != nil {
			return err
		}
		if data == nil {
			break
		}
		var r archivedRun
		err = msgpack.Unmarshal(data, &r)
		if err == nil && (!filepath.IsLocal(r.Name) || filepath.Base(r.Name) != r.Name) {
			err = fmt.Errorf("a run named %.80q", r.Name)
		}
		if err = cmp.Or(err, r.list()); err != nil {
			return fmt.Errorf("%w: %w", ErrArchive, err)
		}
		if err := u.run(&r); err != nil {
			return fmt.Errorf("%s: %w", r.Name, err)
		}
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: something follows its end", ErrArchive)
	}
	return nil
}

// next returns the next object's content, nil at the end of the archive.
func (u *unpacker) next() ([]byte, error) {
	if err := u.ctx.Err(); err != nil {
		return nil, err
	}
	packed, err := u.d.DecodeBytes()
	if packed == nil && err == nil {
		return nil, nil
	}
	var data []byte
	if err == nil {
		data, err = u.z.DecodeAll(packed, []byte{})
	}
	if err != nil {
		return nil, fmt.Errorf("%w: it is cut off or damaged: %w", ErrArchive, err)
	}
	return data, nil
}

// part returns the next object's content, which is a part of a run.
func (u *unpacker) part() ([]byte, error) {
	data, err := u.next()
	if err == nil && data == nil {
		err = fmt.Errorf("%w: a run has fewer shards than its manifest", ErrArchive)
	}
	return data, err
}

// run writes the files of a run.
func (u *unpacker) run(r *archivedRun) error {
	write := func(name string, content func(io.Writer) error) error {
		_, err := u.folder.Write(filepath.Join(r.Name, name), content)
		return err
	}
	copied := func(name string, data []byte) error {
		return write(name, func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
	}
	err := cmp.Or(copied(RunName, []byte(r.Options)), copied(ManifestName, []byte(r.Manifest)))
	if err == nil && r.Networks != "" {
		err = copied(NetworksName, []byte(r.Networks))
	}
	for i := 0; i < len(r.Copies) && err == nil; i++ {
		var data []byte
		if data, err = u.part(); err == nil && disk.Sum(data) != r.Copies[i] {
			err = fmt.Errorf("%w: a network has another sha256 than %.12s…", ErrArchive, r.Copies[i])
		}
		if err == nil {
			err = copied(NetworkName(r.Copies[i]), data)
		}
	}
	if err != nil {
		return err
	}
	u.total.Runs++
	rows := 0
	for i := range r.entries {
		e, p := &r.entries[i], packedShard{}
		data, err := u.part()
		if err != nil {
			return err
		}
		if err := msgpack.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("%w: %w", ErrArchive, err)
		}
		if err := write(e.File, func(w io.Writer) error { return p.write(u.open, e, w) }); err != nil {
			return err
		}
		u.total.add(e)
		u.total.Bytes += e.Bytes
		rows += e.Rows
		u.step(rows, r.rows)
	}
	return nil
}
