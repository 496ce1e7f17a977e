package cluster

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"sync"
)

// LogFile is a log of limited size: once it is full it becomes FILE.1, what was FILE.1
// becomes FILE.2 and so on, and a new file is begun. It is safe for concurrent use.
type LogFile struct {
	mu   sync.Mutex
	path string
	most int64 // bytes of one file
	keep int   // number of old files
	file *os.File
	size int64
}

// OpenLog opens a log, or continues an existing one.
func OpenLog(path string, most int64, keep int) (*LogFile, error) {
	l := &LogFile{path: path, most: most, keep: keep}
	return l, l.open()
}

func (l *LogFile) open() (err error) {
	if l.file, err = os.OpenFile(l.path, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o666); err != nil {
		return err
	}
	info, err := l.file.Stat()
	if err != nil {
		return errors.Join(err, l.file.Close())
	}
	l.size = info.Size()
	return nil
}

// Write implements io.Writer for whole lines. Where no new file can be begun it writes to the
// old one, and tries again with the next line.
func (l *LogFile) Write(line []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	var failed error
	if l.size > 0 && l.size+int64(len(line)) > l.most {
		failed = l.rotate()
	}
	n, err := l.file.Write(line)
	l.size += int64(n)
	return n, errors.Join(failed, err)
}

// rotate begins a new file.
func (l *LogFile) rotate() error {
	closed := l.file.Close() // Windows renames no open file
	return errors.Join(closed, l.shift(), l.open())
}

// shift renames the files, each to the next number, unless that of the log was renamed before.
func (l *LogFile) shift() error {
	if _, err := os.Stat(l.path); errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	for i := l.keep; i > 0; i-- {
		from := l.path
		if i > 1 {
			from = fmt.Sprintf("%s.%d", l.path, i-1)
		}
		if err := os.Rename(from, fmt.Sprintf("%s.%d", l.path, i)); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// Close closes the file.
func (l *LogFile) Close() error {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.file.Close()
}
