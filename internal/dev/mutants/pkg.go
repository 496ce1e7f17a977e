package main

import (
	"bufio"
	"bytes"
	"crypto/sha256"
	_ "embed" // the lists
	"encoding/hex"
	"encoding/json"
	"fmt"
	"os"
	"os/exec"
	"path"
	"path/filepath"
	"slices"
	"strings"
)

// listed is what the go command tells of a package.
type listed struct {
	Dir        string
	ImportPath string
	GoFiles    []string
	CgoFiles   []string
	Module     struct{ Dir, Path string }
}

// list asks the go command for a package, by its path in the module or as ./path.
func list(dir, pkg string) (*listed, error) {
	cmd := exec.Command("go", "list", "-json=Dir,ImportPath,GoFiles,CgoFiles,Module", pkg)
	var stderr bytes.Buffer
	cmd.Dir, cmd.Stderr = dir, &stderr
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("%s: want a package as ./mcts: %s", pkg, oneLine(stderr.Bytes()))
	}
	p := &listed{}
	dec := json.NewDecoder(bytes.NewReader(out))
	if err := dec.Decode(p); err != nil {
		return nil, err
	}
	if dec.More() {
		return nil, fmt.Errorf("%s: are several packages, want one", pkg)
	}
	return p, nil
}

// path returns the package's path in the module.
func (p *listed) path() string {
	return strings.TrimPrefix(strings.TrimPrefix(p.ImportPath, p.Module.Path), "/")
}

// pack is a package as it was when its mutants were listed.
type pack struct {
	path    string            // in the module
	files   map[string][]byte // by their paths in the module
	mutants []Mutant
	digest  string // of the files
}

// read returns a package with all its mutants.
func (p *listed) read() (*pack, error) {
	sum := sha256.New()
	k := &pack{path: p.path(), files: map[string][]byte{}}
	for _, name := range slices.Sorted(slices.Values(slices.Concat(p.GoFiles, p.CgoFiles))) {
		source, err := os.ReadFile(filepath.Join(p.Dir, name))
		if err != nil {
			return nil, err
		}
		fmt.Fprintf(sum, "%s %d\n%s", name, len(source), source)
		name = path.Join(k.path, name)
		found, err := Mutants(name, source)
		if err != nil {
			return nil, err
		}
		k.files[name] = source
		k.mutants = append(k.mutants, found...)
	}
	k.digest = short(sum.Sum(nil))
	return k, nil
}

// at returns the mutants of one line of a file, FILE:LINE without a folder.
func (k *pack) at(where string) ([]Mutant, error) {
	var found []Mutant
	for _, m := range k.mutants {
		if fmt.Sprintf("%s:%d", path.Base(m.File), m.Line) == where {
			found = append(found, m)
		}
	}
	if len(found) == 0 {
		return nil, fmt.Errorf("-at: %s has no mutant at %q, want FILE:LINE", k.path, where)
	}
	return found, nil
}

func short(sum []byte) string { return hex.EncodeToString(sum[:8]) }

// suite is tests that are run against a package's mutants.
type suite struct {
	pkg  string   // with them, by its path in the module
	args []string // of go test
}

var (
	//go:embed tests.txt
	testsList []byte
	//go:embed equivalent.txt
	equivalentList []byte
)

// suites returns the tests that are run for a package: its own, and then those of
// other packages that a list names for it.
func suites(list []byte, pkg string) ([]suite, error) {
	own := suite{pkg: pkg}
	var others []suite
	err := records(list, 3, func(fields []string) error {
		if fields[0] != pkg {
			return nil
		}
		s := suite{fields[1], strings.Fields(fields[2])}
		if s.pkg == pkg {
			own = s
		} else {
			others = append(others, s)
		}
		return nil
	})
	return append([]suite{own}, others...), err
}

// equivalents returns the mutants that a list names as equivalent, with the reasons.
func equivalents(list []byte) (map[Key]string, error) {
	named := map[Key]string{}
	err := records(list, 5, func(f []string) error {
		k := Key{f[0], f[1], f[2], f[3]}
		if named[k] != "" {
			return fmt.Errorf("%s, %s: %s is named twice", k.File, k.Func, k.Before)
		}
		if f[4] == "" {
			return fmt.Errorf("%s, %s: %s has no reason", k.File, k.Func, k.Before)
		}
		named[k] = f[4]
		return nil
	})
	return named, err
}

// records hands out the lines of a list, whose fields stand between tabs. Empty ones
// and those that begin with # are left out.
func records(list []byte, fields int, each func([]string) error) error {
	scanner := bufio.NewScanner(bytes.NewReader(list))
	for n := 1; scanner.Scan(); n++ {
		line := scanner.Text()
		if line == "" || strings.HasPrefix(line, "#") {
			continue
		}
		f := strings.Split(line, "\t")
		if len(f) != fields {
			return fmt.Errorf("line %d has %d fields, want %d with a tab between them", n, len(f), fields)
		}
		if err := each(f); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return scanner.Err()
}

// digest tells whether suites are as they were: their arguments, and the files of
// their packages that are Go or data of tests.
func digest(root string, run []suite) (string, error) {
	sum := sha256.New()
	for _, s := range run {
		fmt.Fprintf(sum, "%s %q\n", s.pkg, s.args)
		dir := filepath.Join(root, filepath.FromSlash(s.pkg))
		for _, pattern := range []string{"*.go", "testdata/*", "testdata/*/*"} {
			names, err := filepath.Glob(filepath.Join(dir, filepath.FromSlash(pattern)))
			if err != nil {
				return "", err
			}
			for _, name := range names {
				info, err := os.Stat(name)
				if err != nil || !info.Mode().IsRegular() {
					continue
				}
				data, err := os.ReadFile(name)
				if err != nil {
					return "", err
				}
				fmt.Fprintf(sum, "%s %d\n%s", filepath.Base(name), len(data), data)
			}
		}
	}
	return short(sum.Sum(nil)), nil
}
