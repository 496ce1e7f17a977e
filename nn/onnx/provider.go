package onnx

import (
	"fmt"
	"strings"

	ort "github.com/yalue/onnxruntime_go"
)

// Provider names what computes a session.
type Provider string

// The providers. All but CPU need a library that was built with them, the
// device, and its drivers.
const (
	CPU      Provider = "cpu"
	CUDA     Provider = "cuda"
	TensorRT Provider = "tensorrt"
	CoreML   Provider = "coreml"
	DirectML Provider = "directml"
	OpenVINO Provider = "openvino"
)

// Providers returns all of them, CPU first.
func Providers() []Provider {
	return []Provider{CPU, CUDA, TensorRT, CoreML, DirectML, OpenVINO}
}

// ParseProvider returns the provider of that name; "" is CPU.
func ParseProvider(name string) (Provider, error) {
	if name == "" {
		return CPU, nil
	}
	var names []string
	for _, p := range Providers() {
		if string(p) == name {
			return p, nil
		}
		names = append(names, string(p))
	}
	return "", fmt.Errorf("unknown provider %q: want one of %s", name, strings.Join(names, ", "))
}

// appendTo asks the options' session to use the provider.
func (p Provider) appendTo(o *ort.SessionOptions) error {
	var err error
	switch p {
	case CPU:
	case CUDA:
		err = appendCUDA(o)
	case TensorRT:
		err = appendTensorRT(o)
	case CoreML:
		err = o.AppendExecutionProviderCoreMLV2(nil)
	case DirectML:
		err = o.AppendExecutionProviderDirectML(0)
	case OpenVINO:
		err = o.AppendExecutionProviderOpenVINO(nil)
	default:
		err = fmt.Errorf("there is no such provider")
	}
	if err != nil {
		return fmt.Errorf("provider %s is not available: %s; this needs an ONNX Runtime built with it, and its device", p, oneLine(err.Error()))
	}
	return nil
}

func appendCUDA(o *ort.SessionOptions) error {
	options, err := ort.NewCUDAProviderOptions()
	if err != nil {
		return err
	}
	defer options.Destroy()
	// The default search times the algorithms, so that two runs may differ.
	if err := options.Update(map[string]string{"cudnn_conv_algo_search": "HEURISTIC"}); err != nil {
		return err
	}
	return o.AppendExecutionProviderCUDA(options)
}

func appendTensorRT(o *ort.SessionOptions) error {
	options, err := ort.NewTensorRTProviderOptions()
	if err != nil {
		return err
	}
	defer options.Destroy()
	return o.AppendExecutionProviderTensorRT(options)
}
