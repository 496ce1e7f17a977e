package cluster

import (
	"encoding/json"
	"fmt"
	"path/filepath"
	"regexp"
	"slices"
	"sync/atomic"

	"github.com/nats-io/nats.go"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

// maxNetwork is the largest network that is read, in bytes.
const maxNetwork = 512 << 20

// library serves the workers' reads of a run: its configuration and its networks, by their
// SHA-256, in pieces. It is kept in this process and in the run's directory, so that no
// server can lose it. All its methods except current belong to the goroutine that answers.
type library struct {
	current atomic.Pointer[string] // digest of the current configuration, "" after the run
	fixed   map[string][]byte      // configuration and first network
	dir     string                 // of the run, which has copies of the networks it follows
	follows bool
	recent  []string // digests of the networks read last
	loaded  map[string][]byte
}

// mostLoaded is how many followed networks are kept in memory.
const mostLoaded = 2

func newLibrary(dir string, follows bool, objects ...[]byte) *library {
	l := &library{fixed: map[string][]byte{}, dir: dir, follows: follows, loaded: map[string][]byte{}}
	for _, data := range objects {
		if data != nil {
			l.fixed[digest(data)] = data
		}
	}
	l.set("")
	return l
}

// set sets the current configuration. It is safe for concurrent use.
func (l *library) set(config string) { l.current.Store(&config) }

var digestPattern = regexp.MustCompile(`^[0-9a-f]{64}$`)

// object returns the object with a digest.
func (l *library) object(sum string) ([]byte, error) {
	if data, there := l.fixed[sum]; there {
		return data, nil
	}
	if data, there := l.loaded[sum]; there {
		return data, nil
	}
	if !l.follows || !digestPattern.MatchString(sum) {
		return nil, fmt.Errorf("nothing here has the sha256 %.12q", sum)
	}
	name := samples.NetworkName(sum)
	data, err := disk.ReadFile(filepath.Join(l.dir, name), maxNetwork)
	if err != nil {
		return nil, fmt.Errorf("the network %.12s…: %w", sum, err)
	}
	if digest(data) != sum {
		return nil, fmt.Errorf("%s has the sha256 %.12s…: it was changed", name, digest(data))
	}
	if len(l.recent) == mostLoaded {
		delete(l.loaded, l.recent[0])
		l.recent = slices.Delete(l.recent, 0, 1)
	}
	l.recent, l.loaded[sum] = append(l.recent, sum), data
	return data, nil
}

// answer returns the answer to a read.
func (l *library) answer(text []byte) answer {
	var r read
	if json.Unmarshal(text, &r) != nil {
		return answer{Refused: "the read cannot be read"}
	}
	if r.Object == "" {
		return answer{Current: *l.current.Load()}
	}
	data, err := l.object(r.Object)
	if err != nil {
		return answer{Failed: err.Error()}
	}
	size := int64(len(data))
	if r.From < 0 || r.From > size {
		return answer{Refused: fmt.Sprintf("byte %d of %d", r.From, size)}
	}
	return answer{Data: data[r.From:min(r.From+maxRead, size)], Size: size}
}

// answerRead answers one read.
func (c *Coordinator) answerRead(msg *nats.Msg) {
	a := c.library.answer(msg.Data)
	// A peer that asks without listening would fill the server's memory.
	if len(a.Data) > 0 && !c.readBytes.take(c.o.Now(), float64(len(a.Data))) {
		a = answer{Failed: "too much is read at once"}
	}
	c.reply(msg, a)
}

// Limits on the bytes read, over all workers.
const (
	readBytesRate  = 32 << 20 // a second
	readBytesBurst = 16 << 20
)
