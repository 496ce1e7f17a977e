package samples

import (
	"bytes"
	"errors"
	"io"
	"io/fs"
	"maps"
	"path/filepath"
	"slices"
	"strings"
)

var errFault = errors.New("no space left on device")

// memFS is a file system in memory that can fail at any change and forget what
// was not synced.
type memFS struct {
	names   map[string]*inode // as programs see them
	durable map[string]*inode // as a power failure leaves them
	steps   int               // changes so far
	failAt  int               // the change that fails, and all after it; 0: none
	locked  bool
	open    int // files that are read and not closed
}

type inode struct {
	data   []byte
	synced []byte
}

// crash says what a failure leaves of what was not synced.
type crash int

const (
	keepAll    crash = iota // the program ended, or the disk was full
	loseAll                 // neither data nor names
	loseHalf                // names stay, half of the data
	zeroData                // names stay, the data's place is filled with zeros
	crashKinds = 4
)

func newMemFS() *memFS { return &memFS{names: map[string]*inode{}, durable: map[string]*inode{}} }

// restart is what the next program finds.
func (m *memFS) restart(kind crash) {
	m.failAt, m.locked = 0, false
	if kind == loseAll {
		m.names = maps.Clone(m.durable)
	}
	for _, f := range m.names {
		n := len(f.synced)
		switch {
		case kind == loseAll:
			f.data = bytes.Clone(f.synced)
		case len(f.data) <= n:
		case kind == loseHalf:
			f.data = f.data[:n+(len(f.data)-n)/2]
		case kind == zeroData:
			clear(f.data[n:])
		}
		f.synced = bytes.Clone(f.data)
	}
	m.durable = maps.Clone(m.names)
}

func (m *memFS) step() error {
	m.steps++
	if m.failAt > 0 && m.steps >= m.failAt {
		return errFault
	}
	return nil
}

func (m *memFS) MkdirAll(string) error { return m.step() }

func (m *memFS) List(dir string) ([]string, error) {
	var names []string
	for name := range m.names {
		if filepath.Dir(name) == dir {
			names = append(names, filepath.Base(name))
		}
	}
	slices.Sort(names)
	return names, nil
}

func (m *memFS) find(name string) (*inode, error) {
	f := m.names[name]
	if f == nil {
		return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrNotExist}
	}
	return f, nil
}

func (m *memFS) Open(name string) (io.ReadCloser, error) {
	f, err := m.find(name)
	if err != nil {
		return nil, err
	}
	m.open++
	return &memReader{bytes.NewReader(f.data), m}, nil
}

// memReader reads a file until it is closed, once.
type memReader struct {
	io.Reader
	fs *memFS
}

func (r *memReader) Close() error {
	if r.fs == nil {
		return fs.ErrClosed
	}
	r.fs.open--
	r.fs = nil
	return nil
}

func (m *memFS) Size(name string) (int64, error) {
	f, err := m.find(name)
	if err != nil {
		return 0, err
	}
	return int64(len(f.data)), nil
}

func (m *memFS) Create(name string) (File, error) {
	if err := m.step(); err != nil {
		return nil, err
	}
	f := &inode{}
	m.names[name] = f
	return &memFile{m, f}, nil
}

func (m *memFS) Append(name string) (File, error) {
	if m.names[name] == nil {
		return m.Create(name)
	}
	return &memFile{m, m.names[name]}, nil
}

func (m *memFS) Truncate(name string, size int64) error {
	f, err := m.find(name)
	if err == nil {
		err = m.step()
	}
	if err == nil {
		f.data = f.data[:size]
		f.synced = bytes.Clone(f.data)
	}
	return err
}

func (m *memFS) Rename(from, to string) error {
	f, err := m.find(from)
	if err == nil {
		err = m.step()
	}
	if err == nil {
		m.names[to] = f
		delete(m.names, from)
	}
	return err
}

func (m *memFS) Remove(name string) error {
	_, err := m.find(name)
	if err == nil {
		err = m.step()
	}
	if err == nil {
		delete(m.names, name)
	}
	return err
}

func (m *memFS) SyncDir(dir string) error {
	if err := m.step(); err != nil {
		return err
	}
	maps.DeleteFunc(m.durable, func(name string, _ *inode) bool { return filepath.Dir(name) == dir })
	for name, f := range m.names {
		if filepath.Dir(name) == dir {
			m.durable[name] = f
		}
	}
	return nil
}

// Lock implements FS. A restart loses it, as the death of a process does.
func (m *memFS) Lock(dir string) (io.Closer, error) {
	if m.locked {
		return nil, errLocked
	}
	m.locked = true
	return unlocker{m}, nil
}

func (m *memFS) Holder(string) string {
	if m.locked {
		return "somebody"
	}
	return ""
}

var errLocked = errors.New("locked")

type unlocker struct{ fs *memFS }

func (u unlocker) Close() error {
	u.fs.locked = false
	return nil
}

// contents returns all files but the temporary ones.
func (m *memFS) contents() map[string]string {
	all := map[string]string{}
	for name, f := range m.names {
		if !strings.HasPrefix(filepath.Base(name), tempPrefix) {
			all[name] = string(f.data)
		}
	}
	return all
}

type memFile struct {
	fs   *memFS
	node *inode
}

func (f *memFile) Write(b []byte) (int, error) {
	if err := f.fs.step(); err != nil {
		f.node.data = append(f.node.data, b[:len(b)/2]...)
		return len(b) / 2, err
	}
	f.node.data = append(f.node.data, b...)
	return len(b), nil
}

func (f *memFile) Sync() error {
	if err := f.fs.step(); err != nil {
		return err
	}
	f.node.synced = bytes.Clone(f.node.data)
	return nil
}

func (f *memFile) Close() error { return nil }
