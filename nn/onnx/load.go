//go:build cgo

package onnx

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/onnx/graph"
)

// LoadFile loads a model from a file. Its errors name the path. Unless the options have a
// digest, it uses that of the file with DigestSuffix, if there is one.
func (r *Runtime) LoadFile(path string, opts Options) (*Session, error) {
	data, err := limitio.ReadFile(path, mostModel)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	if opts.SHA256 == "" {
		if opts.SHA256, err = limitio.ReadDigest(path + DigestSuffix); err != nil {
			return nil, err
		}
	}
	s, err := r.Load(path, data, opts)
	if err != nil {
		return nil, err
	}
	s.name = filepath.Base(path)
	return s, nil
}

// mostModel bounds files, in bytes. A network of forty blocks of 256 filters has a
// third of it.
const mostModel = 512 << 20

// Load loads a model from memory, which may be reused afterwards; name appears in
// messages. Package graph inspects the model before the runtime loads it, including the
// digest of the weights if the model states one. Errors are one line and wrap
// [nn.ErrModel] if the model is at fault. Check tells whether the model suits an encoder.
func (r *Runtime) Load(name string, data []byte, opts Options) (*Session, error) {
	if opts.Provider == "" {
		opts.Provider = CPU
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	if opts.SHA256 != "" && !strings.EqualFold(opts.SHA256, digest) {
		return nil, fmt.Errorf("model %s: %w: its SHA-256 is %s, not %s: the file is damaged or another one", name, nn.ErrModel, digest, opts.SHA256)
	}
	sealed, err := graph.Inspect(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w: %w", name, nn.ErrModel, err)
	}
	inputs, outputs, err := ort.GetInputOutputInfoWithONNXData(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w: it is not a complete ONNX file (%s)", name, nn.ErrModel, reason(err))
	}
	sig, err := readSignature(inputs, outputs)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w: %w", name, nn.ErrModel, err)
	}
	if opts.Provider == CPU && tiles() {
		data = graph.ForTiles(data)
	}
	session, err := newSession(data, opts)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	metadata, err := readMetadata(session)
	if err != nil {
		return nil, errors.Join(fmt.Errorf("model %s: %w", name, err), session.Destroy())
	}
	metadata.Unsealed = !sealed && opts.SHA256 == ""
	return &Session{
		name:      name,
		id:        identity(digest, opts.Provider, r.version),
		sha256:    digest,
		provider:  opts.Provider,
		metadata:  metadata,
		signature: sig,
		session:   session,
	}, nil
}

// tiles reports whether the processor multiplies matrices in tile registers.
var tiles = sync.OnceValue(hasTiles)

// identity is the network's ID: what decides its outputs, hashed.
func identity(digest string, p Provider, version string) uint64 {
	sum := sha256.Sum256([]byte(digest + "\n" + string(p) + "\n" + version))
	return binary.LittleEndian.Uint64(sum[:])
}

func newSession(data []byte, opts Options) (*ort.DynamicAdvancedSession, error) {
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, errors.New(oneLine(err.Error()))
	}
	defer o.Destroy()
	// Threads that spin while they wait take the cores away from each other.
	err = errors.Join(
		o.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		o.SetExecutionMode(ort.ExecutionModeSequential),
		o.SetIntraOpNumThreads(max(opts.IntraThreads, 1)),
		o.SetInterOpNumThreads(1),
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		o.AddSessionConfigEntry("session.inter_op.allow_spinning", "0"),
	)
	if err != nil {
		return nil, errors.New(oneLine(err.Error()))
	}
	if err := opts.Provider.appendTo(o); err != nil {
		return nil, err
	}
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(data, inputNames, outputNames, o)
	if err != nil {
		return nil, errors.New(reason(err))
	}
	return s, nil
}

func readMetadata(s *ort.DynamicAdvancedSession) (nn.Metadata, error) {
	m, err := s.GetModelMetadata()
	if err != nil {
		return nn.Metadata{}, errors.New(oneLine(err.Error()))
	}
	defer m.Destroy()
	keys, err := m.GetCustomMetadataMapKeys()
	if err != nil {
		return nn.Metadata{}, errors.New(oneLine(err.Error()))
	}
	properties := make(map[string]string, len(keys))
	for _, key := range keys {
		value, _, err := m.LookupCustomMetadataMap(key)
		if err != nil {
			return nn.Metadata{}, errors.New(oneLine(err.Error()))
		}
		properties[key] = value
	}
	return nn.ParseMetadata(properties)
}

// reason returns the runtime's own message of a failed load, without the binding's
// prefix.
func reason(err error) string {
	text := oneLine(err.Error())
	for _, prefix := range []string{"Error loading temporary session: ", "Error creating temporary session: ", "Error creating C session: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}
