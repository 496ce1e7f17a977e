package line

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/nn"
)

// format is the value of a file's metadata key format.
const format = "carozero-line-1"

// mostHeader bounds headers, in bytes.
const mostHeader = 64 << 10

// Kind is the kind of line networks: safetensors files, which begin with the length of
// the header and the header as JSON.
var Kind = nn.Kind{
	Name:        "line",
	Incremental: true,
	Recognize: func(start []byte) bool {
		return len(start) > 8 && binary.LittleEndian.Uint64(start) <= mostHeader && start[8] == '{'
	},
	Load: func(path string, data []byte, sha256 string) (nn.Network, error) {
		n, err := Load(path, data, sha256)
		if err != nil {
			return nil, err
		}
		return n, nil
	},
}

// Load loads a network from memory, as [nn.Kind] says.
func Load(path string, data []byte, digest string) (*Network, error) {
	sum := sha256.Sum256(data)
	found := hex.EncodeToString(sum[:])
	if digest != "" && !strings.EqualFold(digest, found) {
		return nil, fmt.Errorf("model %s: %w: its SHA-256 is %s, not %s: the file is damaged or another one", path,
			nn.ErrModel, found, digest)
	}
	n, err := parse(data)
	if err != nil {
		return nil, fmt.Errorf("model %s: %w", path, err)
	}
	n.name, n.sha256, n.id = filepath.Base(path), found, binary.LittleEndian.Uint64(sum[:])
	return n, nil
}

// tensor is what a safetensors header says of a tensor.
type tensor struct {
	Type    string   `json:"dtype"`
	Shape   []int    `json:"shape"`
	Offsets [2]int64 `json:"data_offsets"`
}

// container is a safetensors file: the length of the header in eight bytes, the
// header as JSON, and the tensors' bytes, without gaps.
type container struct {
	tensors  map[string]tensor
	metadata map[string]string
	data     []byte
	order    []byte // the tensors' bytes in the order they were taken
}

// parse reads a network from a file's bytes.
func parse(data []byte) (*Network, error) {
	f, err := open(data)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrModel, err)
	}
	if got := f.metadata["format"]; got != format {
		return nil, fmt.Errorf("%w: it says to be %.40q, want %q", nn.ErrModel, got, format)
	}
	properties := map[string]string{"carozero.planes": Planes}
	for _, key := range []string{"carozero.rules", "carozero.sizes", "carozero.run", "carozero.temperature"} {
		if text, ok := f.metadata[key]; ok {
			properties[key] = text
		}
	}
	n := new(Network)
	if n.metadata, err = nn.ParseMetadata(properties); err != nil {
		return nil, err
	}
	if err := n.take(f); err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrModel, err)
	}
	if err := f.finish(); err != nil {
		return nil, fmt.Errorf("%w: %w", nn.ErrModel, err)
	}
	if err := n.check(); err != nil {
		return nil, err
	}
	n.pack()
	return n, nil
}

// open reads the header.
func open(data []byte) (*container, error) {
	if len(data) < 8 {
		return nil, fmt.Errorf("it has %d bytes and is no safetensors file", len(data))
	}
	length := binary.LittleEndian.Uint64(data)
	if length > mostHeader || int(length) > len(data)-8 {
		return nil, fmt.Errorf("it is no safetensors file: a header of %d bytes, want at most %d", length,
			min(mostHeader, len(data)-8))
	}
	var raw map[string]json.RawMessage
	if err := json.Unmarshal(data[8:8+length], &raw); err != nil {
		return nil, fmt.Errorf("it is no safetensors file: its header: %w", err)
	}
	f := &container{tensors: map[string]tensor{}, data: data[8+length:]}
	for name, text := range raw {
		var err error
		if name == "__metadata__" {
			err = json.Unmarshal(text, &f.metadata)
		} else {
			var t tensor
			err = json.Unmarshal(text, &t)
			f.tensors[name] = t
		}
		if err != nil {
			return nil, fmt.Errorf("its header, at %.40q: %w", name, err)
		}
	}
	return f, nil
}

// bytes returns the bytes of a tensor of that type and shape.
func (f *container) bytes(name, kind string, size int, shape ...int) ([]byte, error) {
	t, ok := f.tensors[name]
	if !ok {
		return nil, fmt.Errorf("it has no tensor %s", name)
	}
	if got, want := fmt.Sprint(t.Type, t.Shape), fmt.Sprint(kind, shape); got != want {
		return nil, fmt.Errorf("its tensor %s is %.80s, want %s", name, got, want)
	}
	for _, n := range shape {
		size *= n
	}
	from, to := t.Offsets[0], t.Offsets[1]
	if from < 0 || to < from || to > int64(len(f.data)) || to-from != int64(size) {
		return nil, fmt.Errorf("its tensor %s is at bytes %d to %d of %d, want %d of them", name, from, to, len(f.data), size)
	}
	delete(f.tensors, name)
	f.order = append(f.order, f.data[from:to]...)
	return f.data[from:to], nil
}

// finish checks that no tensor is left and that the digest of the weights matches.
func (f *container) finish() error {
	for name := range f.tensors {
		return fmt.Errorf("it has a tensor %.40q, which such a network has not", name)
	}
	if len(f.order) != len(f.data) {
		return fmt.Errorf("it has %d bytes of tensors, want %d", len(f.data), len(f.order))
	}
	sum := sha256.Sum256(f.order)
	if got, want := hex.EncodeToString(sum[:]), f.metadata["carozero.weights"]; got != want {
		return fmt.Errorf("the SHA-256 of its weights is %s, not %.80s: the file is damaged", got, want)
	}
	return nil
}

// take reads the tensors in the order of the digest of the weights.
func (n *Network) take(f *container) error {
	k := 0
	if t := f.tensors["T"]; len(t.Shape) == 2 {
		k = t.Shape[1]
	}
	if k < 16 || k > MaxChannels || k%16 != 0 {
		return fmt.Errorf("its tensor T has %d channels, want 16, 32, 48 or %d", k, MaxChannels)
	}
	n.channels = k
	n.features = make([]int8, tableRows*k)
	var err error
	small := func(name string, at uint32, rows int) {
		if err == nil {
			err = f.small(n.features[int(at)*k:], name, rows, k)
		}
	}
	small("T", lineRows, lineCount)
	small("E1", ownCodes, pattern.Codes)
	small("E2", oppCodes, pattern.Codes)
	weights := func(name string, to *[]int16, shape ...int) {
		if err == nil {
			*to, err = f.weights(name, shape...)
		}
	}
	biases := func(name string, to *[]int32, size int) {
		if err == nil {
			*to, err = f.biases(name, size)
		}
	}
	all := filters*k + filters
	weights("W1", &n.w1, hidden, valueInputs(k))
	weights("W2", &n.w2, hidden, hidden)
	weights("W3", &n.w3, outcomes, hidden)
	biases("B1", &n.b1, hidden)
	biases("B2", &n.b2, hidden)
	biases("B3", &n.b3, outcomes)
	weights("D", &n.d, taps, k)
	weights("Db", &n.db, k)
	weights("G1", &n.g1, hidden, contextInputs(k))
	biases("Gb1", &n.gb1, hidden)
	weights("G2", &n.g2, all, hidden)
	biases("Gb2", &n.gb2, all)
	weights("O", &n.o, filters)
	return err
}

// small reads a table of signed bytes.
func (f *container) small(to []int8, name string, rows, channels int) error {
	b, err := f.bytes(name, "I8", 1, rows, channels)
	for i, v := range b {
		to[i] = int8(v)
	}
	return err
}

func (f *container) weights(name string, shape ...int) ([]int16, error) {
	b, err := f.bytes(name, "I16", 2, shape...)
	out := make([]int16, len(b)/2)
	for i := range out {
		out[i] = int16(binary.LittleEndian.Uint16(b[2*i:]))
	}
	return out, err
}

func (f *container) biases(name string, size int) ([]int32, error) {
	b, err := f.bytes(name, "I32", 4, size)
	out := make([]int32, len(b)/4)
	for i := range out {
		out[i] = int32(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return out, err
}
