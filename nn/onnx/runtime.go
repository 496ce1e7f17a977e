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
	if rt := current(); rt != nil && s.Flag == "" && s.Env == "" {
		return rt, nil
	}
	var tried []string
	for _, c := range s.candidates() {
		path, err := c.resolve(runtime.GOOS)
		if err == nil {
			rt, openErr := open(path)
			if openErr == nil {
				return rt, nil
			}
			err = openErr
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

func current() *Runtime {
	loaded.Lock()
	defer loaded.Unlock()
	return loaded.rt
}

func open(path string) (*Runtime, error) {
	loaded.Lock()
	defer loaded.Unlock()
	if rt := loaded.rt; rt != nil {
		if rt.path == path {
			return rt, nil
		}
		return nil, fmt.Errorf("%s is loaded already, and a process can have only one", rt.path)
	}
	ort.SetSharedLibraryPath(path)
	if err := ort.InitializeEnvironment(ort.WithLogLevelFatal()); err != nil {
		return nil, errors.New(loadFailure(path, err.Error()))
	}
	loaded.rt = &Runtime{path: path, version: ort.GetVersion()}
	return loaded.rt, nil
}

// loadFailure explains a load error. The binding reports a library without the API
// version that it needs as "Error setting ORT API base: 2".
func loadFailure(path, message string) string {
	switch {
	case strings.Contains(message, "ORT API base: 2"):
		return fmt.Sprintf("%s is too old: version %s or newer is needed", path, PinnedVersion)
	case strings.Contains(message, "OrtGetApiBase"):
		return path + " is a library, but not ONNX Runtime"
	}
	if _, reason, found := strings.Cut(message, `": `); found {
		return fmt.Sprintf("%s cannot be loaded (%s)", path, oneLine(reason))
	}
	return fmt.Sprintf("%s cannot be loaded (%s)", path, oneLine(message))
}

// Path returns what was loaded: a file, or a bare name.
func (r *Runtime) Path() string { return r.path }

// Version returns the library's version, such as "1.24.3".
func (r *Runtime) Version() string { return r.version }

// appendTo asks the options' session to use the provider's device with that number.
func (p Provider) appendTo(o *ort.SessionOptions, device uint) error {
	var err error
	options := p.options(device)
	switch p.Name() {
	case CPU:
	case CUDA:
		openCUDA()
		err = appendOptions(ort.NewCUDAProviderOptions, o.AppendExecutionProviderCUDA, options)
	case TensorRT:
		err = appendOptions(ort.NewTensorRTProviderOptions, o.AppendExecutionProviderTensorRT, options)
	case DirectML:
		if err = errors.New("it has no options"); len(options) == 1 {
			err = o.AppendExecutionProviderDirectML(int(device))
		}
	default:
		for _, each := range providers {
			if each.name == p.Name() {
				err = o.AppendExecutionProvider(each.registered, options)
			}
		}
	}
	if err != nil {
		return p.unavailable(err)
	}
	return nil
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
