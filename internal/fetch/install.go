// Package fetch installs single files out of npm packages and a wheel: the pinned ONNX Runtime
// for users who have the program but not its repository, and for the tests a browser. A package of
// npm is unpacked while it arrives, and its download ends behind the last member that is wanted.
// Files appear only when their sizes and SHA-256 are the pinned ones.
package fetch

import (
	"archive/tar"
	"archive/zip"
	"cmp"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"net/http"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"github.com/andybalholm/brotli"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/option"
)

// Options say what is installed, from where and to where.
type Options struct {
	Package  Package
	Dir      string // folder to install into; made if it does not exist
	Platform string // GOOS/GOARCH; "": the program's own
	From     string // file or URL of the package; "": the registry

	// Registry returns the registry of the package's kind to ask. It is called only if something
	// has to be fetched and From names nothing.
	Registry func(context.Context) (string, error)

	// Progress gets how many bytes of the package have been read; total is -1 if unknown,
	// and most downloads end before it. Nil: not called.
	Progress func(done, total int64)

	// Naming names in errors the options "dir" and "from", which are the fields above.
	Naming option.Naming
}

// Result is what Install has done. Path and SHA256 are those of the main file.
type Result struct {
	Version   string `json:"version"`
	Path      string `json:"path"`
	SHA256    string `json:"sha256"`
	Installed bool   `json:"installed"`      // false: it was there already
	From      string `json:"from,omitempty"` // where it came from, if it was installed
}

// Install puts the files for the platform into the folder, unless they are there
// already. Each appears complete or not at all, even if the process is killed, and
// several processes may install at once. Errors are one line.
func Install(ctx context.Context, o Options) (Result, error) {
	files, err := o.Package.Files(o.Platform)
	if err != nil {
		return Result{}, err
	}
	result := Result{Version: o.Package.Version, Path: files[0].In(o.Dir), SHA256: files[0].SHA256}
	missing := slices.DeleteFunc(slices.Clone(files), func(f File) bool { return f.Intact(o.Dir) })
	if len(missing) == 0 {
		return result, nil
	}
	if err := os.MkdirAll(o.Dir, 0o755); err != nil {
		return Result{}, fmt.Errorf("cannot write to the folder: %w; name another one with %s", err, o.Naming.FlagName("dir"))
	}
	packed := slices.DeleteFunc(slices.Clone(missing), func(f File) bool { return f.Member == "" })
	if len(packed) > 0 {
		if result.From, err = o.unpack(ctx, packed); err != nil {
			return Result{}, o.explain(ctx, err)
		}
	}
	for _, f := range missing {
		if f.Member == "" {
			if err := f.write(o.Dir, strings.NewReader(f.Text)); err != nil {
				return Result{}, err
			}
		}
	}
	result.Installed = true
	return result, nil
}

// explain says what failed and what the user can do about a package that cannot be read.
func (o Options) explain(ctx context.Context, err error) error {
	title := o.Package.Title + " " + o.Package.Version
	if ctx.Err() != nil {
		return ctx.Err()
	}
	if _, ok := errors.AsType[*fs.PathError](err); ok {
		return fmt.Errorf("cannot install %s: %w", title, err)
	}
	if errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		err = errors.New("the package ends too early")
	}
	if o.From != "" && !IsURL(o.From) {
		return fmt.Errorf("%s: %w; %s wants %s as `%s` writes it",
			o.From, err, o.Naming.FlagName("from"), o.Package.archive(), o.Package.pack())
	}
	return fmt.Errorf("cannot get %s: %w; run again, or name a downloaded %s with %s",
		title, err, o.Package.archive(), o.Naming.FlagName("from"))
}

// unpack writes files out of the package, reads no further, and returns where it came from.
func (o Options) unpack(ctx context.Context, files []File) (from string, err error) {
	from = o.From
	if from == "" {
		registry, err := o.Registry(ctx)
		if err != nil {
			return "", err
		}
		if from, err = o.Package.url(ctx, registry); err != nil {
			return "", err
		}
	}
	in, size, err := open(ctx, from)
	if err != nil {
		return "", err
	}
	defer in.Close()
	counted := &counter{in, 0, size, o.Progress}
	if o.Package.Wheel != "" {
		err = unzip(counted, files, o.Dir)
	} else {
		var zipped *gzip.Reader
		if zipped, err = gzip.NewReader(counted); err == nil {
			err = extract(zipped, files, false, o.Dir)
		}
	}
	if u, parsed := url.Parse(from); IsURL(from) && parsed == nil {
		from = u.Redacted()
	}
	return from, err
}

// open opens a file or begins a download, through the proxy that the environment names. The
// size is -1 if unknown.
func open(ctx context.Context, from string) (in io.ReadCloser, size int64, err error) {
	if !IsURL(from) {
		f, err := disk.Open(from)
		if err != nil {
			return nil, 0, &fs.PathError{Op: "open", Path: from, Err: err}
		}
		return f, -1, nil
	}
	request, err := http.NewRequestWithContext(ctx, http.MethodGet, from, nil)
	if err != nil {
		return nil, 0, err
	}
	request.Close = true
	request.Header.Set("Accept-Encoding", "identity") // the package is compressed, and its bytes count
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		return nil, 0, err
	}
	if response.StatusCode != http.StatusOK {
		response.Body.Close()
		return nil, 0, fmt.Errorf("%s: %s", request.URL.Redacted(), response.Status)
	}
	return response.Body, response.ContentLength, nil
}

// counter reports how much was read.
type counter struct {
	io.Reader
	done, total int64
	progress    func(done, total int64)
}

func (c *counter) Read(p []byte) (int, error) {
	n, err := c.Reader.Read(p)
	if c.done += int64(n); c.progress != nil && n > 0 {
		c.progress(c.done, c.total)
	}
	return n, err
}

// extract writes the wanted files of an archive into a folder: a package, or an archive
// inside one of its members.
func extract(archive io.Reader, want []File, inside bool, dir string) error {
	name := func(f File) string {
		if inside {
			return f.Inside
		}
		return f.Member
	}
	left := slices.Clone(want)
	for members := tar.NewReader(archive); len(left) > 0; {
		header, err := members.Next()
		if err == io.EOF {
			return fmt.Errorf("the package has no member %s", name(left[0]))
		}
		if err != nil {
			return err
		}
		var here []File
		left = slices.DeleteFunc(left, func(f File) bool {
			if name(f) == header.Name {
				here = append(here, f)
			}
			return name(f) == header.Name
		})
		if len(here) == 0 {
			continue
		}
		var data io.Reader = members
		if strings.HasSuffix(header.Name, ".br") {
			data = brotli.NewReader(data)
		}
		if !inside && here[0].Inside != "" {
			err = extract(data, here, true, dir)
		} else {
			err = here[0].write(dir, data)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// unzip writes files of a wheel into a folder. Its list of members is at its end, so all of it
// is kept in the folder meanwhile.
func unzip(wheel io.Reader, files []File, dir string) error {
	whole, err := os.CreateTemp(dir, "*.tmp")
	if err != nil {
		return err
	}
	defer os.Remove(whole.Name())
	defer whole.Close()
	size, err := io.Copy(whole, wheel)
	if err != nil {
		return err
	}
	members, err := zip.NewReader(whole, size)
	if err != nil {
		return fmt.Errorf("it is no wheel, or not all of it: %w", err)
	}
	for _, f := range files {
		data, err := members.Open(f.Member)
		if err != nil {
			return fmt.Errorf("the package has no member %s", f.Member)
		}
		err = errors.Join(f.write(dir, data), data.Close())
		if err != nil {
			return err
		}
	}
	return nil
}

// In is the file's path below the folder of an installation.
func (f File) In(dir string) string { return filepath.Join(dir, filepath.FromSlash(f.Name)) }

// write writes the file that data has, which must be the pinned one.
func (f File) write(dir string, data io.Reader) error {
	path := f.In(dir)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	err := disk.WriteProgram(path, func(w io.Writer) error {
		size, want := f.pinned()
		digest := sha256.New()
		n, err := io.Copy(io.MultiWriter(w, digest), io.LimitReader(data, size+1))
		if got := hex.EncodeToString(digest.Sum(nil)); err == nil && (n != size || got != want) {
			err = fmt.Errorf("its file %s has SHA-256 %s, not the pinned %s", f.Name, got, want)
		}
		return err
	})
	if err != nil && f.Intact(dir) {
		return nil // another process has put it there, and uses it
	}
	return err
}

// pinned returns the size and the digest that the file must have.
func (f File) pinned() (int64, string) {
	if f.Member != "" {
		return f.Size, f.SHA256
	}
	sum := sha256.Sum256([]byte(f.Text))
	return int64(len(f.Text)), hex.EncodeToString(sum[:])
}

// Intact reports whether the file is in the folder, whole.
func (f File) Intact(dir string) bool {
	size, want := f.pinned()
	info, err := os.Stat(f.In(dir))
	if err != nil || info.Size() != size {
		return false
	}
	got, err := disk.SHA256(f.In(dir))
	return err == nil && got == want
}

// Files returns what is installed on a platform, GOOS/GOARCH or "" for the program's own.
func (p Package) Files(platform string) ([]File, error) {
	platform = cmp.Or(platform, runtime.GOOS+"/"+runtime.GOARCH)
	files, ok := p.Platforms[platform]
	if !ok {
		return nil, fmt.Errorf("%s: nothing is pinned for %s, only for %s: %s", p.Title, platform, p.platforms(), p.Otherwise)
	}
	return files, nil
}

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

// Registry returns the registry that npm would use, so that mirrors work: the one
// that NPM_CONFIG_REGISTRY names, else what npm says within ten seconds.
func Registry(ctx context.Context) (string, error) {
	variables := []string{"NPM_CONFIG_REGISTRY", "npm_config_registry"}
	registry, err := configured(ctx, variables, "npm", "config", "get", "registry")
	if registry == "" && err == nil {
		err = errors.New("no npm registry is known: set NPM_CONFIG_REGISTRY to its URL, or install npm")
	}
	return registry, err
}

// PythonIndex returns the index that pip would use: the one that PIP_INDEX_URL names, else
// what pip says within ten seconds, else PyPI.
func PythonIndex(ctx context.Context) (string, error) {
	index, err := configured(ctx, []string{"PIP_INDEX_URL"}, "pip", "config", "get", "global.index-url")
	return cmp.Or(index, "https://pypi.org/simple"), err
}

// configured returns the URL that a variable of the environment has, or else a command prints;
// "" without one.
func configured(ctx context.Context, variables []string, command ...string) (string, error) {
	for _, name := range variables {
		if value := os.Getenv(name); value != "" {
			if err := CheckURL(value); err != nil {
				return "", fmt.Errorf("%s: %w", variables[0], err)
			}
			return value, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, 10*time.Second)
	defer cancel()
	out, err := exec.CommandContext(ctx, command[0], command[1:]...).Output()
	if found := strings.TrimSpace(string(out)); err == nil && CheckURL(found) == nil {
		return found, nil
	}
	return "", nil
}
