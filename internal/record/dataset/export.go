package dataset

import (
	"context"
	"encoding/json"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/internal/support/limitio"
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

// Kind is a format of files.
type Kind string

// The kinds.
const (
	NPZ     Kind = "npz"
	Parquet Kind = "parquet"
)

// Kinds returns the names of all kinds.
func Kinds() []string { return []string{string(NPZ), string(Parquet)} }

// ExportOptions describe an Export.
type ExportOptions struct {
	Kind     Kind
	Unpacked bool // planes and legal actions as a byte each, not a bit
}

// Index is what export.json holds.
type Index struct {
	Format   string   `json:"format"`
	Version  int      `json:"version"`
	Kind     Kind     `json:"kind"`
	Unpacked bool     `json:"unpacked"`
	Total    Total    `json:"total"` // bytes of the files of rows and games
	Columns  []Column `json:"columns"`
	Shards   []Part   `json:"shards"`
}

// Column describes a column of the export.
type Column struct {
	Name  string `json:"name"`
	DType string `json:"dtype"` // numpy's, of an element
	Shape []any  `json:"shape"` // "rows", "rows+1" and "visits" stand for numbers that each file has
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
	samples.Written
}

// Export writes the rows and games of the shards at paths to files in dir. Their
// columns must be the same; rules, networks and options may differ.
func Export(ctx context.Context, files samples.FS, open samples.CodecFunc, dir string, o ExportOptions, step Progress, paths ...string) (total Total, err error) {
	sources, err := samples.Sources(files, paths...)
	if err != nil {
		return total, err
	}
	if len(sources) == 0 {
		return total, fmt.Errorf("%s: no shard is finished, nothing to export", strings.Join(paths, ", "))
	}
	folder, err := samples.OpenFolder(files, dir, IndexName, ofExport)
	if err != nil {
		return total, err
	}
	defer func() { err = closing(folder.Close, err) }()
	e := exporter{folder: folder, opts: o, same: sameness{fields: columnsOf},
		index: Index{Format: exportFormat, Version: exportVersion, Kind: o.Kind, Unpacked: o.Unpacked}}
	err = walk(ctx, files, sources, step, func(source samples.Source, shard *samples.Shard, entry samples.Entry) error {
		kit, err := open(&shard.Header)
		if err == nil {
			err = e.same.check(source.Path, shard)
		}
		if err != nil {
			return err
		}
		if err := e.export(shard, entry, kit); err != nil {
			return limitio.About(source.Path, err)
		}
		return nil
	})
	if err != nil {
		return total, err
	}
	return e.index.Total, folder.Finish(func(w io.Writer) error {
		enc := json.NewEncoder(w)
		enc.SetEscapeHTML(false)
		enc.SetIndent("", " ")
		return enc.Encode(e.index)
	})
}

// ofExport recognises the files of an export.
func ofExport(name string) bool {
	for _, form := range []string{"rows-??????.npz", "games-??????.jsonl", "rows-??????.parquet", "games-??????.parquet"} {
		if ok, err := filepath.Match(form, name); ok && err == nil {
			return true
		}
	}
	return false
}

// exporter exports one shard after the other.
type exporter struct {
	folder *samples.Folder
	opts   ExportOptions
	same   sameness
	index  Index
}

func (e *exporter) export(shard *samples.Shard, entry samples.Entry, kit samples.Codec) error {
	k := len(e.index.Shards)
	shape := kit.Encoder.Shape()
	t := &table{shard: shard, number: k, arrays: shard.Columns.Arrays()}
	if e.opts.Unpacked {
		t.unpack(shape.Height, shape.Width, shape.Actions)
	}
	rows, games := t.npz, t.jsonLines
	names := [2]string{"rows-%06d.npz", "games-%06d.jsonl"}
	if e.opts.Kind == Parquet {
		rows, games, names = t.parquet, t.gamesParquet, [2]string{"rows-%06d.parquet", "games-%06d.parquet"}
	}
	part := Part{
		Source: entry.File, SourceSHA256: entry.SHA256, Height: shape.Height, Width: shape.Width, Actions: shape.Actions,
		Header: shard.Header,
	}
	part.Rows = File{File: fmt.Sprintf(names[0], k), Entries: entry.Rows}
	part.Games = File{File: fmt.Sprintf(names[1], k), Entries: entry.Games}
	var err error
	if part.Rows.Written, err = e.folder.Write(part.Rows.File, rows); err != nil {
		return err
	}
	if part.Games.Written, err = e.folder.Write(part.Games.File, games); err != nil {
		return err
	}
	if k == 0 {
		e.index.Columns = t.columns(e.opts.Kind)
	}
	e.index.Total.add(entry.Games, entry.Rows, part.Rows.Bytes+part.Games.Bytes)
	e.index.Shards = append(e.index.Shards, part)
	return nil
}
