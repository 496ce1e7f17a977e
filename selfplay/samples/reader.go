package samples

import (
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
)

// ShardPaths returns the finished shards of the run at path in the manifest's
// order, or path itself if it is a shard's file.
func ShardPaths(files FS, path string) ([]string, error) {
	if _, ok := shardNumber(filepath.Base(path)); ok {
		return []string{path}, nil
	}
	entries, err := ReadManifest(files, path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: want a run's directory, with a %s, or a shard's file", path, ManifestName)
	}
	var list []string
	for _, e := range entries {
		list = append(list, filepath.Join(path, e.File))
	}
	return list, err
}

// ReadFile reads the shard in a file, as ReadShard does.
func ReadFile(files FS, path string) (*Shard, error) {
	s, _, err := readFile(files, path)
	return s, err
}

func readFile(files FS, path string) (*Shard, int64, error) {
	size, err := files.Size(path)
	if err != nil {
		return nil, 0, err
	}
	f, err := files.Open(path)
	if err != nil {
		return nil, 0, err
	}
	defer f.Close()
	s, err := ReadShard(f, Limits{})
	if err != nil {
		return nil, 0, fmt.Errorf("%s: %w", path, err)
	}
	return s, size, nil
}
