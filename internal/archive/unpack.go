package archive

import (
	"context"
	"errors"
	"fmt"
	"io"
	"path/filepath"

	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

// Unpack writes the runs of an archive into a new or empty folder, each as a folder of its
// name, with the bytes that it had. An error leaves nothing.
func Unpack(ctx context.Context, open samples.CodecFunc, path, dir string, step Progress) (total Total, err error) {
	l, err := List(ctx, path)
	if err != nil {
		return total, err
	}
	folder, err := disk.NewFolder(dir)
	if err != nil {
		return total, err
	}
	defer func() { err = errors.Join(err, folder.Close()) }()
	err = read(path, func(r *reader) error {
		for {
			run, err := r.run()
			if err != nil || run == nil {
				return err
			}
			err = unpackRun(ctx, open, r, run, folder, func(e *samples.Entry) {
				total.add(e)
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
	return total, folder.Finish("")
}

// unpackRun writes the files of a run.
func unpackRun(ctx context.Context, open samples.CodecFunc, r *reader, run *ListedRun, folder *disk.Folder,
	step func(*samples.Entry)) error {
	write := func(name string, write func(io.Writer) error) (*disk.Digest, error) {
		return folder.Write(filepath.Join(run.Name, name), write)
	}
	bytes := func(data []byte) func(io.Writer) error {
		return func(w io.Writer) error { _, err := w.Write(data); return err }
	}
	for name, text := range map[string]string{
		samples.RunName: run.files.Options, samples.ManifestName: run.files.Manifest,
		samples.NetworksName: run.files.Networks,
	} {
		if text == "" && name == samples.NetworksName {
			continue
		}
		if _, err := write(name, bytes([]byte(text))); err != nil {
			return err
		}
	}
	for _, sum := range run.files.Copies {
		data, err := r.data(ctx)
		if err != nil {
			return err
		}
		written, err := write(samples.NetworkName(sum), bytes(data))
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
