package models

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"io/fs"
	"slices"
	"strings"
	"testing"
	"testing/fstest"
)

// suits reports whether a network was trained for the rule set and size.
func suits(e Entry, rule string, size int) bool {
	return slices.Contains(e.Rules, rule) && size >= e.Sizes[0] && size <= e.Sizes[1]
}

// The shipped folder itself: every network opens, and every file belongs to
// an entry.
func TestShippedModels(t *testing.T) {
	entries, err := List()
	if err != nil {
		t.Fatal(err)
	}
	var listed []string
	for _, e := range entries {
		listed = append(listed, e.File)
		data, got, err := Open(e.Name)
		if err != nil || len(data) == 0 || got.Name != e.Name {
			t.Errorf("%s: %v", e.Name, err)
		}
		for _, rule := range e.Rules {
			for size := 5; size <= 22; size++ {
				if best, err := Best(rule, size); err != nil || suits(e, rule, size) && !suits(best, rule, size) {
					t.Errorf("best for %s %d: %s, %v", rule, size, best.Name, err)
				}
			}
		}
	}
	var found []string
	for _, pattern := range []string{"*.onnx", "*.line"} {
		list, err := fs.Glob(files, pattern)
		if err != nil {
			t.Fatal(err)
		}
		found = append(found, list...)
	}
	slices.Sort(found)
	slices.Sort(listed)
	if !slices.Equal(found, listed) {
		t.Errorf("embedded are %v, the manifest lists %v", found, listed)
	}
}

func digest(data string) string {
	sum := sha256.Sum256([]byte(data))
	return hex.EncodeToString(sum[:])
}

func entry(name, data string, rules []string, low, high int) Entry {
	return Entry{
		Name: name, File: name + ".onnx", SHA256: digest(data),
		Rules: rules, Sizes: [2]int{low, high}, Planes: "gomoku-1",
		Architecture: "b1c1", Provenance: "test", Strength: "none", Created: "2026-01-31",
	}
}

func folder(t *testing.T, entries ...Entry) catalog {
	t.Helper()
	manifest, err := json.Marshal(entries)
	if err != nil {
		t.Fatal(err)
	}
	return catalog{fstest.MapFS{
		manifestFile: {Data: manifest},
		"a.onnx":     {Data: []byte("net a")},
		"b.onnx":     {Data: []byte("net b, damaged")},
	}}
}

func TestOpen(t *testing.T) {
	c := folder(t,
		entry("a", "net a", []string{"caro"}, 9, 15),
		entry("b", "net b", []string{"caro"}, 9, 15),
		entry("c", "net c", []string{"caro"}, 9, 15))
	if data, e, err := c.open("a"); err != nil || string(data) != "net a" || e.Name != "a" {
		t.Errorf("a: %q, %v, %v", data, e, err)
	}
	if _, _, err := c.open("b"); err == nil || !strings.Contains(err.Error(), "SHA-256") {
		t.Errorf("a damaged file: %v", err)
	}
	if _, _, err := c.open("c"); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, _, err := c.open("d"); !errors.Is(err, ErrUnknown) || !strings.Contains(err.Error(), "a, b, c") {
		t.Errorf("an unknown name: %v", err)
	}
}

func TestBest(t *testing.T) {
	c := folder(t,
		entry("small", "", []string{"caro", "renju"}, 9, 11),
		entry("first", "", []string{"caro"}, 11, 15),
		entry("second", "", []string{"caro", "standard"}, 11, 19))
	for _, q := range []struct {
		rule string
		size int
		want string
	}{
		{"caro", 9, "small"}, {"caro", 11, "small"}, {"caro", 12, "first"}, {"caro", 16, "second"},
		{"standard", 15, "second"}, {"renju", 15, "small"}, {"caro", 20, "second"}, {"caro", 8, "small"},
		{"standard", 5, "second"},
		{"go", 9, ""},
	} {
		got, err := c.best(q.rule, q.size)
		if got.Name != q.want || (q.want == "") != errors.Is(err, ErrUnknown) {
			t.Errorf("%s %d: %q, %v; want %q", q.rule, q.size, got.Name, err, q.want)
		}
	}
}

// A program that lacks the file of the first choice plays by the next one that it has.
func TestBestOfASmallProgram(t *testing.T) {
	c := folder(t,
		entry("first", "", []string{"caro"}, 15, 20),
		entry("a", "net a", []string{"caro"}, 9, 11),
		entry("last", "", []string{"caro", "renju"}, 9, 20))
	for rule, want := range map[string]string{"caro": "a", "renju": "last"} {
		if got, err := c.best(rule, 15); err != nil || got.Name != want {
			t.Errorf("%s: %q, %v; want %q", rule, got.Name, err, want)
		}
	}
}

// An alias finds its network, and may be no other's name.
func TestAlias(t *testing.T) {
	plain, strong := entry("plain", "net a", []string{"caro"}, 9, 15), entry("deep", "net b", []string{"caro"}, 9, 15)
	strong.Alias = "strong"
	for name, want := range map[string]string{"plain": "plain", "deep": "deep", "strong": "deep", "weak": ""} {
		e, err := folder(t, plain, strong).find(name)
		if e.Name != want || (want == "") != errors.Is(err, ErrUnknown) {
			t.Errorf("%s: %q, %v; want %q", name, e.Name, err, want)
		}
	}
	plain.Alias = "deep"
	if _, err := folder(t, plain, strong).list(); err == nil || !strings.Contains(err.Error(), "deep is there twice") {
		t.Errorf("an alias that is a name: %v", err)
	}
}

func TestForClassical(t *testing.T) {
	deep, first, second := entry("deep", "", []string{"caro"}, 9, 15), entry("first", "", []string{"caro", "renju"}, 9,
		15), entry("second", "", []string{"caro", "renju"}, 9, 20)
	first.File, first.Classical = "first.line", []string{"renju"}
	second.File, second.Classical = "second.line", []string{"caro", "renju"}
	absent := entry("absent", "", []string{"caro"}, 9, 20)
	absent.File, absent.Classical = "absent.line", []string{"caro"}
	c := folder(t, absent, deep, first, second)
	for _, e := range []Entry{first, second} {
		c.fsys.(fstest.MapFS)[e.File] = &fstest.MapFile{}
	}
	for _, q := range []struct {
		rule string
		size int
		want string
	}{
		{"caro", 15, "second"}, {"renju", 15, "first"}, {"renju", 20, "second"}, {"renju", 21, ""}, {"caro", 8, ""},
		{"go", 9, ""},
	} {
		got, found, err := c.forClassical(q.rule, q.size)
		if err != nil || got.Name != q.want || found != (q.want != "") {
			t.Errorf("%s %d: %q, %v, %v; want %q", q.rule, q.size, got.Name, found, err, q.want)
		}
	}
}

func TestManifestIsChecked(t *testing.T) {
	good := entry("a", "net a", []string{"caro"}, 9, 15)
	for field, spoil := range map[string]func(e *Entry){
		"name":       func(e *Entry) { e.Name = "./a" },
		"word":       func(e *Entry) { e.Alias = "a b" },
		"none":       func(e *Entry) { e.Name = "" },
		"file":       func(e *Entry) { e.File = "sub/a.onnx" },
		"sha256":     func(e *Entry) { e.SHA256 = strings.ToUpper(e.SHA256) },
		"rules":      func(e *Entry) { e.Rules = nil },
		"sizes":      func(e *Entry) { e.Sizes = [2]int{15, 9} },
		"judges":     func(e *Entry) { e.File, e.Classical = "a.line", []string{"renju"} },
		"network":    func(e *Entry) { e.Classical = []string{"caro"} },
		"provenance": func(e *Entry) { e.Provenance = "" },
		"created":    func(e *Entry) { e.Created = "31/01/2026" },
	} {
		e := good
		spoil(&e)
		if _, err := folder(t, e).list(); err == nil || !strings.Contains(err.Error(), field) {
			t.Errorf("a bad %s: %v", field, err)
		}
	}
	if _, err := folder(t, good, good).list(); err == nil || !strings.Contains(err.Error(), "twice") {
		t.Errorf("the same name twice: %v", err)
	}
	unknown := catalog{fstest.MapFS{manifestFile: {Data: []byte(`[{"nmae": "a"}]`)}}}
	if _, err := unknown.list(); err == nil || !strings.Contains(err.Error(), "nmae") {
		t.Errorf("an unknown field: %v", err)
	}
}

// FuzzManifest reads any manifest: it is refused in one line, or its networks
// can be listed and asked for.
func FuzzManifest(f *testing.F) {
	shipped, err := files.ReadFile(manifestFile)
	if err != nil {
		f.Fatal(err)
	}
	for _, seed := range []string{
		string(shipped), "", "[]", "null", "{}", "[{}]", "[] []", `[{"nmae": 1}]`, `[{"name": "a", "sizes": [1e99, 2]}]`,
		strings.Repeat("[", 20_000),
	} {
		f.Add(seed)
	}
	f.Fuzz(func(t *testing.T, text string) {
		c := catalog{fstest.MapFS{manifestFile: {Data: []byte(text)}, "first-b4c32.onnx": {Data: []byte("x")}}}
		list, err := c.list()
		if err != nil {
			if strings.ContainsAny(err.Error(), "\n\r\x1b") || !strings.HasPrefix(err.Error(), "models: ") {
				t.Fatalf("error %q", err)
			}
			return
		}
		for _, e := range list {
			if err := e.check(); err != nil {
				t.Fatal(err)
			}
			if _, err := c.best(e.Rules[0], e.Sizes[0]); err != nil {
				t.Fatal(err)
			}
			if _, _, err := c.open(e.Name); err == nil {
				t.Fatalf("%s opens without its bytes", e.Name)
			}
		}
		if _, _, err := c.open("no such name"); !errors.Is(err, ErrUnknown) {
			t.Fatal(err)
		}
	})
}

func TestManifestIsWhole(t *testing.T) {
	c := catalog{fstest.MapFS{manifestFile: {Data: []byte("[] []")}}}
	if _, err := c.list(); err == nil || !strings.Contains(err.Error(), "behind the list") {
		t.Error(err)
	}
	if _, err := folder(t, entry("a", "net a", []string{"ca\x1bro"}, 9, 15)).list(); err == nil ||
		!strings.Contains(err.Error(), "control") {
		t.Errorf("a control character: %v", err)
	}
}
