package samples

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
)

// indexName is the name of the file that lists an export's files. It is written
// last: without it a folder is no export.
const indexName = "export.json"

// exportIndex is what export.json holds.
type exportIndex struct {
	Format  string         `json:"format"`
	Version int            `json:"version"`
	Kind    string         `json:"kind"`
	Total   Total          `json:"total"` // bytes of the files of rows and games
	Shards  []exportedPart `json:"shards"`
}

// exportedPart is the export of one shard.
type exportedPart struct {
	Rows         exportedFile `json:"rows"`
	Games        exportedFile `json:"games"`
	Source       string       `json:"source"` // its name where it comes from
	SourceSHA256 string       `json:"source_sha256"`
	Height       int          `json:"height"` // of the board
	Width        int          `json:"width"`
	Actions      int          `json:"actions"`
	Header       Header       `json:"header"` // of the shard, without its games
}

// exportedFile is one file of an export.
type exportedFile struct {
	File    string `json:"file"`
	Entries int    `json:"entries"` // rows or games
	Bytes   int64  `json:"bytes"`
	SHA256  string `json:"sha256"`
}

// Total counts what was exported.
type Total struct {
	Shards int   `json:"shards"`
	Games  int   `json:"games"`
	Rows   int   `json:"rows"`
	Bytes  int64 `json:"bytes"`
}

// Progress is called after each of all shards that are exported, or with the positions of runs
// that are packed.
type Progress func(done, all int)

// Export writes the rows of the shards at paths as npz files for numpy, and their games as JSON
// lines, to files in dir: all, or none. Their columns must be the same; rules, networks and
// options may differ.
func Export(ctx context.Context, open CodecFunc, dir string, step Progress, paths ...string) (total Total, err error) {
	sources, err := Sources(paths...)
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
	index := exportIndex{Format: "carozero-export", Version: 1, Kind: "npz"}
	var first []byte
	for i, source := range sources {
		if err := ctx.Err(); err != nil {
			return total, err
		}
		shard, entry, err := source.Read()
		if err != nil {
			return total, err
		}
		codec, err := open(&shard.Header)
		if err != nil {
			return total, err
		}
		h := &shard.Header
		now, err := json.Marshal(map[string]any{
			"game": h.Game, "size": h.Size, "planes": h.Planes, "globals": h.Globals, "layout": shard.Columns.Layout,
		})
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
		if err := index.export(folder, shard, entry, codec.Encoder.Shape()); err != nil {
			return total, disk.About(source.Path, err)
		}
		step(i+1, len(sources))
	}
	if _, err = folder.Write(indexName, func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(index)
	}); err != nil {
		return total, err
	}
	return index.Total, folder.Finish(indexName)
}

// export writes the files of a shard.
func (x *exportIndex) export(folder *disk.Folder, shard *Shard, entry Entry, shape nn.Shape) (err error) {
	k := len(x.Shards)
	write := func(name string, entries int, content func(io.Writer) error) exportedFile {
		sum := disk.NewDigest()
		if err == nil {
			sum, err = folder.Write(name, content)
		}
		return exportedFile{name, entries, sum.Bytes, sum.SHA256()}
	}
	part := exportedPart{
		Rows: write(fmt.Sprintf("rows-%06d.npz", k), entry.Rows,
			func(w io.Writer) error { return npz(w, shard.Columns) }),
		Games: write(fmt.Sprintf("games-%06d.jsonl", k), entry.Games,
			func(w io.Writer) error { return writeGames(w, k, shard.Header.Games) }),
		Source: entry.File, SourceSHA256: entry.SHA256, Height: shape.Height, Width: shape.Width, Actions: shape.Actions,
		Header: shard.Header,
	}
	t := &x.Total
	t.Shards, t.Games, t.Rows = t.Shards+1, t.Games+entry.Games, t.Rows+entry.Rows
	t.Bytes += part.Rows.Bytes + part.Games.Bytes
	x.Shards = append(x.Shards, part)
	return err
}

// npz writes columns as numpy.savez_compressed does: a zip archive of an npy file each.
func npz(w io.Writer, c *Columns) error {
	z := zip.NewWriter(w)
	for _, col := range c.present() {
		file, err := z.Create(col.name + ".npy")
		if err == nil {
			err = npy(file, col.dtype, col.shape(c.Rows, len(c.VisitActions)), col.bytes())
		}
		if err != nil {
			return fmt.Errorf("%s: %w", col.name, err)
		}
	}
	return z.Close()
}

// npy writes little-endian numbers as an npy file of version 1.0.
func npy(w io.Writer, dtype string, shape []int, data []byte) error {
	sizes := ""
	for _, n := range shape {
		sizes += fmt.Sprintf("%d,", n)
	}
	header := fmt.Sprintf("{'descr': '<%s', 'fortran_order': False, 'shape': (%s)}", strings.TrimPrefix(dtype, "<"), sizes)
	const before = 10 // bytes of magic, version and length
	header += strings.Repeat(" ", 15-(before+len(header))%16) + "\n"
	head := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	if _, err := w.Write(append(head, header...)); err != nil {
		return err
	}
	_, err := w.Write(data)
	return err
}

// writeGames writes the games of a shard, a JSON object a line.
func writeGames(w io.Writer, shard int, list []Game) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i, g := range list {
		line := struct {
			Shard int `json:"shard"`
			Index int `json:"game"` // as in the column of the rows
			Game
			*Audit
		}{shard, i, g, g.Audit}
		if err := enc.Encode(line); err != nil {
			return err
		}
	}
	return nil
}
