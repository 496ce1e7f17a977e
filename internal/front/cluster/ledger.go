package cluster

import (
	"bufio"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"path/filepath"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

// ledgerName is the file that records, line by line, which worker played what, so that the
// games of a worker that is caught later can be found.
const ledgerName = "ledger.jsonl"

// entry is a line of the ledger.
type entry struct {
	Time   time.Time `json:"time"`
	Event  string    `json:"event"` // "taken" into the run, "dropped" to be played again, "quarantined"
	Worker string    `json:"worker"`
	Games  []int     `json:"games,omitempty"`
	Why    string    `json:"why,omitempty"`
}

// ledger appends to the file.
type ledger struct {
	files samples.FS
	path  string
	now   func() time.Time
}

// write appends a line. A quarantine is on disk when it returns nil; the other lines are
// for information only and are not synced.
func (l *ledger) write(e entry) error {
	e.Time = l.now().UTC()
	line, err := json.Marshal(e)
	if err != nil {
		return err
	}
	f, err := l.files.Append(l.path)
	if err != nil {
		return err
	}
	_, err = f.Write(append(line, '\n'))
	if e.Event == "quarantined" {
		err = errors.Join(err, f.Sync())
	}
	return errors.Join(err, f.Close())
}

// quarantined returns the last quarantine of each worker, at most mostBad of them. Deleting
// a worker's line lets it come back. A line cut short by a crash is ignored; one that lacks
// only its end, as some editors leave it, counts.
func (l *ledger) quarantined() (bad []entry, err error) {
	f, err := l.files.Open(l.path)
	if errors.Is(err, fs.ErrNotExist) {
		return bad, nil
	}
	if err != nil {
		return nil, err
	}
	defer f.Close()
	lines := bufio.NewReader(f)
	for {
		line, err := lines.ReadBytes('\n')
		if err != nil && !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", l.path, err)
		}
		var e entry
		if json.Unmarshal(line, &e) == nil && e.Event == "quarantined" {
			if bad = append(bad, e); len(bad) > 2*mostBad {
				bad = append([]entry(nil), bad[len(bad)-mostBad:]...)
			}
		}
		if err != nil {
			return bad[max(0, len(bad)-mostBad):], l.mend(line)
		}
	}
}

// mend ends a line that was cut short by a crash, so that the next line does not join it.
func (l *ledger) mend(torn []byte) error {
	if len(torn) == 0 {
		return nil
	}
	f, err := l.files.Append(l.path)
	if err != nil {
		return err
	}
	_, err = f.Write([]byte{'\n'})
	return errors.Join(err, f.Close())
}

// clusterFolder is the folder of a run's directory that holds the coordinator's files.
const clusterFolder = "cluster"

func clusterDir(run string) string { return filepath.Join(run, clusterFolder) }
