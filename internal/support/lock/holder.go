package lock

import (
	"bytes"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"strings"
	"time"
	"unicode"
)

// Holder says which process has a lock.
type Holder struct {
	Format  string    `json:"format"`
	Version int       `json:"version"`
	PID     int       `json:"pid"`
	Host    string    `json:"host"`
	Command string    `json:"command"` // with its arguments
	Since   time.Time `json:"since"`
}

// format and version mark the file of a lock.
const (
	format  = "carozero-lock"
	version = 1
)

// Bounds on what is written and shown of a holder.
const (
	maxCommand = 200     // characters
	maxHost    = 80      // characters
	maxHolder  = 4 << 10 // bytes of the file
)

// self returns this process as a holder from now on.
func self() Holder {
	host, err := os.Hostname()
	if err != nil {
		host = "unknown host"
	}
	return Holder{
		Format: format, Version: version,
		PID: os.Getpid(), Host: shown(host, maxHost),
		Command: shown(strings.Join(os.Args, " "), maxCommand), Since: time.Now().UTC().Truncate(time.Second),
	}
}

// write replaces the content of a lock's file.
func (h Holder) write(file *os.File) error {
	text, err := json.Marshal(h)
	if err != nil {
		return err
	}
	if err := file.Truncate(0); err != nil {
		return err
	}
	_, err = file.WriteAt(append(text, '\n'), 0)
	return err
}

// readHolder reads the file of a lock. An empty one, and one of zeros as a power failure may
// leave it, is the zero Holder; any other content is an error.
func readHolder(r io.Reader) (h Holder, err error) {
	text, err := io.ReadAll(io.LimitReader(r, maxHolder))
	if err != nil {
		return h, err
	}
	if text = bytes.Trim(text, "\x00"); len(text) == 0 {
		return h, nil
	}
	if err := json.Unmarshal(text, &h); err != nil || h.Format != format {
		return Holder{}, errForeign
	}
	h.Host, h.Command = shown(h.Host, maxHost), shown(h.Command, maxCommand)
	return h, nil
}

// String says in words who has the lock; the zero Holder is "another process".
func (h Holder) String() string {
	if h.PID <= 0 {
		return "another process"
	}
	return fmt.Sprintf("process %d on %s (%s) since %s",
		h.PID, cmp.Or(h.Host, "unknown host"), cmp.Or(h.Command, "unknown command"), h.Since.UTC().Format("2006-01-02 15:04:05 MST"))
}

// shown returns a text as one line of at most limit characters, safe to print on a terminal.
func shown(text string, limit int) string {
	var b strings.Builder
	n := 0
	for _, r := range text {
		if n == limit {
			return b.String() + "..."
		}
		if !unicode.IsPrint(r) {
			r = ' '
		}
		b.WriteRune(r)
		n++
	}
	return b.String()
}
