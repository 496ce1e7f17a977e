//go:build cgo

package onnx

import (
	"fmt"

	ort "github.com/yalue/onnxruntime_go"
)

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
