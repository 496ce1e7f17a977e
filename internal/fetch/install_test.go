package fetch

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"compress/gzip"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"math/rand/v2"
	"net"
	"net/http"
	"net/http/httptest"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"

	"github.com/andybalholm/brotli"
	"go.uber.org/goleak"

	"github.com/carozero/carozero/nn/onnx"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// toy is a made-up package with a library for one platform.
type toy struct {
	pack    Package
	library []byte
	archive []byte
}

const (
	toyPlatform = "linux/amd64"
	toyMember   = "package/bin/linux/x64/libonnxruntime.so.1"
)

// member is one entry of an archive.
type member struct {
	header tar.Header
	data   []byte
}

func plain(name string, data []byte) member {
	return member{tar.Header{Typeflag: tar.TypeReg, Name: name, Mode: 0o644, Size: int64(len(data))}, data}
}

func newToy(t *testing.T) *toy {
	t.Helper()
	rng := rand.New(rand.NewPCG(1, 2))
	library := make([]byte, 300_000) // random, so that it does not compress away
	for i := range library {
		library[i] = byte(rng.Uint32())
	}
	sum := sha256.Sum256(library)
	p := &toy{library: library, pack: Package{Name: "onnxruntime-node", Version: "9.9.9", Title: "ONNX Runtime",
		Otherwise: "build it yourself", Platforms: map[string][]File{
			toyPlatform: {{Name: "libonnxruntime.so.1", Member: toyMember, Size: int64(len(library)),
				SHA256: hex.EncodeToString(sum[:])}},
		}}}
	p.archive = tarball(t, plain("package/package.json", []byte("{}")), plain(toyMember, library),
		plain("package/last", library))
	return p
}

func tarball(t *testing.T, members ...member) []byte {
	t.Helper()
	var out bytes.Buffer
	zipped := gzip.NewWriter(&out)
	w := tar.NewWriter(zipped)
	for _, m := range members {
		if err := w.WriteHeader(&m.header); err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write(m.data); err != nil {
			t.Fatal(err)
		}
	}
	if err := errors.Join(w.Close(), zipped.Close()); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// registry is one that answers every request with handler.
func registry(t *testing.T, handler http.HandlerFunc) func(context.Context) (string, error) {
	t.Helper()
	return fixed(serve(t, handler))
}

// fixed is a registry at an address.
func fixed(address string) func(context.Context) (string, error) {
	return func(context.Context) (string, error) { return address, nil }
}

// serve answers every request with handler and returns the server's address.
func serve(t *testing.T, handler http.HandlerFunc) string {
	t.Helper()
	server := httptest.NewServer(handler)
	t.Cleanup(server.Close)
	return server.URL
}

func (p *toy) options(dir string) Options {
	return Options{Package: p.pack, Platform: toyPlatform, Dir: dir}
}

// refused demands an error of one line with the words, and none but pinned files.
func refused(t *testing.T, o Options, words ...string) error {
	t.Helper()
	_, err := Install(context.Background(), o)
	if err == nil {
		t.Fatal("no error")
	}
	for _, w := range words {
		if !strings.Contains(err.Error(), w) {
			t.Errorf("the error does not say %q: %v", w, err)
		}
	}
	if strings.Contains(err.Error(), "\n") {
		t.Errorf("the error has more than one line: %q", err)
	}
	files, _ := o.Package.Files(o.Platform)
	for _, f := range files {
		if _, err := os.Stat(f.In(o.Dir)); err == nil && !f.Intact(o.Dir) {
			t.Errorf("another file is in the place of %s", f.Name)
		}
	}
	if left, _ := filepath.Glob(filepath.Join(o.Dir, "*.tmp")); left != nil {
		t.Errorf("left behind: %v", left)
	}
	return err
}

// holds demands that the folder holds the library and nothing else.
func (p *toy) holds(t *testing.T, dir string) {
	t.Helper()
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 || entries[0].Name() != "libonnxruntime.so.1" {
		t.Fatalf("the folder holds %v, %v", entries, err)
	}
	if data, err := os.ReadFile(filepath.Join(dir, entries[0].Name())); err != nil || !bytes.Equal(data, p.library) {
		t.Errorf("the library has %d bytes, %v", len(data), err)
	}
}

func TestInstallFromTheRegistry(t *testing.T) {
	p := newToy(t)
	var asked []string
	address := serve(t, func(w http.ResponseWriter, r *http.Request) {
		asked = append(asked, r.URL.Path)
		w.Header().Set("Content-Length", strconv.Itoa(len(p.archive)))
		w.Write(p.archive)
	})
	search := onnx.Search{CacheDir: t.TempDir()}
	o := p.options(search.InstallDir())
	o.Registry = fixed(address + "/mirror/")
	var last, total int64
	o.Progress = func(done, all int64) { last, total = done, all }
	result, err := Install(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	p.holds(t, o.Dir)
	if !result.Installed || result.Version != "9.9.9" || !strings.HasPrefix(result.From, address+"/mirror/") ||
		result.SHA256 != p.pack.Platforms[toyPlatform][0].SHA256 {
		t.Errorf("%+v", result)
	}
	if total != int64(len(p.archive)) || last < int64(len(p.library)) || last > total {
		t.Errorf("progress %d of %d", last, total)
	}
	if !slices.Equal(asked, []string{"/mirror/onnxruntime-node/-/onnxruntime-node-9.9.9.tgz"}) {
		t.Errorf("asked for %v", asked)
	}
	// The search for the library finds it, and a second call fetches nothing.
	if filepath.Dir(result.Path) != search.InstallDir() {
		t.Errorf("installed at %s, looked for in %s", result.Path, search.InstallDir())
	}
	if again, err := Install(t.Context(), o); err != nil || again.Installed || len(asked) != 1 {
		t.Errorf("again: %+v, %v, %d requests", again, err, len(asked))
	}
	// A damaged library is replaced.
	if err := os.WriteFile(result.Path, bytes.Repeat([]byte{1}, len(p.library)), 0o644); err != nil {
		t.Fatal(err)
	}
	if again, err := Install(t.Context(), o); err != nil || !again.Installed {
		t.Errorf("over a damaged one: %+v, %v", again, err)
	}
	p.holds(t, o.Dir)
}

// bracketed is the naming of a front that writes options as <key>.
func bracketed(key string) string { return "<" + key + ">" }

// Whatever is in the place of the package is refused in a line that says what to do.
func TestInstallRefuses(t *testing.T) {
	p := newToy(t)
	wrong := bytes.Clone(p.library)
	wrong[0] ^= 1
	closed, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	closed.Close()
	file := filepath.Join(t.TempDir(), "pack.tgz")
	if err := os.WriteFile(file, []byte("this is no package"), 0o644); err != nil {
		t.Fatal(err)
	}
	none := func(o *Options) {}
	missing := func(w http.ResponseWriter, _ *http.Request) { http.Error(w, "no", http.StatusNotFound) }
	for name, c := range map[string]struct {
		members []member
		serve   http.HandlerFunc // nil: the members
		change  func(o *Options)
		want    string
	}{
		"another file":  {[]member{plain(toyMember, wrong)}, nil, none, "SHA-256"},
		"a shorter one": {[]member{plain(toyMember, p.library[:9])}, nil, none, "SHA-256"},
		"a longer one":  {[]member{plain(toyMember, append(bytes.Clone(p.library), 0))}, nil, none, "SHA-256"},
		"a path upward": {[]member{plain("../../"+toyMember, p.library)}, nil, none, "no member"},
		"nothing":       {nil, nil, none, "no member"},
		"no answer":     {nil, missing, func(o *Options) { o.Naming = bracketed }, "onnxruntime-node-9.9.9.tgz with <from>"},
		"no server": {nil, nil, func(o *Options) { o.Registry = fixed("http://user:secret@" + closed.Addr().String()) },
			"refused; run again"},
		"no file":           {nil, nil, func(o *Options) { o.From = file + "x" }, "pack.tgzx: no such file"},
		"no package":        {nil, nil, func(o *Options) { o.From = file }, "invalid header; from wants onnxruntime-node"},
		"another platform":  {nil, nil, func(o *Options) { o.Platform = "plan9/mips" }, "linux/amd64: build it yourself"},
		"no place":          {nil, nil, func(o *Options) { o.Dir = filepath.Join(file, "x") }, "name another one with dir"},
		"a place elsewhere": {[]member{plain("/"+toyMember, p.library)}, nil, none, "no member"},
	} {
		archive := tarball(t, c.members...)
		if c.serve == nil {
			c.serve = func(w http.ResponseWriter, _ *http.Request) { w.Write(archive) }
		}
		o := p.options(t.TempDir())
		o.Registry = registry(t, c.serve)
		c.change(&o)
		if err := refused(t, o, c.want); strings.Contains(err.Error(), "secret") {
			t.Errorf("%s: the error tells a password: %v", name, err)
		}
	}
}

func TestInstallFromAFile(t *testing.T) {
	p := newToy(t)
	o := p.options(t.TempDir())
	o.From = filepath.Join(t.TempDir(), "pack.tgz")
	if err := os.WriteFile(o.From, p.archive, 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	p.holds(t, o.Dir)
}

// A wheel is found by the page of its package in Python's index, and taken as a file.
func TestInstallFromAWheel(t *testing.T) {
	p := newToy(t)
	var packed bytes.Buffer
	w := zip.NewWriter(&packed)
	for _, name := range []string{"other", toyMember} {
		member, err := w.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		member.Write(p.library)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	p.pack.Wheel, p.pack.Name = "toy-9.9.9.whl", "toy"
	wheel := packed.Bytes()
	o := p.options(t.TempDir())
	o.Registry = registry(t, func(w http.ResponseWriter, r *http.Request) {
		switch r.URL.Path {
		case "/toy/":
			io.WriteString(w, `<a href="toy-9.9.8.whl">old</a> <a href="../files/a%2Bb/toy-9.9.9.whl#sha256=0">toy</a>`)
		case "/files/a+b/toy-9.9.9.whl":
			w.Write(wheel)
		default:
			http.NotFound(w, r)
		}
	})
	result, err := Install(t.Context(), o)
	if err != nil || !strings.HasSuffix(result.From, "/files/a%2Bb/toy-9.9.9.whl") {
		t.Fatal(result, err)
	}
	p.holds(t, o.Dir)
	o.Dir = t.TempDir()
	o.Package.Wheel = "toy-9.9.7.whl"
	refused(t, o, "has no toy-9.9.7.whl")
	o.From = filepath.Join(t.TempDir(), "toy.whl")
	for _, data := range [][]byte{wheel[:len(wheel)/2], tarball(t)} {
		if err := os.WriteFile(o.From, data, 0o644); err != nil {
			t.Fatal(err)
		}
		refused(t, o, "toy.whl", "no wheel", "pip download")
	}
}

func TestInstallAfterATruncatedDownload(t *testing.T) {
	p := newToy(t)
	var cut int
	o := p.options(t.TempDir())
	o.Registry = registry(t, func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Length", "1000000")
		w.Write(p.archive[:cut])
	})
	for _, cut = range []int{0, 1, 5, 100, len(p.archive) / 3} {
		refused(t, o, "too early", "run again")
	}
	// Simply running again mends it.
	cut = len(p.archive)
	if _, err := Install(t.Context(), o); err != nil {
		t.Fatal(err)
	}
	p.holds(t, o.Dir)
}

// A server that falls silent is left when the user interrupts.
func TestInstallFromASilentServer(t *testing.T) {
	p := newToy(t)
	begun := make(chan struct{}, 4) // of every request that reaches a server; on a busy machine the first may not
	silent := func(head []byte) func(context.Context) (string, error) {
		return registry(t, func(w http.ResponseWriter, r *http.Request) {
			if head != nil {
				w.Write(head)
				w.(http.Flusher).Flush()
			}
			begun <- struct{}{}
			<-r.Context().Done()
		})
	}
	for _, head := range [][]byte{nil, p.archive[:1000]} {
		o := p.options(t.TempDir())
		o.Registry = silent(head)
		ctx, cancel := context.WithCancel(t.Context())
		go func() { <-begun; cancel() }()
		if _, err := Install(ctx, o); !errors.Is(err, context.Canceled) {
			t.Errorf("interrupted: %v", err)
		}
		if left, _ := os.ReadDir(o.Dir); len(left) > 0 {
			t.Errorf("left behind: %v", left)
		}
	}
}

func TestInstallSeveralAtOnce(t *testing.T) {
	p := newToy(t)
	o := p.options(t.TempDir())
	const n = 8
	var waiting sync.WaitGroup // all have begun before the first is answered
	waiting.Add(n)
	o.Registry = registry(t, func(w http.ResponseWriter, _ *http.Request) {
		waiting.Done()
		waiting.Wait()
		w.Write(p.archive)
	})
	var running sync.WaitGroup
	for range n {
		running.Go(func() {
			if _, err := Install(t.Context(), o); err != nil {
				t.Error(err)
			}
		})
	}
	running.Wait()
	p.holds(t, o.Dir)
}

// The library that `make deps` has put into the user's cache is the pinned one,
// so nothing is asked for.
func TestThePinnedLibraryIsInTheCache(t *testing.T) {
	cache, err := os.UserCacheDir()
	if err != nil {
		t.Fatal(err)
	}
	search := onnx.Search{CacheDir: filepath.Join(cache, "carozero")}
	result, err := Install(t.Context(), Options{Package: ONNXRuntime(nil), Dir: search.InstallDir(),
		From: filepath.Join(t.TempDir(), "none")})
	if err != nil || result.Installed {
		t.Errorf("%+v, %v", result, err)
	}
}

// compressed is a member that brotli has compressed.
func compressed(t *testing.T, data []byte) []byte {
	t.Helper()
	var out bytes.Buffer
	w := brotli.NewWriterLevel(&out, 1)
	if _, err := w.Write(data); err != nil {
		t.Fatal(err)
	}
	if err := w.Close(); err != nil {
		t.Fatal(err)
	}
	return out.Bytes()
}

// unzipped is the archive that a package of the members has inside gzip.
func unzipped(t *testing.T, members ...member) []byte {
	t.Helper()
	r, err := gzip.NewReader(bytes.NewReader(tarball(t, members...)))
	if err != nil {
		t.Fatal(err)
	}
	data, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	return data
}

// suite is a made-up package with a program, compressed, and two libraries in a
// compressed archive, beside a file that no member has.
func suite(program, one, two []byte) Package {
	file := func(name, member, inside string, data []byte) File {
		sum := sha256.Sum256(data)
		return File{Name: name, Member: member, Inside: inside, Size: int64(len(data)), SHA256: hex.EncodeToString(sum[:])}
	}
	return Package{Title: "Suite", Name: "@maker/suite", Version: "1.2.3", Platforms: map[string][]File{toyPlatform: {
		{Name: "start", Text: "#!/bin/sh\n"},
		file("program", "package/program.br", "", program),
		file("lib/one", "package/lib.tar.br", "lib/one", one),
		file("lib/two", "package/lib.tar.br", "lib/two", two),
	}}}
}

func TestInstallFilesOfCompressedMembers(t *testing.T) {
	program, one, two := bytes.Repeat([]byte("program"), 30_000), []byte("one"), []byte("two, which is longer")
	libs := unzipped(t, plain("lib/other", []byte("other")), plain("lib/two", two), plain("lib/one", one),
		plain("lib/last", nil))
	good := []member{plain("package/README", []byte("x")), plain("package/program.br", compressed(t, program)),
		plain("package/lib.tar.br", compressed(t, libs))}
	var archive []byte
	var asked []string
	o := Options{Package: suite(program, one, two), Platform: toyPlatform,
		Registry: registry(t, func(w http.ResponseWriter, r *http.Request) {
			asked = append(asked, r.URL.Path)
			w.Write(archive)
		})}

	for _, c := range []struct {
		members []member
		want    string
	}{
		{[]member{plain("package/program.br", compressed(t, program[1:]))}, "SHA-256"},
		{[]member{plain("package/program.br", good[1].data[:9])}, "too early"},
		{[]member{good[1], plain("package/lib.tar.br", compressed(t, unzipped(t, plain("lib/one", one))))},
			"no member lib/two"},
		{[]member{good[1], plain("package/lib.tar.br", compressed(t, unzipped(t, plain("lib/one", two))))}, "SHA-256"},
	} {
		archive, o.Dir = tarball(t, c.members...), t.TempDir()
		refused(t, o, c.want)
	}

	archive, o.Dir, asked = tarball(t, good...), t.TempDir(), nil
	if result, err := Install(t.Context(), o); err != nil || !result.Installed ||
		result.Path != filepath.Join(o.Dir, "start") {
		t.Fatalf("%+v, %v", result, err)
	}
	if !slices.Equal(asked, []string{"/@maker/suite/-/suite-1.2.3.tgz"}) {
		t.Errorf("asked for %v", asked)
	}
	holds := func() {
		t.Helper()
		for name, want := range map[string][]byte{"start": []byte("#!/bin/sh\n"), "program": program, "lib/one": one,
			"lib/two": two} {
			if data, err := os.ReadFile(filepath.Join(o.Dir, name)); err != nil || !bytes.Equal(data, want) {
				t.Errorf("%s has %d bytes, %v", name, len(data), err)
			}
		}
		if entries, err := os.ReadDir(o.Dir); err != nil || len(entries) != 3 {
			t.Errorf("the folder holds %v, %v", entries, err)
		}
	}
	holds()
	// What was damaged or is lost comes again; what no member has needs no download.
	for name, requests := range map[string]int{"start": 0, "lib/two": 1} {
		asked = nil
		if err := os.WriteFile(filepath.Join(o.Dir, name), []byte("damaged"), 0o644); err != nil {
			t.Fatal(err)
		}
		if result, err := Install(t.Context(), o); err != nil || !result.Installed || len(asked) != requests {
			t.Errorf("over a damaged %s: %+v, %v, %d requests", name, result, err, len(asked))
		}
		holds()
	}
}

func TestRegistry(t *testing.T) {
	t.Setenv("PATH", t.TempDir()) // no npm
	t.Setenv("NPM_CONFIG_REGISTRY", "")
	t.Setenv("npm_config_registry", "")
	for _, c := range []struct{ upper, lower, npm, want string }{
		{"", "", "", ""},
		{"", "", "undefined", ""},
		{"", "", "https://mirror.example/npm/", "https://mirror.example/npm/"},
		{"", "http://127.0.0.1:1", "https://mirror.example/npm/", "http://127.0.0.1:1"},
		{"http://127.0.0.1:2", "http://127.0.0.1:1", "", "http://127.0.0.1:2"},
		{"mirror", "", "", ""},
	} {
		t.Setenv("NPM_CONFIG_REGISTRY", c.upper)
		t.Setenv("npm_config_registry", c.lower)
		if c.npm != "" {
			bin := t.TempDir()
			script := "#!/bin/sh\necho warning >&2\n[ \"$*\" = 'config get registry' ] && echo '" + c.npm + "'\n"
			if err := os.WriteFile(filepath.Join(bin, "npm"), []byte(script), 0o755); err != nil {
				t.Fatal(err)
			}
			t.Setenv("PATH", bin)
		}
		got, err := Registry(t.Context())
		if got != c.want || (err != nil) != (c.want == "") {
			t.Errorf("%+v: %q, %v", c, got, err)
		}
	}
}
