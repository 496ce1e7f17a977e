//go:build cgo

package onnx

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/carozero/carozero/nn"
)

// Load loads a model from memory, as [nn.Kind] says. If the model states the digest of its
// weights, Load checks it: the runtime does not notice flipped bits. Check tells whether the
// model suits an encoder.
func (r *Runtime) Load(path string, data []byte, opts Options) (*Session, error) {
	s, err := r.load(data, opts)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	for _, each := range append(s.others, s) {
		each.name = filepath.Base(path)
	}
	return s, nil
}

func (r *Runtime) load(data []byte, opts Options) (*Session, error) {
	opts.Provider = cmp.Or(opts.Provider, CPU)
	if len(opts.Devices) == 0 {
		opts.Devices = []uint{0}
	}
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	if opts.SHA256 != "" && !strings.EqualFold(opts.SHA256, digest) {
		return nil, fmt.Errorf("%w: its SHA-256 is %s, not %s: the file is damaged or another one", nn.ErrModel, digest,
			opts.SHA256)
	}
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrModel, err)
	}
	sealed, err := f.sealed()
	if err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrModel, err)
	}
	inputs, outputs, err := ort.GetInputOutputInfoWithONNXData(data)
	if err != nil {
		return nil, fmt.Errorf("%w: it is not a complete ONNX file (%w)", nn.ErrModel, reason(err))
	}
	sizes, err := readSizes(inputs, outputs)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrModel, err)
	}
	metadata, err := nn.ParseMetadata(f.properties)
	if err != nil {
		return nil, err
	}
	metadata.Unsealed = !sealed && opts.SHA256 == ""
	switch {
	case opts.Provider.Name() == WebGPU && f.isInt8():
		return nil, errors.New("it has 8-bit weights, which provider webgpu cannot compute: want its float32 or float16 form")
	case opts.Provider == CPU && tiles():
		data = forTiles(data, f)
	}
	made := &Session{
		id: identity(digest, opts.Provider, r.version), sha256: digest,
		provider: opts.Provider, metadata: metadata, sizes: sizes,
	}
	nets := []nn.BatchNetwork{made}
	for _, device := range opts.Devices[1:] {
		other := &Session{id: made.id, sha256: digest, provider: opts.Provider, metadata: metadata, sizes: sizes}
		if other.session, err = newSession(data, opts.Provider, device); err != nil {
			return nil, errors.Join(err, made.Close())
		}
		made.others, nets = append(made.others, other), append(nets, other)
	}
	if made.session, err = newSession(data, opts.Provider, opts.Devices[0]); err != nil {
		return nil, errors.Join(err, made.Close())
	}
	if opts.Provider != CPU {
		batch, small := opts.Provider.batches()
		model, _ := opts.Provider.model(opts.Devices[0])
		kind := nn.DeviceKind{Provider: string(opts.Provider), Library: "ONNX Runtime " + r.version, Model: model}
		made.device = nn.NewDevice(kind, opts.Turns, batch, small, nets...)
	}
	return made, nil
}

// tiles reports whether the processor multiplies matrices in tile registers.
var tiles = sync.OnceValue(hasTiles)

// identity is the network's ID: what decides its outputs, hashed.
func identity(digest string, p Provider, version string) uint64 {
	sum := sha256.Sum256([]byte(digest + "\n" + string(p) + "\n" + version))
	return binary.LittleEndian.Uint64(sum[:])
}

func newSession(data []byte, p Provider, device uint) (*ort.DynamicAdvancedSession, error) {
	if _, count := p.model(device); count > 0 && device >= count {
		return nil, fmt.Errorf("provider %s: there is no device %d, only 0 to %d", p, device, count-1)
	}
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, reason(err)
	}
	defer o.Destroy()
	// Threads that spin while they wait take the cores away from each other.
	err = errors.Join(
		o.SetGraphOptimizationLevel(ort.GraphOptimizationLevelEnableAll),
		o.SetExecutionMode(ort.ExecutionModeSequential),
		o.SetIntraOpNumThreads(1),
		o.SetInterOpNumThreads(1),
		o.AddSessionConfigEntry("session.intra_op.allow_spinning", "0"),
		o.AddSessionConfigEntry("session.inter_op.allow_spinning", "0"),
	)
	if err != nil {
		return nil, reason(err)
	}
	if err := p.appendTo(o, device); err != nil {
		return nil, p.unavailable(err)
	}
	inputs, outputs := []string{"planes", "globals"}, []string{"policy", "value"}
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(data, inputs, outputs, o)
	switch {
	case err == nil:
		return s, nil
	case p != CPU:
		return nil, p.unavailable(reason(err))
	}
	return nil, reason(err)
}

// reason returns the runtime's own message of a failed load as one line, without the
// binding's prefix.
func reason(err error) error {
	text := oneLine(err.Error())
	for _, prefix := range []string{"Error loading temporary session: ", "Error creating temporary session: ",
		"Error creating C session: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return errors.New(text)
}

// tensors are the inputs and outputs that every model has. Further outputs are allowed and
// not computed.
var tensors = [4]struct {
	name string
	rank int
}{{"input planes", 4}, {"input globals", 2}, {"output policy", 2}, {"output value", 2}}

// sizes are the dimensions of the tensors but for the first, the number of rows. What a model
// leaves open is below 1.
type sizes [len(tensors)][]int64

// readSizes checks names, types and ranks.
func readSizes(inputs, outputs []ort.InputOutputInfo) (found sizes, err error) {
	if len(inputs) != 2 {
		return found, fmt.Errorf("its inputs are %s, needed are planes and globals", list(inputs))
	}
	for i, t := range tensors {
		kind, name, _ := strings.Cut(t.name, " ")
		infos := inputs
		if kind == "output" {
			infos = outputs
		}
		at := slices.IndexFunc(infos, func(info ort.InputOutputInfo) bool { return info.Name == name })
		if at < 0 {
			return found, fmt.Errorf("it has no %s named %s, only %s", kind, name, list(infos))
		}
		info, dims := infos[at], infos[at].Dimensions
		switch {
		case info.OrtValueType != ort.ONNXTypeTensor || info.DataType != ort.TensorElementDataTypeFloat:
			return found, fmt.Errorf("its %s is not a tensor of float32", t.name)
		case len(dims) != t.rank:
			return found, fmt.Errorf("its %s has %d dimensions, needed are %d", t.name, len(dims), t.rank)
		case dims[0] > 0:
			return found, fmt.Errorf("its %s is fixed to batches of %d, needed is a dynamic number of rows", t.name, dims[0])
		}
		found[i] = dims[1:]
	}
	return found, nil
}

func list(infos []ort.InputOutputInfo) string {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	return strings.Join(names, ", ")
}

// sizesOf returns the sizes that a shape needs.
func sizesOf(s nn.Shape) sizes {
	return sizes{
		{int64(s.Planes), int64(s.Height), int64(s.Width)}, {int64(s.Globals)}, {int64(s.Actions)}, {nn.ValueLogits},
	}
}

// check returns nil if a model with these sizes takes rows of that shape.
func (s sizes) check(shape nn.Shape) error {
	for i, need := range sizesOf(shape) {
		for j, n := range s[i] {
			if n > 0 && n != need[j] {
				return fmt.Errorf("its %s has the dimensions %d, needed are %d", tensors[i].name, s[i], need)
			}
		}
	}
	return nil
}
