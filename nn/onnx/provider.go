package onnx

import (
	"cmp"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/internal/option"
)

// Provider names what computes a session, with options of ONNX Runtime's provider of that
// name: "cpu", "cuda", "cuda:cudnn_conv_algo_search=EXHAUSTIVE,gpu_mem_limit=8000000000".
type Provider string

// The providers that this package treats alone. All but CPU are devices, and need a library
// that was built with them, the device, and its drivers.
const (
	CPU      = "cpu"
	CUDA     = "cuda"
	TensorRT = "tensorrt"
	DirectML = "directml"
	WebGPU   = "webgpu"
)

// providers are the names of all; registered has those that the runtime's general call knows
// them by.
var (
	providers  = []string{CPU, CUDA, TensorRT, "coreml", DirectML, "openvino", WebGPU}
	registered = map[string]string{"coreml": "CoreML", "openvino": "OpenVINO", WebGPU: "WebGPU"}
)

// cudaOptions are the options of CUDA for which the user names no other value. Convolutions
// take channels last: on an H100 that is a third faster in half precision. Memory grows by
// what is asked for, not to the next power of two. A convolution's algorithm follows from
// its shape; no search times kernels since ONNX Runtime 1.20.
var cudaOptions = map[string]string{
	"prefer_nhwc": "1", "arena_extend_strategy": "kSameAsRequested", "cudnn_conv_algo_search": "HEURISTIC",
}

// Providers returns the names of all providers, CPU first.
func Providers() []string { return slices.Clone(providers) }

// ParseProvider reads NAME or NAME:KEY=VALUE,...; "" is CPU. Whether the provider has such
// an option is known when a network is loaded.
func ParseProvider(text string) (Provider, error) {
	name, list, more := strings.Cut(cmp.Or(text, CPU), ":")
	if !slices.Contains(providers, name) {
		return "", fmt.Errorf("unknown provider %.64q: want one of %s", name, strings.Join(providers, ", "))
	}
	switch {
	case !more:
		return Provider(name), nil
	case name == CPU:
		return "", errors.New("provider cpu has no options")
	}
	seen := map[string]bool{}
	sorted := slices.Sorted(strings.SplitSeq(list, ","))
	for _, option := range sorted {
		key, value, _ := strings.Cut(option, "=")
		if key == "" || value == "" || seen[key] {
			return "", fmt.Errorf("options of provider %s: %.64q: want KEY=VALUE,..., each key once", name, list)
		}
		if key == deviceID {
			return "", fmt.Errorf("options of provider %s: %s: say it by --device", name, option)
		}
		seen[key] = true
	}
	return Provider(name + ":" + strings.Join(sorted, ",")), nil
}

// Name returns the provider without its options; that of "" is CPU.
func (p Provider) Name() string {
	name, _, _ := strings.Cut(string(p), ":")
	return cmp.Or(name, CPU)
}

// deviceID is the option of a device's number.
const deviceID = "device_id"

// numbered are the providers whose devices have numbers.
var numbered = []string{CUDA, TensorRT, DirectML}

// CheckDevices refuses numbers of devices where there are none.
func (p Provider) CheckDevices(devices []uint, naming option.Naming) error {
	if len(devices) == 0 || slices.Contains(numbered, p.Name()) {
		return nil
	}
	return fmt.Errorf("%s %d: the devices of provider %s have no numbers: want one of %s as %s",
		naming.FlagName("device"), devices[0], p.Name(), strings.Join(numbered, ", "), naming.FlagName("provider"))
}

// options returns what the user asked for, or what is usual, on a device.
func (p Provider) options(device uint) map[string]string {
	options := map[string]string{}
	if p.Name() == CUDA {
		maps.Copy(options, cudaOptions)
	}
	if slices.Contains(numbered, p.Name()) {
		options[deviceID] = strconv.FormatUint(uint64(device), 10)
	}
	_, list, _ := strings.Cut(string(p), ":")
	for option := range strings.SplitSeq(list, ",") {
		if key, value, more := strings.Cut(option, "="); more {
			options[key] = value
		}
	}
	return options
}

// model returns the name of one of the provider's devices, "" if it is unknown, and how many
// there are, 0 if that is.
func (p Provider) model(device uint) (name string, count uint) {
	if p.Name() != CUDA && p.Name() != TensorRT {
		return "", 0
	}
	openCUDA()
	return cudaDevice(device)
}

// batches returns the default number of rows of a batch of many games, and of one tree.
func (p Provider) batches() (batch, small int) {
	if p.Name() == CUDA || p.Name() == TensorRT {
		return 1024, 64
	}
	return 256, 32
}

// unavailable returns the one line for a provider that cannot be had.
func (p Provider) unavailable(err error) error {
	text := oneLine(err.Error())
	for _, before := range []string{" was false. ", " : FAIL : "} {
		if _, reason, found := strings.Cut(text, before); found {
			text = reason
		}
	}
	if missing := MissingLibraries(p.Name()); len(missing) > 0 {
		text = "these libraries are missing: " + strings.Join(missing, ", ")
	}
	advice := "this needs an ONNX Runtime built with it, its device, and options that it has"
	if p.Name() == CUDA {
		advice = "`carozero runtime install --provider cuda` fetches an ONNX Runtime with it, and " +
			"`runtime show` says what is missing"
	}
	return fmt.Errorf("provider %s is not available: %s; %s", p, text, advice)
}

// runFailure explains why a batch was not computed.
func (p Provider) runFailure(err error, rows int) error {
	text := oneLine(err.Error())
	lower := strings.ToLower(text)
	for _, sign := range []string{"failed to allocate memory", "out of memory", "out_of_memory", "alloc_failed"} {
		if p.Name() != CPU && strings.Contains(lower, sign) {
			return fmt.Errorf("the device has no memory for a batch of %d rows: want a smaller --batch, or a larger "+
				"gpu_mem_limit if --provider names one (%.200s)", rows, text)
		}
	}
	return fmt.Errorf("a batch of %d rows: %s", rows, text)
}
