package loop

import (
	"bytes"
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strings"

	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/lock"
	"github.com/carozero/carozero/internal/support/outfile"
)

// ErrForeign is wrapped by the error for a directory that holds something else than a
// loop.
var ErrForeign = errors.New("stays as it is")

// Load returns the state of a loop's directory.
func Load(dir string) (*State, error) {
	text, err := limitio.ReadFile(filepath.Join(dir, stateName), mostState)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, fmt.Errorf("%s: there is no loop: it has no %s", dir, stateName)
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	s, err := parseState(text)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", dir, err)
	}
	return s, nil
}

// ReadConfig returns the text of the file of a configuration.
func ReadConfig(name string) ([]byte, error) {
	text, err := limitio.ReadFile(name, mostConfig)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return text, nil
}

// Kept returns the text of the configuration that the loop in a directory was begun with.
func Kept(dir string) (name string, text []byte, err error) {
	name = filepath.Join(dir, configName)
	text, err = ReadConfig(name)
	return name, text, err
}

// begun reports whether a directory holds a loop. It returns false if the directory does
// not exist, is empty, or holds what a loop killed at its start left, and an error if it
// holds anything else.
func begun(dir string) (bool, error) {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, err
	}
	for _, e := range entries {
		if e.Name() == stateName {
			_, err := Load(dir)
			return err == nil, err
		}
	}
	for _, e := range entries {
		if name := e.Name(); !ofNewLoop(name) {
			return false, fmt.Errorf("%s holds %s and no loop, and %w: name an empty directory", dir, name, ErrForeign)
		}
	}
	return false, nil
}

// ofNewLoop reports whether a loop that has no state yet may have left a file of that
// name.
func ofNewLoop(name string) bool {
	return name == "run.lock" || ofStart.MatchString(name) || strings.HasPrefix(name, stateName+".") && strings.HasSuffix(name, ".tmp")
}

// anyKind matches the name of a kind of networks.
var anyKind = strings.Join(kinds, "|")

// ofStart matches the file of the network that a loop begins with, or a temporary one.
var ofStart = regexp.MustCompile(`^start\.(` + anyKind + `)(\..*\.tmp)?$`)

// open locks a directory and reads the state of its loop, or makes it if there is none.
// The caller closes the lock.
func (l *loop) open(ctx context.Context) (held *lock.Lock, err error) {
	if _, err = begun(l.dir); err != nil {
		return nil, err
	}
	if err = l.halt("make the directory"); err != nil {
		return nil, err
	}
	if err = os.MkdirAll(l.dir, 0o777); err != nil {
		return nil, err
	}
	if held, err = lock.Dir(l.dir); err != nil {
		return nil, err
	}
	if err = l.enter(ctx); err != nil {
		return nil, errors.Join(err, held.Close())
	}
	return held, nil
}

// enter reads or makes the state. The directory is locked.
func (l *loop) enter(ctx context.Context) error {
	there, err := begun(l.dir)
	if err == nil && !there {
		err = l.begin(ctx)
	}
	if err == nil {
		err = l.sweep()
	}
	if err != nil {
		return err
	}
	if l.state, err = Load(l.dir); err != nil {
		return err
	}
	if err = l.file.At(l.config.Same(&l.state.Config)); err != nil {
		return err
	}
	l.state.Config = *l.config // rounds and limits may be others
	return l.keepConfig()
}

// ownTemporary matches temporary files that a killed loop left; see package outfile.
var ownTemporary = regexp.MustCompile(`^(state\.json|loop\.toml|(start|best)\.(` + anyKind + `)(\.sha256)?|net\.(` + anyKind + `)\.sha256|(verdict|tactics|blunders)\.json|(match|rows)-[0-9]+\.jsonl)\.[0-9]+\.tmp$`)

// sweep removes temporary files that a killed loop left.
func (l *loop) sweep() error {
	for _, folder := range []string{"", "start", "round-*", filepath.Join("round-*", "gate")} {
		paths, err := filepath.Glob(filepath.Join(globQuoted(l.dir), folder, "*.tmp"))
		if err != nil {
			return err
		}
		for _, path := range paths {
			if !ownTemporary.MatchString(filepath.Base(path)) {
				continue
			}
			if err := os.Remove(path); err != nil {
				return err
			}
		}
	}
	return nil
}

// globQuoted returns a pattern that matches only the path.
func globQuoted(path string) string {
	if runtime.GOOS == "windows" {
		return path // where a backslash quotes nothing
	}
	return regexp.MustCompile(`[*?\[\\]`).ReplaceAllString(path, `\$0`)
}

// begin makes the state of a new loop.
func (l *loop) begin(ctx context.Context) error {
	start := Network{Path: Uniform}
	if l.config.Start != Uniform {
		data, kind, err := l.host.Networks.Fetch(ctx, l.config.Start, l.config.boards())
		if err != nil {
			return l.file.At(&KeyError{"start", err})
		}
		name := startStem + "." + kind
		if err := l.halt("write " + name); err != nil {
			return err
		}
		if err := outfile.WriteBytes(filepath.Join(l.dir, name), data); err != nil {
			return err
		}
		start = Network{Path: name, SHA256: fmt.Sprintf("%x", sha256.Sum256(data))}
	}
	if err := l.halt("write the first " + stateName); err != nil {
		return err
	}
	s := &State{Format: stateFormat, Version: stateVersion, Config: *l.config, Start: start, Rounds: []Round{}}
	return s.save(l.dir)
}

// keepConfig writes the configuration's text, unless the file exists.
func (l *loop) keepConfig() error {
	path := filepath.Join(l.dir, configName)
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	if err := l.halt("write " + configName); err != nil {
		return err
	}
	return outfile.WriteBytes(path, l.file.Text)
}

// writeNew writes a file atomically unless it already has that content.
func writeNew(path string, data []byte) error {
	if old, err := os.ReadFile(path); err == nil && bytes.Equal(old, data) {
		return nil
	}
	return outfile.WriteBytes(path, data)
}
