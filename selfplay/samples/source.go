package samples

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
)

// Source is a finished shard to read from.
type Source struct {
	Path  string
	Entry *Entry // in the manifest beside it; nil where there is none
}

// Sources returns the finished shards at the paths in their order, each a run's
// directory or a shard's file. One that a path names twice is an error.
func Sources(files FS, paths ...string) ([]Source, error) {
	var list []Source
	for _, path := range paths {
		found, err := sources(files, path)
		if err != nil {
			return nil, err
		}
		list = append(list, found...)
	}
	seen := map[string]bool{}
	for _, s := range list {
		if clean := filepath.Clean(s.Path); seen[clean] {
			return nil, fmt.Errorf("%s is named twice", s.Path)
		} else {
			seen[clean] = true
		}
	}
	return list, nil
}

func sources(files FS, path string) ([]Source, error) {
	dir, name := path, ""
	if _, ok := shardNumber(filepath.Base(path)); ok {
		dir, name = filepath.Dir(path), filepath.Base(path)
	}
	entries, err := ReadManifest(files, dir)
	switch {
	case errors.Is(err, fs.ErrNotExist) && name != "":
		return []Source{{Path: path}}, nil
	case errors.Is(err, fs.ErrNotExist):
		return nil, fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", path, ManifestName)
	case err != nil:
		return nil, err
	}
	if name != "" {
		i := slices.IndexFunc(entries, func(e Entry) bool { return e.File == name })
		if i < 0 {
			return nil, fmt.Errorf("%s: not in the manifest beside it: the shard was never finished", path)
		}
		entries = entries[i : i+1]
	}
	var list []Source
	for i := range entries {
		list = append(list, Source{filepath.Join(dir, entries[i].File), &entries[i]})
	}
	return list, nil
}

// Read returns the shard, checked as by ReadShard and against its entry, and the entry
// computed from its bytes.
func (s Source) Read(files FS) (*Shard, Entry, error) {
	f, err := files.Open(s.Path)
	if err != nil {
		return nil, Entry{}, err
	}
	defer f.Close()
	sum := newHashingReader(f)
	shard, err := ReadShard(sum, Limits{})
	if err != nil {
		return nil, Entry{}, fmt.Errorf("%s: %w", s.Path, err)
	}
	if _, err := io.Copy(io.Discard, sum); err != nil {
		return nil, Entry{}, err
	}
	e := Entry{
		File: filepath.Base(s.Path), Rows: shard.Header.Rows, Games: len(shard.Header.Games), Bytes: sum.n,
		SHA256: sum.digest(), ModelSHA256: shard.Header.ModelSHA256,
	}
	if s.Entry != nil {
		e.Created = s.Entry.Created
		if e != *s.Entry {
			return nil, e, fmt.Errorf("%s: %d bytes, %d rows, sha256 %.12s…; the manifest says %d, %d, %.12s…: the file was changed",
				s.Path, e.Bytes, e.Rows, e.SHA256, s.Entry.Bytes, s.Entry.Rows, s.Entry.SHA256)
		}
	}
	return shard, e, nil
}

// Copy writes the bytes of the shard, which must still be those of the entry e.
func (s Source) Copy(files FS, w io.Writer, e Entry) error {
	f, err := files.Open(s.Path)
	if err != nil {
		return err
	}
	defer f.Close()
	sum := newHashingReader(f)
	if _, err := io.Copy(w, sum); err != nil {
		return err
	}
	if sum.digest() != e.SHA256 {
		return fmt.Errorf("%s was changed while it was read", s.Path)
	}
	return nil
}
