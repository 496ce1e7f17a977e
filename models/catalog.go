package models

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"slices"
	"strings"
	"time"
	"unicode"
)

// Entry describes one shipped network.
type Entry struct {
	Name string `json:"name"` // what --model takes
	// another name, which a better network may take over in a later release
	Alias  string   `json:"alias,omitempty"`
	File   string   `json:"file"`   // in the folder of the manifest
	SHA256 string   `json:"sha256"` // of the file, lower-case hexadecimal
	Rules  []string `json:"rules"`  // rule sets it was trained for
	// rule sets in which it is the classical search's default evaluation; line networks only
	Classical    []string `json:"judges,omitempty"`
	Sizes        [2]int   `json:"sizes"`        // smallest and largest board it was trained for
	Planes       string   `json:"planes"`       // version of its input planes
	Architecture string   `json:"architecture"` // such as "b4c64"
	Provenance   string   `json:"provenance"`   // how it came to be: run, commit, games
	Strength     string   `json:"strength"`     // what was measured against what
	Created      string   `json:"created"`      // day, as 2006-01-02
}

// distance returns how far a size lies outside of those that the network was
// trained for, 0 for one of them.
func (e Entry) distance(size int) int { return max(e.Sizes[0]-size, size-e.Sizes[1], 0) }

// names returns the name and the alias.
func (e Entry) names() []string {
	if e.Alias == "" {
		return []string{e.Name}
	}
	return []string{e.Name, e.Alias}
}

// check returns an error that names the first field without a proper value.
func (e Entry) check() error {
	for _, name := range []string{e.Name, e.Alias} {
		if strings.ContainsAny(name, " ,/\\.=:") || strings.ContainsFunc(name, unicode.IsControl) {
			return fmt.Errorf("name %q: want a word that cannot be taken for a path or an option", name)
		}
	}
	digest, err := hex.DecodeString(e.SHA256)
	_, dateErr := time.Parse(time.DateOnly, e.Created)
	switch {
	case e.Name == "":
		return errors.New("name: an entry has none")
	case !strings.HasSuffix(e.File, ".onnx") && !strings.HasSuffix(e.File, ".line") || strings.Contains(e.File, "/"):
		return fmt.Errorf("%s: file %q: want the name of an .onnx or .line file in this folder", e.Name, e.File)
	case err != nil || len(digest) != sha256.Size || e.SHA256 != strings.ToLower(e.SHA256):
		return fmt.Errorf("%s: sha256 %q: want 64 lower-case hexadecimal digits", e.Name, e.SHA256)
	case len(e.Rules) == 0 || slices.Contains(e.Rules, ""):
		return fmt.Errorf("%s: rules: want at least one name", e.Name)
	case len(e.Classical) > 0 && !strings.HasSuffix(e.File, ".line"):
		return fmt.Errorf("%s: judges: only a line network can judge for the classical search", e.Name)
	case slices.ContainsFunc(e.Classical, func(rule string) bool { return !slices.Contains(e.Rules, rule) }):
		return fmt.Errorf("%s: judges %v: want some of its rules", e.Name, e.Classical)
	case e.Sizes[0] < 1 || e.Sizes[1] < e.Sizes[0]:
		return fmt.Errorf("%s: sizes %v: want the smallest and the largest", e.Name, e.Sizes)
	case e.Planes == "" || e.Architecture == "" || e.Provenance == "" || e.Strength == "":
		return fmt.Errorf("%s: planes, architecture, provenance and strength must not be empty", e.Name)
	case dateErr != nil:
		return fmt.Errorf("%s: created %q: want a day such as 2006-01-02", e.Name, e.Created)
	}
	for _, text := range append([]string{e.File, e.Planes, e.Architecture, e.Provenance, e.Strength}, e.Rules...) {
		if strings.ContainsFunc(text, unicode.IsControl) {
			return fmt.Errorf("%s: %q: want no control characters", e.Name, text)
		}
	}
	return nil
}

// manifestFile is the name of the manifest.
const manifestFile = "manifest.json"

// catalog is a folder with a manifest and the files that it names.
type catalog struct{ fsys fs.FS }

func (c catalog) list() ([]Entry, error) {
	data, err := fs.ReadFile(c.fsys, manifestFile)
	if err != nil {
		return nil, fmt.Errorf("models: %s: %w", manifestFile, err)
	}
	dec := json.NewDecoder(bytes.NewReader(data))
	dec.DisallowUnknownFields()
	var entries []Entry
	if err := dec.Decode(&entries); err != nil {
		return nil, fmt.Errorf("models: %s: %w", manifestFile, err)
	}
	if _, err := dec.Token(); !errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("models: %s: text behind the list", manifestFile)
	}
	seen := make(map[string]bool)
	for _, e := range entries {
		if err := e.check(); err != nil {
			return nil, fmt.Errorf("models: %s: %w", manifestFile, err)
		}
		for _, name := range e.names() {
			if seen[name] {
				return nil, fmt.Errorf("models: %s: %s is there twice", manifestFile, name)
			}
			seen[name] = true
		}
	}
	return entries, nil
}

func (c catalog) find(name string) (Entry, error) {
	entries, err := c.list()
	if err != nil {
		return Entry{}, err
	}
	for _, e := range entries {
		if slices.Contains(e.names(), name) {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("%w: %q; there are %s", ErrUnknown, name, names(entries))
}

func (c catalog) open(name string) ([]byte, Entry, error) {
	e, err := c.find(name)
	if err != nil {
		return nil, Entry{}, err
	}
	data, err := fs.ReadFile(c.fsys, e.File)
	if Fetch != nil && errors.Is(err, fs.ErrNotExist) {
		data, err = Fetch(e.File)
	}
	if err != nil {
		return nil, Entry{}, fmt.Errorf("models: %s: %s: %w", name, e.File, err)
	}
	sum := sha256.Sum256(data)
	if got := hex.EncodeToString(sum[:]); got != e.SHA256 {
		return nil, Entry{}, fmt.Errorf("models: %s: %s has SHA-256 %s, but the manifest says %s", name, e.File, got,
			e.SHA256)
	}
	return data, e, nil
}

// has reports whether the program has an entry's file, or can fetch it: small ones leave most of
// them out.
func (c catalog) has(e Entry) bool {
	_, err := fs.Stat(c.fsys, e.File)
	return err == nil || Fetch != nil && strings.HasSuffix(e.File, ".line")
}

// best returns the first entry with the nearest size, of those that suit a rule set and have
// their file in this program; of all of them if none has.
func (c catalog) best(rule string, size int) (Entry, error) {
	entries, err := c.list()
	if err != nil {
		return Entry{}, err
	}
	best, least, held := -1, 0, false
	for i, e := range entries {
		if !slices.Contains(e.Rules, rule) {
			continue
		}
		d, has := e.distance(size), c.has(e)
		if best < 0 || has && !held || has == held && d < least {
			best, least, held = i, d, has
		}
	}
	if best < 0 {
		return Entry{}, fmt.Errorf("%w: for the rules %s; there are %s", ErrUnknown, rule, names(entries))
	}
	return entries[best], nil
}

// forClassical returns the first entry that is a default evaluation under a rule set,
// was trained for boards of that size, and has its file in this program.
func (c catalog) forClassical(rule string, size int) (Entry, bool, error) {
	entries, err := c.list()
	if err != nil {
		return Entry{}, false, err
	}
	for _, e := range entries {
		if slices.Contains(e.Classical, rule) && e.distance(size) == 0 && c.has(e) {
			return e, true, nil
		}
	}
	return Entry{}, false, nil
}

func names(entries []Entry) string {
	if len(entries) == 0 {
		return "none"
	}
	var list []string
	for _, e := range entries {
		list = append(list, e.names()...)
	}
	return strings.Join(list, ", ")
}
