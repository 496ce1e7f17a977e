package cluster

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"

	"github.com/carozero/carozero/selfplay/samples"
)

// currentKey is the key whose value is the digest of the configuration that is played;
// "" while none is.
const currentKey = "current"

// maxNetwork bounds what is read of a published network, in bytes.
const maxNetwork = 512 << 20

// shortly bounds requests that answer at once or not at all.
const shortly = 10 * time.Second

// store is what a coordinator publishes, in JetStream.
type store struct {
	objects jetstream.ObjectStore
	keys    jetstream.KeyValue
}

// makeStore opens the store of a group, which it makes if need be.
func makeStore(ctx context.Context, nc *nats.Conn, g group) (*store, error) {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	objects, err := js.CreateOrUpdateObjectStore(ctx, jetstream.ObjectStoreConfig{Bucket: g.bucket(), Storage: jetstream.FileStorage})
	if err != nil {
		return nil, fmt.Errorf("the object store %s: %w", g.bucket(), err)
	}
	keys, err := js.CreateOrUpdateKeyValue(ctx, jetstream.KeyValueConfig{Bucket: g.bucket(), History: 1, Storage: jetstream.FileStorage})
	if err != nil {
		return nil, fmt.Errorf("the key-value store %s: %w", g.bucket(), err)
	}
	return &store{objects, keys}, nil
}

// openStore opens the store of a group as a worker does.
func openStore(ctx context.Context, nc *nats.Conn, g group) (*store, error) {
	ctx, cancel := context.WithTimeout(ctx, shortly)
	defer cancel()
	js, err := jetstream.New(nc)
	if err != nil {
		return nil, err
	}
	objects, err := js.ObjectStore(ctx, g.bucket())
	if err != nil {
		return nil, err
	}
	keys, err := js.KeyValue(ctx, g.bucket())
	return &store{objects, keys}, err
}

// put stores data under its digest, unless it is there.
func (s *store) put(ctx context.Context, data []byte) error {
	sum := digest(data)
	if info, err := s.objects.GetInfo(ctx, sum); err == nil && info.Size == uint64(len(data)) {
		return nil
	}
	if _, err := s.objects.PutBytes(ctx, sum, data); err != nil {
		return fmt.Errorf("storing the object %.12s… of %d bytes: %w", sum, len(data), err)
	}
	return nil
}

// get returns what has the digest, which it is held to.
func (s *store) get(ctx context.Context, sum string, most int64) ([]byte, error) {
	object, err := s.objects.Get(ctx, sum)
	if err != nil {
		return nil, fmt.Errorf("the object %.12s…: %w", sum, err)
	}
	defer object.Close()
	data, err := io.ReadAll(io.LimitReader(object, most+1))
	switch {
	case err != nil:
		return nil, fmt.Errorf("the object %.12s…: %w", sum, err)
	case int64(len(data)) > most:
		return nil, fmt.Errorf("the object %.12s… has more than %d bytes", sum, most)
	case digest(data) != sum:
		return nil, fmt.Errorf("the object %.12s… has the sha256 %.12s…: it was changed on the way", sum, digest(data))
	}
	return data, nil
}

// network brings the network with a digest into a folder, unless it is there, and
// returns its path.
func (s *store) network(ctx context.Context, dir, sum string) (string, error) {
	path := filepath.Join(dir, samples.NetworkName(sum))
	if data, err := os.ReadFile(path); err == nil && digest(data) == sum {
		return path, nil
	}
	data, err := s.get(ctx, sum, maxNetwork)
	if err != nil {
		return "", err
	}
	if err := os.MkdirAll(dir, 0o777); err != nil {
		return "", err
	}
	temp, err := os.CreateTemp(dir, ".tmp-network-*")
	if err != nil {
		return "", err
	}
	_, err = temp.Write(data)
	if err := errors.Join(err, temp.Close()); err != nil {
		return "", errors.Join(err, os.Remove(temp.Name()))
	}
	return path, os.Rename(temp.Name(), path)
}
