package dataset

import (
	"bufio"
	"cmp"
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

	entries     []samples.Entry // of the manifest
	games, rows int
}

// list reads the manifest.
func (r *run) list() error {
	for line := range strings.Lines(r.Manifest) {
		var e samples.Entry
		if err := json.Unmarshal([]byte(line), &e); err != nil {
			return fmt.Errorf("%s: %w", samples.ManifestName, err)
		}
		r.entries = append(r.entries, e)
		r.games, r.rows = r.games+e.Games, r.rows+e.Rows
	}
	return nil
}

// packedShard is a shard without what a replay of its games gives back.
type packedShard struct {
	Header  []byte // samples.Header.Options
	Games   []samples.Game
	Columns samples.Columns
	Sealed  bool   // it has row_crc
	Raw     []byte // the file itself, in place of all, if this program makes another one
}

// Unpack writes the runs of an archive into a new or empty folder, each as a folder of its
// name, with the bytes that it had. An error leaves nothing.
func Unpack(ctx context.Context, open samples.CodecFunc, path, dir string, step Progress) (total Packed, err error) {
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
	open   samples.CodecFunc
	folder *disk.Folder
	step   Progress
	total  *Packed

	d *msgpack.Decoder
	z *zstd.Decoder
}

// archive unpacks a file.
func (u *unpacker) archive(path string) error {
	f, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer f.Close()
	in := bufio.NewReaderSize(f, 1<<16)
	head := make([]byte, len(magic)+1)
	if _, err := io.ReadFull(in, head); err != nil || string(head[:len(magic)]) != magic {
		return fmt.Errorf("%w: it does not begin as one", ErrArchive)
	}
	if v := head[len(magic)]; v != version {
		return fmt.Errorf("its format is version %d, this program reads version %d: unpack it with the release that "+
			"packed it", v, version)
	}
	if u.z, err = zstd.NewReader(nil, zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxMemory(maxMemory)); err != nil {
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
		var r run
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
	if err != nil {
		return nil, fmt.Errorf("%w: it is cut off or damaged: %w", ErrArchive, err)
	}
	if packed == nil {
		return nil, nil
	}
	data, err := u.z.DecodeAll(packed, []byte{})
	if err != nil {
		return nil, fmt.Errorf("%w: it is damaged: %w", ErrArchive, err)
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
func (u *unpacker) run(r *run) error {
	write := func(name string, data []byte) error {
		_, err := u.folder.Write(filepath.Join(r.Name, name), func(w io.Writer) error {
			_, err := w.Write(data)
			return err
		})
		return err
	}
	err := errors.Join(write(samples.RunName, []byte(r.Options)), write(samples.ManifestName, []byte(r.Manifest)))
	if err == nil && r.Networks != "" {
		err = write(samples.NetworksName, []byte(r.Networks))
	}
	for i := 0; i < len(r.Copies) && err == nil; i++ {
		var data []byte
		if data, err = u.part(); err == nil && digestOf(data) != r.Copies[i] {
			err = fmt.Errorf("%w: a network has another sha256 than %.12s…", ErrArchive, r.Copies[i])
		}
		if err == nil {
			err = write(samples.NetworkName(r.Copies[i]), data)
		}
	}
	u.total.Runs++
	rows := 0
	for i := 0; i < len(r.entries) && err == nil; i++ {
		e := &r.entries[i]
		if err = u.shard(r, e); err == nil {
			u.total.add(e)
			u.total.Bytes += e.Bytes
			rows += e.Rows
			u.step(rows, r.rows)
		}
	}
	return err
}

// shard writes a shard of a run.
func (u *unpacker) shard(r *run, e *samples.Entry) error {
	data, err := u.part()
	if err != nil {
		return err
	}
	var p packedShard
	if err := msgpack.Unmarshal(data, &p); err != nil {
		return fmt.Errorf("%w: %w", ErrArchive, err)
	}
	_, err = u.folder.Write(filepath.Join(r.Name, e.File), func(w io.Writer) error { return p.write(u.open, e, w) })
	return err
}
