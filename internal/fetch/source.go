// Package fetch installs single files out of npm packages: the pinned ONNX Runtime
// for users who have the program but not its repository, and for the tests a
// browser.
//
// Every npm registry has these packages; npm itself does not fetch them. A package
// is unpacked while it arrives, and its download ends behind the last member that
// is wanted. Nothing that the package says decides where something is written, and
// files appear in their places only when their sizes and SHA-256 are the pinned ones.
package fetch

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"strings"
	"time"
)

// defaultStall is how long a download may stand still.
const defaultStall = 60 * time.Second

// IsURL tells a URL from a file's name.
func IsURL(from string) bool { return strings.Contains(from, "://") }

// CheckURL returns an error unless packages can be fetched from the URL.
func CheckURL(text string) error {
	u, err := url.Parse(text)
	switch {
	case err != nil:
		return errors.New("it is not a URL")
	case u.Scheme != "http" && u.Scheme != "https" || u.Host == "":
		return fmt.Errorf("%s: want a URL that starts with http:// or https://", u.Redacted())
	}
	return nil
}

// source is a package while it is read.
type source struct {
	io.Reader
	name string // for messages, without passwords
	size int64  // in bytes, -1 if unknown
	done int64  // bytes read so far

	progress func(done, total int64)
	close    func()
	explain  func(error) error // turns an error of reading into the reason
}

// Read implements io.Reader and reports the progress.
func (s *source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.done += int64(n)
	if s.done > maxPackage {
		return n, fmt.Errorf("it is larger than %d MB", int64(maxPackage/1e6))
	}
	if s.progress != nil && n > 0 {
		s.progress(s.done, s.size)
	}
	if err != nil && err != io.EOF {
		err = s.explain(err)
	}
	return n, err
}

// openFile opens a package on the disk.
func openFile(path string) (*source, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	s := &source{Reader: file, name: path, size: -1, close: func() { file.Close() }, explain: func(err error) error { return err }}
	if info, err := file.Stat(); err == nil && info.Mode().IsRegular() {
		s.size = info.Size()
	}
	return s, nil
}

// errStalled is the cause of a download that stopped arriving.
var errStalled = errors.New("it stands still")

// openURL begins a download, through the proxy that the environment names. It fails when
// nothing arrives for the time of stall.
func openURL(ctx context.Context, address string, stall time.Duration) (*source, error) {
	ctx, cancel := context.WithCancelCause(ctx)
	timer := time.AfterFunc(stall, func() { cancel(errStalled) })
	transport := http.DefaultTransport.(*http.Transport).Clone()
	transport.DisableCompression = true // the package is compressed, and its bytes count
	stop := func() {
		timer.Stop()
		cancel(nil)
		transport.CloseIdleConnections()
	}
	explain := func(err error) error {
		if errors.Is(context.Cause(ctx), errStalled) {
			return fmt.Errorf("nothing arrived for %v", stall)
		}
		return err
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, address, nil)
	if err != nil {
		stop()
		return nil, err
	}
	name := request.URL.Redacted()
	response, err := (&http.Client{Transport: transport}).Do(request)
	if err == nil && response.StatusCode != http.StatusOK {
		response.Body.Close()
		err = errors.New(response.Status)
	}
	if err != nil {
		err = explain(err)
		stop()
		var failed *url.Error
		if errors.As(err, &failed) { // it repeats the address
			err = failed.Err
		}
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return &source{
		Reader:  &watched{response.Body, timer, stall},
		name:    name,
		size:    response.ContentLength,
		close:   func() { stop(); response.Body.Close() },
		explain: explain,
	}, nil
}

// watched resets a timer whenever something arrives.
type watched struct {
	io.Reader
	timer *time.Timer
	stall time.Duration
}

func (w *watched) Read(p []byte) (int, error) {
	n, err := w.Reader.Read(p)
	if n > 0 {
		w.timer.Reset(w.stall)
	}
	return n, err
}

// npmPatience is how long npm may take to tell its registry.
const npmPatience = 10 * time.Second

// Registry returns the registry that npm would use, so that mirrors work: the one
// that NPM_CONFIG_REGISTRY names, else what npm says.
func Registry(ctx context.Context) (string, error) {
	for _, name := range []string{"NPM_CONFIG_REGISTRY", "npm_config_registry"} {
		if value := os.Getenv(name); value != "" {
			if err := CheckURL(value); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			return value, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, npmPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "npm", "config", "get", "registry").Output()
	if registry := strings.TrimSpace(string(out)); err == nil && CheckURL(registry) == nil {
		return registry, nil
	}
	return "", errors.New("no npm registry is known: set NPM_CONFIG_REGISTRY to its URL, or install npm")
}
