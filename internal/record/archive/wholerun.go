package archive

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/carozero/carozero/selfplay/samples"
)

// wholeRun is a run that can be packed.
type wholeRun struct {
	dir      string
	line     runLine
	plan     samples.Plan
	entries  []samples.Entry
	lines    []string // of the manifest
	networks []string // digests of the copies
}

// findRuns reads the options and manifests of the runs at paths, and counts their rows.
func findRuns(files samples.FS, paths []string) (runs []wholeRun, rows int, err error) {
	names := map[string]string{}
	for _, path := range paths {
		dirs, err := runDirs(files, path)
		if err != nil {
			return nil, 0, err
		}
		for _, dir := range dirs {
			r, err := readRun(files, dir)
			if err != nil {
				return nil, 0, err
			}
			key := strings.ToLower(r.line.Name)
			if other, twice := names[key]; twice {
				return nil, 0, fmt.Errorf("%s and %s have one name: an archive holds each once", other, dir)
			}
			names[key] = dir
			for _, e := range r.entries {
				rows += e.Rows
			}
			runs = append(runs, r)
		}
	}
	return runs, rows, nil
}

// runDirs returns the directories of the runs at a path.
func runDirs(files samples.FS, path string) (dirs []string, err error) {
	names, err := files.List(path)
	if err != nil {
		return nil, err
	}
	if slices.Contains(names, samples.RunName) || slices.Contains(names, samples.ManifestName) {
		return []string{path}, nil
	}
	for _, name := range names {
		dir := filepath.Join(path, name)
		if _, err := files.Size(filepath.Join(dir, samples.RunName)); err == nil {
			dirs = append(dirs, dir)
		}
	}
	if len(dirs) == 0 {
		return nil, fmt.Errorf("%s: want a run's directory, with a %s, or one of runs", path, samples.RunName)
	}
	return dirs, nil
}

// Bounds on the texts of a run, in bytes.
const (
	mostText = 16 << 20
	mostName = 200
)

// readRun reads what is beside the shards of a run, which must be whole.
func readRun(files samples.FS, dir string) (r wholeRun, err error) {
	if who := files.Holder(dir); who != "" {
		return r, fmt.Errorf("%s is under way, %s: pack it when it is done", dir, who)
	}
	r.dir, r.line.Name = dir, filepath.Base(filepath.Clean(dir))
	if abs, err := filepath.Abs(dir); err == nil {
		r.line.Name = filepath.Base(abs)
	}
	if !goodName(r.line.Name) {
		return r, fmt.Errorf("%s: a run of that name cannot be packed: want letters, digits and common signs", dir)
	}
	options, err := readText(files, filepath.Join(dir, samples.RunName))
	if errors.Is(err, fs.ErrNotExist) {
		return r, fmt.Errorf("%s has no %s: runs are packed, not what was merged or filtered of them", dir, samples.RunName)
	}
	if err == nil {
		r.plan, err = samples.ParsePlan([]byte(options))
	}
	if err != nil {
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	r.line.Options, r.line.Shards = options, r.plan.Shards()
	if err := r.readManifest(files); err != nil {
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	if err := r.readNetworks(files); err != nil {
		return r, fmt.Errorf("%s: %w", dir, err)
	}
	return r, nil
}

// readManifest reads the lines of the manifest, of which there must be one for each
// shard of the plan, in order.
func (r *wholeRun) readManifest(files samples.FS) error {
	text, err := readText(files, filepath.Join(r.dir, samples.ManifestName))
	if err != nil {
		return err
	}
	games := 0
	for text != "" {
		line, rest, whole := strings.Cut(text, "\n")
		if !whole {
			break
		}
		text = rest
		e, err := samples.ParseEntry([]byte(line))
		if err != nil {
			return fmt.Errorf("%s: %w", samples.ManifestName, err)
		}
		if err := fits(r.plan, e, len(r.entries)); err != nil {
			return fmt.Errorf("%s: %w", samples.ManifestName, err)
		}
		r.entries, r.lines = append(r.entries, e), append(r.lines, line)
		games += e.Games
	}
	if len(r.entries) != r.plan.Shards() || text != "" {
		return fmt.Errorf("%d of %d games are in shards: pack the run when it is whole", games, r.plan.Games)
	}
	return nil
}

// readNetworks reads what a run says that took its networks from a file.
func (r *wholeRun) readNetworks(files samples.FS) error {
	text, err := readText(files, filepath.Join(r.dir, samples.NetworksName))
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	r.line.Networks = text
	r.networks, err = copies(text)
	r.line.Copies = len(r.networks)
	return err
}

// copies returns the digests that the lines of a networks.jsonl name, each once.
func copies(text string) (list []string, err error) {
	for line := range strings.Lines(text) {
		var by samples.PlayedBy
		if err := json.Unmarshal([]byte(line), &by); err != nil {
			return nil, fmt.Errorf("%s: %w", samples.NetworksName, err)
		}
		if by.SHA256 != "" && !slices.Contains(list, by.SHA256) {
			list = append(list, by.SHA256)
		}
	}
	return list, nil
}

// goodName reports whether a run's name is a name of a folder everywhere.
func goodName(name string) bool {
	if name == "" || len(name) > mostName || !utf8.ValidString(name) || strings.HasPrefix(name, ".") ||
		strings.ContainsAny(name, `/\:*?"<>|`) || strings.TrimRight(name, " .") != name || name == lockName {
		return false
	}
	return !strings.ContainsFunc(name, func(r rune) bool { return !unicode.IsPrint(r) })
}

// lockName is the file of a folder's lock.
const lockName = "run.lock"

// readText returns the content of a small file, which must be text as JSON can hold it.
func readText(files samples.FS, path string) (string, error) {
	f, err := files.Open(path)
	if err != nil {
		return "", err
	}
	defer f.Close()
	b, err := io.ReadAll(io.LimitReader(f, mostText+1))
	if err != nil {
		return "", err
	}
	if len(b) > mostText || !utf8.Valid(b) {
		return "", fmt.Errorf("%s: want at most %d bytes of text", filepath.Base(path), mostText)
	}
	return string(b), nil
}
