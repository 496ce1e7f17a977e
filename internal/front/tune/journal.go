package tune

import (
	"errors"
	"fmt"

	"github.com/carozero/carozero/internal/support/journal"
)

const (
	journalFormat  = "carozero-tune"
	journalVersion = 1

	// maxLine bounds a line of the journal, in bytes.
	maxLine = 1 << 20
)

// header is the first line of a journal: what must be equal for results to belong to
// the same tuning.
type header struct {
	Format  string `json:"format"`
	Version int    `json:"version"`
	Setup   []Item `json:"setup"`
}

// Item is something that a tuning depends on, in words.
type Item struct {
	What  string `json:"what"`
	Value string `json:"value"`
}

// row is a line of the journal after the first: an opening of the match, the digest
// after the last of these, a trial, or a part of the match. The rows stand in the order
// of the work, which reads those that are there before it adds any, so that a tuning
// goes through the same steps whether it is new or resumed.
type row struct {
	Opening *Opening `json:"opening,omitempty"`
	Digest  string   `json:"openings_sha256,omitempty"`
	Round   *Round   `json:"round,omitempty"`
	Pairs   *[5]int  `json:"pairs,omitempty"` // of Round, by A's points: 0, 1/2, 1, 3/2, 2
}

// openJournal opens or makes the journal at path, "" for none. One that holds
// something must be resumed, and belong to the same setup.
func openJournal(path string, resume bool, setup []Item) (*journal.Journal, error) {
	j, err := journal.Kind{
		Name: "the journal of a tuning", Rows: "trials", Format: journalFormat, Version: journalVersion, MaxLine: maxLine,
		Header: header{journalFormat, journalVersion, setup},
	}.Open(path, resume)
	if err != nil {
		return nil, err
	}
	var found header
	there, err := j.Next(&found)
	if d := differs(found.Setup, setup); there && d != "" {
		err = j.Refuse(fmt.Errorf("the journal of another tuning: %s; name another file", d))
	}
	if err != nil {
		return nil, errors.Join(err, j.Close())
	}
	return j, nil
}

// differs returns the first difference between two setups, "" for equal ones.
func differs(found, setup []Item) string {
	for i, want := range setup {
		if i >= len(found) || found[i].What != want.What {
			return fmt.Sprintf("it has no %s %q", want.What, want.Value)
		}
		if was := found[i].Value; was != want.Value {
			return fmt.Sprintf("its %s is %q, here %q", want.What, was, want.Value)
		}
	}
	if len(found) > len(setup) {
		return fmt.Sprintf("its %s is %q", found[len(setup)].What, found[len(setup)].Value)
	}
	return ""
}

// next returns the next row of the journal, nil after the last.
func (t *Tuning) next() (*row, error) {
	var r row
	if there, err := t.log.Next(&r); err != nil || !there {
		return nil, err
	}
	return &r, nil
}
