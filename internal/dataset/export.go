// Package dataset turns shards of samples into other files. [Export] writes rows and games for
// numpy, [Pack] packs whole runs into one file and [Unpack] unpacks them. All read shard after
// shard; what they write is a function of what they read, there as a whole or not at all.
package dataset

import (
	"archive/zip"
	"cmp"
	"context"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// IndexName is the name of the file that lists an export's files. It is written
// last: without it a folder is no export.
const IndexName = "export.json"

// Format and version of an export, as its index has them.
const (
	exportFormat  = "carozero-export"
	exportVersion = 1
)

// Index is what export.json holds.
type Index struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Kind    string `json:"kind"`  // "npz"
	Total   Total  `json:"total"` // bytes of the files of rows and games
	Shards  []Part `json:"shards"`
}

// Part is the export of one shard.
type Part struct {
	Rows         File           `json:"rows"`
	Games        File           `json:"games"`
	Source       string         `json:"source"` // its name where it comes from
	SourceSHA256 string         `json:"source_sha256"`
	Height       int            `json:"height"` // of the board
	Width        int            `json:"width"`
	Actions      int            `json:"actions"`
	Header       samples.Header `json:"header"` // of the shard, without its games
}

// File is one file of an export.
type File struct {
	File    string `json:"file"`
	Entries int    `json:"entries"` // rows or games
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
}

// Total counts what was written.
type Total struct {
	Shards int   `json:"shards"`
	Games  int   `json:"games"`
	Rows   int   `json:"rows"`
	Bytes  int64 `json:"bytes"`
}

// Progress is called after each of all shards that are read, or positions of runs that are
// packed.
type Progress func(done, all int)

// Export writes the rows and games of the shards at paths to files in dir. Their columns must
// be the same; rules, networks and options may differ.
func Export(ctx context.Context, open samples.CodecFunc, dir string, step Progress, paths ...string) (total Total,
	err error) {
	sources, err := samples.Sources(paths...)
	if err != nil {
		return total, err
	}
	if len(sources) == 0 {
		return total, fmt.Errorf("%s: no shard is finished, nothing to export", strings.Join(paths, ", "))
	}
	folder, err := disk.NewFolder(dir)
	if err != nil {
		return total, err
	}
	defer func() { err = cmp.Or(err, folder.Close()) }()
	index := Index{Format: exportFormat, Version: exportVersion, Kind: "npz"}
	var first []byte
	for i, source := range sources {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		shard, entry, err := source.Read()
		if err != nil {
			return total, err
		}
		kit, err := open(&shard.Header)
		if err != nil {
			return total, err
		}
		now, err := columnsOf(shard)
		if err != nil {
			return total, err
		}
		if i == 0 {
			first = now
		}
		if key, now, was, err := disk.Difference(now, first); err != nil || key != "" {
			return total, cmp.Or(err, fmt.Errorf("%s: %s is %s, in %s it is %s: these do not go together", source.Path, key,
				now, sources[0].Path, was))
		}
		if err := index.export(folder, shard, entry, kit.Encoder.Shape()); err != nil {
			return total, disk.About(source.Path, err)
		}
		step(i+1, len(sources))
	}
	if _, err = folder.Write(IndexName, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(index)
	}); err != nil {
		return total, err
	}
	return index.Total, folder.Finish(IndexName)
}

// export writes the files of a shard.
func (x *Index) export(folder *disk.Folder, shard *samples.Shard, entry samples.Entry, shape nn.Shape) error {
	k, arrays := len(x.Shards), shard.Columns.Arrays()
	part := Part{
		Source: entry.File, SourceSHA256: entry.SHA256, Height: shape.Height, Width: shape.Width, Actions: shape.Actions,
		Header: shard.Header,
	}
	write := func(name string, entries int, content func(io.Writer) error) (File, error) {
		sum, err := folder.Write(name, content)
		return File{name, entries, sum.Bytes, sum.SHA256()}, err
	}
	var err error
	part.Rows, err = write(fmt.Sprintf("rows-%06d.npz", k), entry.Rows, func(w io.Writer) error { return npz(w, arrays) })
	if err != nil {
		return err
	}
	part.Games, err = write(fmt.Sprintf("games-%06d.jsonl", k), entry.Games,
		func(w io.Writer) error { return writeGames(w, k, shard.Header.Games) })
	if err != nil {
		return err
	}
	t := &x.Total
	t.Shards, t.Games, t.Rows = t.Shards+1, t.Games+entry.Games, t.Rows+entry.Rows
	t.Bytes += part.Rows.Bytes + part.Games.Bytes
	x.Shards = append(x.Shards, part)
	return nil
}

// columnsOf returns what says which columns a shard has, as JSON.
func columnsOf(s *samples.Shard) ([]byte, error) {
	h := &s.Header
	return json.Marshal(map[string]any{
		"game": h.Game, "size": h.Size, "planes": h.Planes, "globals": h.Globals, "layout": s.Columns.Layout,
	})
}

// npz writes arrays as numpy.savez_compressed does: a zip archive of an npy file each.
func npz(w io.Writer, arrays []samples.Array) error {
	z := zip.NewWriter(w)
	for _, a := range arrays {
		file, err := z.Create(a.Name + ".npy")
		if err == nil {
			err = npy(file, a)
		}
		if err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
	}
	return z.Close()
}

// npy writes an array as an npy file of version 1.0.
func npy(w io.Writer, a samples.Array) error {
	shape := ""
	for _, n := range a.Shape {
		shape += fmt.Sprintf("%d,", n)
	}
	dtype := "<" + strings.TrimPrefix(a.DType, "<")
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s)}", dtype, shape)
	const before = 10 // bytes of magic, version and length
	header += strings.Repeat(" ", 15-(before+len(header))%16) + "\n"
	head := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return err
	}
	return binary.Write(w, binary.LittleEndian, a.Data)
}

// gameEntry is a line of the file of games.
type gameEntry struct {
	Shard      int     `json:"shard"`
	Game       int     `json:"game"` // as in the column of the rows
	ID         uint64  `json:"id"`
	Seed       uint64  `json:"seed"`
	From       string  `json:"from"`
	Moves      string  `json:"moves"`
	Result     string  `json:"result"`
	Reason     string  `json:"reason"`
	Plies      int     `json:"plies"`
	Resigns    *string `json:"audit_resigns,omitempty"`
	ResignsPly *int    `json:"audit_ply,omitempty"`
}

// writeGames writes the games of a shard, a JSON object a line.
func writeGames(w io.Writer, shard int, list []samples.Game) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, g := range list {
		e := gameEntry{
			Shard: shard, Game: i, ID: g.ID, Seed: g.Seed, From: g.From, Moves: g.Moves,
			Result: g.Result, Reason: string(g.Reason), Plies: g.Plies,
		}
		if a := g.Audit; a != nil {
			e.Resigns, e.ResignsPly = &a.Resigns, &a.Ply
		}
		if err := enc.Encode(e); err != nil {
			return err
		}
	}
	return nil
}
