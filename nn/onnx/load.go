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
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/nn"
)

// LoadFile loads a model from a file. Its errors name the path. Unless the options have a
// digest, it uses that of the file with DigestSuffix, if there is one.
func (r *Runtime) LoadFile(path string, opts Options) (*Session, error) {
	data, err := disk.ReadFile(path, mostModel)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	if opts.SHA256 == "" {
		if opts.SHA256, err = disk.ReadDigest(path + DigestSuffix); err != nil {
			return nil, err
		}
	}
	s, err := r.Load(path, data, opts)
	if err != nil {
		return nil, err
	}
	for _, each := range append(s.others, s) {
		each.name = filepath.Base(path)
	}
	return s, nil
}

// mostModel bounds files, in bytes. A network of forty blocks of 256 filters has a
// third of it.
const mostModel = 512 << 20

// Load loads a model from memory, which may be reused afterwards; name appears in
// messages. If the model states the digest of its weights, Load checks it: the runtime does
// not notice flipped bits. Errors are one line and wrap [nn.ErrModel] if the model is at
// fault. Check tells whether the model suits an encoder.
func (r *Runtime) Load(name string, data []byte, opts Options) (*Session, error) {
	opts.Provider = cmp.Or(opts.Provider, CPU)
	sum := sha256.Sum256(data)
	digest := hex.EncodeToString(sum[:])
	if opts.SHA256 != "" && !strings.EqualFold(opts.SHA256, digest) {
		return nil, fmt.Errorf("model %s: %w: its SHA-256 is %s, not %s: the file is damaged or another one", name,
			nn.ErrModel, digest, opts.SHA256)
	}
	f, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w: %w", name, nn.ErrModel, err)
	}
	sealed, err := f.sealed()
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
	if opts.Provider.Name() == WebGPU && f.isInt8() {
		return nil, fmt.Errorf("model %s: it has 8-bit weights, which provider webgpu cannot compute: want its float32 or "+
			"float16 form", name)
	}
	if opts.Provider == CPU && tiles() {
		data = forTiles(data, f)
	}
	metadata, err := nn.ParseMetadata(f.properties)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", name, err)
	}
	metadata.Unsealed = !sealed && opts.SHA256 == ""
	devices := opts.Devices
	if len(devices) == 0 {
		devices = []uint{0}
	}
	var all []*Session
	var nets []nn.BatchNetwork
	for _, device := range devices {
		s := &Session{
			name:      name,
			id:        identity(digest, opts.Provider, r.version),
			sha256:    digest,
			provider:  opts.Provider,
			metadata:  metadata,
			signature: sig,
		}
		if s.session, err = newSession(data, opts.Provider, device); err != nil {
			err = fmt.Errorf("model %s: %w", name, err)
			for _, opened := range all {
				err = errors.Join(err, opened.Close())
			}
			return nil, err
		}
		all, nets = append(all, s), append(nets, s)
	}
	made := all[0]
	made.others = all[1:]
	if opts.Provider != CPU {
		batch, small := opts.Provider.batches()
		model, _ := opts.Provider.model(devices[0])
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
	o, err := ort.NewSessionOptions()
	if err != nil {
		return nil, errors.New(oneLine(err.Error()))
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
		return nil, errors.New(oneLine(err.Error()))
	}
	if _, count := p.model(device); count > 0 && device >= count {
		return nil, fmt.Errorf("provider %s: there is no device %d, only 0 to %d", p, device, count-1)
	}
	if err := p.appendTo(o, device); err != nil {
		return nil, err
	}
	s, err := ort.NewDynamicAdvancedSessionWithONNXData(data, inputNames, outputNames, o)
	if err != nil && p != CPU {
		return nil, p.unavailable(errors.New(reason(err)))
	}
	if err != nil {
		return nil, errors.New(reason(err))
	}
	return s, nil
}

// reason returns the runtime's own message of a failed load, without the binding's
// prefix.
func reason(err error) string {
	text := oneLine(err.Error())
	for _, prefix := range []string{"Error loading temporary session: ", "Error creating temporary session: ",
		"Error creating C session: "} {
		text = strings.TrimPrefix(text, prefix)
	}
	return text
}

// The names of the inputs and outputs that every model has. Further outputs are allowed
// and not computed.
var (
	inputNames  = []string{"planes", "globals"}
	outputNames = []string{"policy", "value"}
)

// dynamic marks a dimension that the model leaves open.
const dynamic = -1

// signature is what a model's inputs and outputs leave open or fix. Each
// number is positive or dynamic; the number of rows is always dynamic.
type signature struct {
	planes, height, width int
	globals               int
	actions               int
}

// readSignature checks names, types and ranks.
func readSignature(inputs, outputs []ort.InputOutputInfo) (signature, error) {
	if len(inputs) != len(inputNames) {
		return signature{}, fmt.Errorf("its inputs are %s, needed are planes and globals", list(inputs))
	}
	var found [4][]int
	for i, want := range []struct {
		infos      []ort.InputOutputInfo
		kind, name string
		rank       int
	}{{inputs, "input", "planes", 4}, {inputs, "input", "globals", 2}, {
		outputs, "output", "policy", 2,
	}, {outputs, "output", "value", 2}} {
		var err error
		if found[i], err = dims(want.infos, want.kind, want.name, want.rank); err != nil {
			return signature{}, err
		}
	}
	planes, globals, policy, value := found[0], found[1], found[2], found[3]
	if value[1] != nn.ValueLogits && value[1] != dynamic {
		return signature{}, fmt.Errorf("its output value has %d columns, needed are %d: win, draw and loss", value[1],
			nn.ValueLogits)
	}
	return signature{planes: planes[1], height: planes[2], width: planes[3], globals: globals[1], actions: policy[1]}, nil
}

// dims returns the dimensions of the named float32 tensor of the given rank.
func dims(infos []ort.InputOutputInfo, kind, name string, rank int) ([]int, error) {
	for _, info := range infos {
		if info.Name != name {
			continue
		}
		if info.OrtValueType != ort.ONNXTypeTensor || info.DataType != ort.TensorElementDataTypeFloat {
			return nil, fmt.Errorf("its %s %s is not a tensor of float32", kind, name)
		}
		if len(info.Dimensions) != rank {
			return nil, fmt.Errorf("its %s %s has %d dimensions, needed are %d", kind, name, len(info.Dimensions), rank)
		}
		if n := info.Dimensions[0]; n > 0 {
			return nil, fmt.Errorf("its %s %s is fixed to batches of %d, needed is a dynamic number of rows", kind, name, n)
		}
		out := make([]int, rank)
		for i, d := range info.Dimensions {
			out[i] = int(d)
			if d <= 0 {
				out[i] = dynamic
			}
		}
		return out, nil
	}
	return nil, fmt.Errorf("it has no %s named %s, only %s", kind, name, list(infos))
}

func list(infos []ort.InputOutputInfo) string {
	names := make([]string, len(infos))
	for i, info := range infos {
		names[i] = info.Name
	}
	return strings.Join(names, ", ")
}

// check returns nil if a model with this signature takes rows of that shape.
func (s signature) check(shape nn.Shape) error {
	for _, d := range []struct {
		what        string
		found, need int
	}{
		{"input planes", s.planes, shape.Planes},
		{"input globals", s.globals, shape.Globals},
		{"board rows", s.height, shape.Height},
		{"board columns", s.width, shape.Width},
		{"policy actions", s.actions, shape.Actions},
	} {
		if d.found != dynamic && d.found != d.need {
			return fmt.Errorf("it has %d %s, needed are %d", d.found, d.what, d.need)
		}
	}
	return nil
}
