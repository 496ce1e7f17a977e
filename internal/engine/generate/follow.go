package generate

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"

	"path/filepath"
	"strings"
	"sync"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/support/limitio"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
)

// Following says which file a run takes its networks from.
type Following struct {
	File   string
	Loader *networks.Loader
	Note   func(line string) // receives the reason if the file is not used
}

// mostSidecar is the largest digest file, in bytes.
const mostSidecar = 8 << 10

// follow makes a setup of games with n take newer networks from the file.
func (f *Following) follow(setup *selfplay.Setup, n *networks.Net, evaluators func(n *networks.Net) func(int) (nn.Evaluator, error)) error {
	start, err := n.File()
	if err != nil {
		return err
	}
	var opening sync.Mutex // the loader belongs to one goroutine
	setup.Follow = &selfplay.Follow{
		Look:  f.look,
		Start: start,
		Note:  f.Note,
		Open: func(path string) (selfplay.Network, error) {
			opening.Lock()
			defer opening.Unlock()
			next, err := f.Loader.Open(n.Variant(), path)
			if err != nil {
				return selfplay.Network{}, f.refused(err)
			}
			if err := next.Try(context.Background(), 0); err != nil {
				return selfplay.Network{}, f.refused(errors.Join(err, next.Close()))
			}
			return selfplay.Network{
				Name: filepath.Base(f.File), SHA256: next.SHA256, Evaluator: evaluators(next), Close: next.Close,
			}, nil
		},
	}
	return nil
}

// refused reports that the file's network is not used.
func (f *Following) refused(err error) error {
	text := strings.ReplaceAll(err.Error(), "\n", "; ")
	return fmt.Errorf("%s holds no network to go on with, the last one stays: %s", f.File, text)
}

// look reads the file, and verifies the digest beside it.
func (f *Following) look() ([]byte, error) {
	data, err := limitio.ReadFile(f.File, networks.MostBytes)
	if err != nil {
		return nil, f.refused(err)
	}
	beside, err := limitio.ReadFile(f.File+limitio.DigestSuffix, mostSidecar)
	if errors.Is(err, fs.ErrNotExist) {
		return data, nil
	}
	if err != nil {
		return nil, f.refused(err)
	}
	sum := sha256.Sum256(data)
	words := strings.Fields(string(beside))
	if len(words) == 0 || !strings.EqualFold(strings.TrimPrefix(words[0], `\`), hex.EncodeToString(sum[:])) {
		return nil, f.refused(fmt.Errorf("its sha256 is %s, and %s says another", hex.EncodeToString(sum[:]), f.File+limitio.DigestSuffix))
	}
	return data, nil
}
