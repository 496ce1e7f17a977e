package client

import (
	"fmt"
	"strings"
	"sync"
)

// mostTail is how much of a program's error output is kept, in bytes.
const mostTail = 300

// tail keeps the end of what is written to it. It is safe for concurrent use.
type tail struct {
	mu   sync.Mutex
	text []byte
}

// Write implements io.Writer.
func (t *tail) Write(p []byte) (int, error) {
	t.mu.Lock()
	defer t.mu.Unlock()
	t.text = append(t.text, p...)
	if extra := len(t.text) - mostTail; extra > 0 {
		t.text = append(t.text[:0], t.text[extra:]...)
	}
	return len(p), nil
}

// last returns the last line that was written, for the end of a message.
func (t *tail) last() string {
	t.mu.Lock()
	defer t.mu.Unlock()
	lines := strings.Split(strings.TrimSpace(string(t.text)), "\n")
	if text := strings.TrimSpace(lines[len(lines)-1]); text != "" {
		return fmt.Sprintf("; its last words were %q", text)
	}
	return ""
}
