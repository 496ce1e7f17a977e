package archive

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/selfplay/samples"
)

// Unpacked counts what was unpacked.
type Unpacked struct {
	Runs   int   `json:"runs"`
	Shards int   `json:"shards"`
	Games  int   `json:"games"`
	Rows   int   `json:"rows"`
	Bytes  int64 `json:"bytes"` // of the shards
}

// Unpack writes the runs of an archive into a new or empty folder, each as a folder of its
// name, with the bytes that it had. They are made in a folder of Unpack's own there and
// renamed once all are whole; an error leaves nothing, and removes nothing else.
func Unpack(ctx context.Context, open samples.CodecFunc, path, dir string, step Progress) (total Unpacked, err error) {
	l, err := List(ctx, path)
	if err != nil {
		return total, err
	}
	made, err := begin(dir)
	if err != nil {
		return total, err
	}
	temp, err := os.MkdirTemp(dir, ".tmp-")
	defer func() {
		if temp != "" {
			os.RemoveAll(temp)
		}
		if err != nil && made {
			os.Remove(dir) // which only an empty folder lets happen
		}
	}()
	if err != nil {
		return total, err
	}
	err = read(path, func(r *reader) error {
		for {
			run, err := r.run()
			if err != nil || run == nil {
				return err
			}
			err = unpackRun(ctx, open, r, run, filepath.Join(temp, run.Name), func(e *samples.Entry) {
				total.Shards++
				total.Games += e.Games
				total.Rows += e.Rows
				total.Bytes += e.Bytes
				step(total.Rows, l.Rows)
			})
			if err != nil {
				return fmt.Errorf("%s: %w", run.Name, err)
			}
			total.Runs++
		}
	})
	if err != nil {
		return total, err
	}
	for i := range l.Runs {
		if err := os.Rename(filepath.Join(temp, l.Runs[i].Name), filepath.Join(dir, l.Runs[i].Name)); err != nil {
			return total, err
		}
	}
	return total, samples.Disk{}.SyncDir(dir)
}

// begin makes the folder, or finds that it is empty.
func begin(dir string) (made bool, err error) {
	if err := os.MkdirAll(filepath.Dir(dir), 0o777); err != nil {
		return false, err
	}
	if err := os.Mkdir(dir, 0o777); !errors.Is(err, fs.ErrExist) {
		return err == nil, err
	}
	if info, err := os.Stat(dir); err != nil || !info.IsDir() {
		return false, fmt.Errorf("%s is there and is not a folder: %w", dir, samples.ErrNotEmpty)
	}
	names, err := os.ReadDir(dir)
	if err == nil && len(names) > 0 {
		err = fmt.Errorf("%s holds %s: %w", dir, names[0].Name(), samples.ErrNotEmpty)
	}
	return false, err
}

// unpackRun writes the files of a run into a new folder.
func unpackRun(ctx context.Context, open samples.CodecFunc, r *reader, run *ListedRun, dir string, step func(*samples.Entry)) error {
	if err := os.Mkdir(dir, 0o777); err != nil {
		return err
	}
	files := map[string]string{samples.RunName: run.files.Options, samples.ManifestName: run.files.Manifest}
	if run.files.Networks != "" {
		files[samples.NetworksName] = run.files.Networks
	}
	for name, text := range files {
		if err := write(filepath.Join(dir, name), []byte(text)); err != nil {
			return err
		}
	}
	for _, sum := range run.files.Copies {
		data, err := r.data(ctx)
		if err == nil && digestOf(data) != sum {
			err = fmt.Errorf("%w: a network has another sha256 than %.12s…", ErrArchive, sum)
		}
		if err == nil {
			err = write(filepath.Join(dir, samples.NetworkName(sum)), data)
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
		f, err := os.Create(filepath.Join(dir, e.File))
		if err != nil {
			return err
		}
		if err := errors.Join(p.write(open, e, f), f.Sync(), f.Close()); err != nil {
			return err
		}
		step(e)
	}
	return nil
}

// write writes a file and syncs it.
func write(path string, data []byte) error {
	f, err := os.Create(path)
	if err != nil {
		return err
	}
	_, err = f.Write(data)
	return errors.Join(err, f.Sync(), f.Close())
}
