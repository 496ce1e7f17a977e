package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/lock"
)

// Verdict is the result for a mutant.
type Verdict string

// The verdicts.
const (
	Killed       Verdict = "killed"       // a test failed
	Survived     Verdict = "survived"     // all tests passed
	Equivalent   Verdict = "equivalent"   // named as such
	Uncompilable Verdict = "uncompilable" // does not count
)

// entry is a line of the journal.
type entry struct {
	Key
	Line    int     `json:"line"`
	Source  string  `json:"source"` // digest of the package's files that are no tests
	Tests   string  `json:"tests"`  // digest of what was run
	Verdict Verdict `json:"verdict"`
	By      string  `json:"by,omitempty"` // what killed it: a test, or what ran out
}

// place is a mutant of one state of a package.
type place struct {
	Key
	line   int
	source string
}

// Journal holds the verdicts of earlier runs on one package's mutants: JSON, one a line. One
// process has it at a time.
type Journal struct {
	file  *os.File
	lock  *lock.Lock
	known map[place]entry
}

// Bounds on a journal.
const (
	maxJournal = 64 << 20
)

// OpenJournal opens a journal, or makes one. A last line that a killed process did not
// finish is cut off.
func OpenJournal(path string) (_ *Journal, err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	l, err := lock.File(path)
	if err != nil {
		return nil, err
	}
	j := &Journal{lock: l, known: map[place]entry{}}
	defer func() {
		if err != nil {
			_ = j.Close()
		}
	}()
	if j.file, err = os.OpenFile(path, os.O_RDWR|os.O_CREATE, 0o644); err != nil {
		return nil, err
	}
	data, err := limitio.ReadAll(j.file, maxJournal)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	whole := data[:bytes.LastIndexByte(data, '\n')+1]
	for i, line := range bytes.Split(bytes.TrimSuffix(whole, []byte("\n")), []byte("\n")) {
		if len(whole) == 0 {
			break
		}
		var e entry
		if err := json.Unmarshal(line, &e); err != nil {
			return nil, fmt.Errorf("%s, line %d: %w; want a journal of this program, or no file", path, i+1, err)
		}
		j.known[e.place()] = e
	}
	if err := j.file.Truncate(int64(len(whole))); err != nil {
		return nil, err
	}
	_, err = j.file.Seek(0, io.SeekEnd)
	return j, err
}

func (e *entry) place() place { return place{e.Key, e.Line, e.Source} }

// Find returns what is known of a mutant. That it survived counts only for the tests
// that were run then; that it was killed, for all that come later.
func (j *Journal) Find(m *Mutant, source, tests string) (entry, bool) {
	e, ok := j.known[place{m.Key, m.Line, source}]
	return e, ok && (e.Verdict != Survived || e.Tests == tests)
}

// Add writes the verdict on a mutant to the disk.
func (j *Journal) Add(e entry) error {
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	if _, err := j.file.Write(append(line, '\n')); err != nil {
		return err
	}
	j.known[e.place()] = e
	return j.file.Sync()
}

// Close closes the journal and releases its lock.
func (j *Journal) Close() error {
	var err error
	if j.file != nil {
		err = j.file.Close()
	}
	_ = j.lock.Close()
	return err
}
