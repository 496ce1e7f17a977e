package dataset

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

// An archive packs whole runs of self-play into one file, which unpacks byte for byte. It keeps
// what the rules do not give back: moves, visits, targets and values, as msgpack under zstd.
// Planes, legal moves and checksums are made again as the games are replayed, and every shard
// is held to the SHA-256 of its run's manifest. docs/samples.md describes the file.
//
// An archive is magic, the version, and objects of msgpack: byte strings, each a frame of
// zstd with its checksum, and a nil at the end. The frames of a run are a run, its networks'
// files, and a packedShard for each line of its manifest.
const (
	magic     = "\x89CZPACK\n"
	version   = 2
	maxMemory = 1 << 31 // bytes of an object
)

// ErrArchive is wrapped by every error about the content of an archive.
var ErrArchive = errors.New("not a whole archive of samples")

// run is what an archive holds of a run beside its networks and shards.
type run struct {
	Name     string   // of its folder
	Options  string   // text of run.json
	Manifest string   // text of manifest.jsonl
	Networks string   // text of networks.jsonl, "" if there is none
	Copies   []string // SHA-256 of the files of networks, in their order
}

// packedShard is a shard without what a replay of its games gives back.
type packedShard struct {
	Header  []byte // samples.Header.Options
	Games   []samples.Game
	Columns samples.Columns
	Sealed  bool   // it has row_crc
	Raw     []byte // the file itself, in place of all, if this program makes another one
}

// packedRun is a run and what its manifest lists.
type packedRun struct {
	run
	entries     []samples.Entry
	games, rows int
}

// list reads the run's manifest.
func (r run) list() (packedRun, error) {
	l := packedRun{run: r}
	for line := range strings.Lines(r.Manifest) {
		var e samples.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return l, fmt.Errorf("%s: %w", samples.ManifestName, err)
		}
		l.entries = append(l.entries, e)
		l.games, l.rows = l.games+e.Games, l.rows+e.Rows
	}
	return l, nil
}

// reader reads the objects of an archive.
type reader struct {
	d *msgpack.Decoder
	z *zstd.Decoder
}

// read opens an archive, and has what follows each run read to its end.
func read(path string, each func(*reader, *packedRun) error) error {
	f, err := disk.Open(path)
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	head := make([]byte, len(magic)+1)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(magic)]) != magic {
		return fmt.Errorf("%s: %w: it does not begin as one", path, ErrArchive)
	}
	if v := head[len(magic)]; v != version {
		return fmt.Errorf("%s: its format is version %d, this program reads version %d: unpack it with the release that "+
			"packed it",
			path, v, version)
	}
	z, err := zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMemory))
	if err != nil {
		return err
	}
	defer z.Close()
	r := &reader{msgpack.NewDecoder(in), z}
	run, err := r.run()
	for err == nil && run != nil {
		if err = each(r, run); err == nil {
			run, err = r.run()
		}
	}
	if err != nil {
		return fmt.Errorf("%s: %w", path, err)
	}
	if _, err := in.ReadByte(); !errors.Is(err, io.EOF) {
		return fmt.Errorf("%s: %w: something follows its end", path, ErrArchive)
	}
	return nil
}

// next returns the next object's content, nil at the end.
func (r *reader) next() ([]byte, error) {
	packed, err := r.d.DecodeBytes()
	if err != nil {
		return nil, fmt.Errorf("%w: it is cut off or damaged: %w", ErrArchive, err)
	}
	if packed == nil {
		return nil, nil
	}
	data, err := r.z.DecodeAll(packed, []byte{})
	if err != nil {
		return nil, fmt.Errorf("%w: it is damaged: %w", ErrArchive, err)
	}
	return data, nil
}

// data returns the next object's content, which is a part of a run.
func (r *reader) data(ctx context.Context) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	data, err := r.next()
	if err == nil && data == nil {
		err = fmt.Errorf("%w: a run has fewer shards than its manifest", ErrArchive)
	}
	return data, err
}

// run returns the next run, nil at the end.
func (r *reader) run() (*packedRun, error) {
	data, err := r.next()
	if err != nil || data == nil {
		return nil, err
	}
	var one run
	err = msgpack.Unmarshal(data, &one)
	if err == nil && (!filepath.IsLocal(one.Name) || filepath.Base(one.Name) != one.Name) {
		err = fmt.Errorf("a run named %.80q", one.Name)
	}
	var l packedRun
	if err == nil {
		l, err = one.list()
	}
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrArchive, err)
	}
	return &l, nil
}

// Unpack writes the runs of an archive into a new or empty folder, each as a folder of its
// name, with the bytes that it had. An error leaves nothing.
func Unpack(ctx context.Context, open samples.CodecFunc, path, dir string, step Progress) (total Packed, err error) {
	folder, err := disk.NewFolder(dir)
	if err != nil {
		return total, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	err = read(path, func(r *reader, run *packedRun) error {
		total.Runs++
		before := total.Rows
		err := unpackRun(ctx, open, r, run, folder, func(e *samples.Entry) {
			total.add(e)
			total.Bytes += e.Bytes
			step(total.Rows-before, run.rows)
		})
		if err != nil {
			err = fmt.Errorf("%s: %w", run.Name, err)
		}
		return err
	})
	if err != nil {
		return total, err
	}
	return total, folder.Finish("")
}

// unpackRun writes the files of a run.
func unpackRun(ctx context.Context, open samples.CodecFunc, r *reader, run *packedRun, folder *disk.Folder,
	step func(*samples.Entry)) error {
	write := func(name string, write func(io.Writer) error) (*disk.Digest, error) {
		return folder.Write(filepath.Join(run.Name, name), write)
	}
	content := func(data []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(data); return err }
	}
	for name, text := range map[string]string{
		samples.RunName: run.Options, samples.ManifestName: run.Manifest,
		samples.NetworksName: run.Networks,
	} {
		if text == "" && name == samples.NetworksName {
			continue
		}
		if _, err := write(name, content([]byte(text))); err != nil {
			return err
		}
	}
	for _, sum := range run.Copies {
		data, err := r.data(ctx)
		if err != nil {
			return err
		}
		written, err := write(samples.NetworkName(sum), content(data))
		if err == nil && written.SHA256() != sum {
			err = fmt.Errorf("%w: a network has another sha256 than %.12s…", ErrArchive, sum)
		}
		if err != nil {
			return err
		}
	}
	for i := range run.entries {
		data, err := r.data(ctx)
		if err != nil {
			return err
		}
		var p packedShard
		if err := msgpack.Unmarshal(data, &p); err != nil {
			return fmt.Errorf("%w: %w", ErrArchive, err)
		}
		e := &run.entries[i]
		if _, err := write(e.File, func(w io.Writer) error { return p.write(open, e, w) }); err != nil {
			return err
		}
		step(e)
	}
	return nil
}
