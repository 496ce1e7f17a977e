package gomocup

import (
	"fmt"
	"io"
	"strings"
	"sync"
)

// output writes lines, each at once and whole, so that a client sees an answer
// as soon as it is there. It is safe for concurrent use.
type output struct {
	mu  sync.Mutex
	w   io.Writer
	err error // the first one; nothing is written after it
}

// printf writes one line.
func (o *output) printf(format string, args ...any) {
	o.mu.Lock()
	defer o.mu.Unlock()
	if o.err == nil {
		_, o.err = io.WriteString(o.w, fmt.Sprintf(format, args...)+"\n")
	}
}

// errorf writes an ERROR line.
func (o *output) errorf(format string, args ...any) {
	o.printf("ERROR %s", strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "))
}

// failure returns the error of the first line that could not be written.
func (o *output) failure() error {
	o.mu.Lock()
	defer o.mu.Unlock()
	return o.err
}
