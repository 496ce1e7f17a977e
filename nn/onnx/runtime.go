//go:build cgo

package onnx

import (
	"errors"
	"fmt"
	"runtime"
	"strings"
	"sync"

	ort "github.com/yalue/onnxruntime_go"
)

// Available reports whether this build can load a library at all.
const Available = true

// Runtime is the loaded library. There is one per process, since the library keeps
// process-wide state, and it is never unloaded, since sessions and tensors may still be
// in use. All methods are safe for concurrent use.
type Runtime struct {
	path    string
	version string
}

// Find loads the first working library of the search's places. If the process has loaded
// one already, it returns that one, unless the user named another. The error lists the
// places and why each failed.
func Find(s Search) (*Runtime, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if loaded.rt != nil && s.Flag == "" && s.Env == "" {
		return loaded.rt, nil
	}
	var tried []string
	for _, c := range s.candidates() {
		path, err := c.resolve(runtime.GOOS)
		if err == nil {
			var rt *Runtime
			if rt, err = open(path); err == nil {
				return rt, nil
			}
		}
		tried = append(tried, c.where+": "+err.Error())
	}
	return nil, fmt.Errorf("%w: %s; %s", ErrNoRuntime, strings.Join(tried, "; "), s.advice())
}

// loaded is the process's library. It is a global because the library's own state is
// global to the process.
var loaded struct {
	sync.Mutex
	rt *Runtime
}

// open loads a library; loaded is locked.
func open(path string) (*Runtime, error) {
	if rt := loaded.rt; rt != nil {
		if rt.path == path {
			return rt, nil
		}
		return nil, fmt.Errorf("%s is loaded already, and a process can have only one", rt.path)
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return nil, loadFailure(path, err.Error())
	}
	loaded.rt = &Runtime{path: path, version: ort.GetVersion()}
	return loaded.rt, nil
}

// loadFailure explains a load error. The binding reports a library without the API
// version that it needs as "Error setting ORT API base: 2".
func loadFailure(path, message string) error {
	switch {
	case strings.Contains(message, "ORT API base: 2"):
		return fmt.Errorf("%s is too old: version %s or newer is needed", path, PinnedVersion)
	case strings.Contains(message, "OrtGetApiBase"):
		return fmt.Errorf("%s is a library, but not ONNX Runtime", path)
	}
	if _, reason, found := strings.Cut(message, `": `); found {
		message = reason
	}
	return fmt.Errorf("%s cannot be loaded (%s)", path, oneLine(message))
}

// Path returns what was loaded: a file, or a bare name.
func (r *Runtime) Path() string { return r.path }

// Version returns the library's version, such as "1.24.3".
func (r *Runtime) Version() string { return r.version }

// appendTo asks the options' session to use the provider's device with that number.
func (p Provider) appendTo(o *ort.SessionOptions, device uint) error {
	options := p.options(device)
	switch p.Name() {
	case CPU:
		return nil
	case CUDA:
		openCUDA()
		return appendOptions(ort.NewCUDAProviderOptions, o.AppendExecutionProviderCUDA, options)
	case TensorRT:
		return appendOptions(ort.NewTensorRTProviderOptions, o.AppendExecutionProviderTensorRT, options)
	case DirectML:
		if len(options) > 1 {
			return errors.New("it has no options")
		}
		return o.AppendExecutionProviderDirectML(int(device))
	}
	return o.AppendExecutionProvider(registered[p.Name()], options)
}

// appendOptions asks a session for a provider that has a type for its options.
func appendOptions[T interface {
	Update(map[string]string) error
	Destroy() error
}](made func() (T, error), add func(T) error, options map[string]string) error {
	o, err := made()
	if err != nil {
		return err
	}
	defer o.Destroy()
	if err := o.Update(options); err != nil {
		return err
	}
	return add(o)
}
