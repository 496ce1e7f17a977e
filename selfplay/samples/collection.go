package samples

import (
	"encoding/json"
	"io"
)

// OriginsName is the name of the file of a collection that says where each shard comes
// from.
const OriginsName = "origins.jsonl"

// Origin is a line of that file.
type Origin struct {
	File         string `json:"file"`
	Source       string `json:"source"` // its name where it comes from
	SourceSHA256 string `json:"source_sha256"`
	Seed         uint64 `json:"seed"` // of its run
	Filter       string `json:"filter,omitempty"`
}

// Collection is a new directory of shards from several runs. It has a manifest but no
// run options: each shard has its own header. The directory is written completely or
// not at all. Close it.
type Collection struct {
	folder  *Folder
	files   FS
	entries []Entry
	origins []Origin
}

// NewCollection begins a collection in a new or empty directory.
func NewCollection(files FS, dir string) (*Collection, error) {
	folder, err := OpenFolder(files, dir, ManifestName, ofCollection)
	if err != nil {
		return nil, err
	}
	return &Collection{folder: folder, files: files}, nil
}

func ofCollection(name string) bool {
	_, shard := shardNumber(name)
	return shard || name == OriginsName
}

// Copy adds a shard byte for byte. e is what Source.Read returned.
func (c *Collection) Copy(s Source, e Entry, h *Header) error {
	return c.add(e, h, func(w io.Writer) error { return s.Copy(c.files, w, e) })
}

// Add adds a shard of the rows that were kept of the one with the entry e. rows have
// been sealed.
func (c *Collection) Add(e Entry, h *Header, rows *Columns) error {
	return c.add(e, h, func(w io.Writer) error { return WriteShard(w, h, rows) })
}

func (c *Collection) add(from Entry, h *Header, write func(io.Writer) error) error {
	name := ShardName(len(c.entries))
	written, err := c.folder.Write(name, write)
	if err != nil {
		return err
	}
	c.entries = append(c.entries, Entry{
		File: name, Rows: h.Rows, Games: len(h.Games), Bytes: written.Bytes, SHA256: written.SHA256,
		ModelSHA256: h.ModelSHA256, Created: from.Created,
	})
	c.origins = append(c.origins, Origin{name, from.File, from.SHA256, h.Seed, h.Filter})
	return nil
}

// Entries returns what was added.
func (c *Collection) Entries() []Entry { return c.entries }

// Finish completes the collection: only then does it exist.
func (c *Collection) Finish() error {
	if _, err := c.folder.Write(OriginsName, func(w io.Writer) error { return jsonLines(w, c.origins) }); err != nil {
		return err
	}
	return c.folder.Finish(func(w io.Writer) error { return jsonLines(w, c.entries) })
}

// Close releases the directory and removes an unfinished collection.
func (c *Collection) Close() error { return c.folder.Close() }

func jsonLines[T any](w io.Writer, list []T) error {
	enc := json.NewEncoder(w)
	enc.SetEscapeHTML(false)
	for i := range list {
		if err := enc.Encode(list[i]); err != nil {
			return err
		}
	}
	return nil
}
