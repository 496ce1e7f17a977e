package samples

import (
	"encoding/binary"
	"errors"
	"fmt"
)

// A parcel holds finished games for another process, which writes them: records in the
// form of a journal. Its contents are untrusted until CheckRecords has checked them.

// AppendRecord seals the record's rows and appends it to a parcel.
func AppendRecord(parcel []byte, r *Record) ([]byte, error) {
	r.Rows.Seal()
	data, err := r.encode()
	return append(parcel, data...), err
}

// ReadParcel returns the records of a parcel, at most most of them. Unlike in a journal,
// an incomplete record is an error.
func ReadParcel(parcel []byte, l Layout, most int) (list []*Record, err error) {
	for len(parcel) > 0 {
		if len(list) == most {
			return nil, fmt.Errorf("more than %d games", most)
		}
		if len(parcel) < recordHead {
			return nil, errors.New("the last record is torn")
		}
		n := uint64(binary.LittleEndian.Uint32(parcel))
		if n == 0 || n > uint64(len(parcel)-recordHead) {
			return nil, fmt.Errorf("a record of %d bytes where %d are left", n, len(parcel)-recordHead)
		}
		payload := parcel[recordHead:][:n]
		if castagnoli(payload) != binary.LittleEndian.Uint32(parcel[4:]) {
			return nil, errors.New("a record's checksum is not its own")
		}
		r, err := decodeRecord(payload, l)
		if err != nil {
			return nil, err
		}
		list = append(list, r)
		parcel = parcel[recordHead+n:]
	}
	return list, nil
}

// CheckRecords replays games of a run through the rules, as Verify does, and returns the
// problems. by is the network that played them, if the run's network may change. The
// games must be in order.
func CheckRecords(run *Run, by PlayedBy, codec Codec, records []*Record) []Problem {
	s := &Shard{Header: run.Header}
	if run.Follows {
		s.Header.Model, s.Header.ModelSHA256 = by.Model, by.SHA256
	}
	parts := make([]*Columns, len(records))
	s.Header.Games = make([]Game, len(records))
	for i, r := range records {
		s.Header.Games[i], parts[i] = r.Game, r.Rows
	}
	s.Columns = concat(run.Layout, parts)
	s.Columns.RowCRC = nil // the writer computes it again
	s.Header.Rows = s.Columns.Rows
	var p problems
	s.Columns.check(len(records), &p)
	s.replay(codec, &p)
	return p.list
}

// Text returns the contents of run.json: the same bytes for runs with the same shards.
func (r *Run) Text() ([]byte, error) { return r.text() }

// Same returns nil if the text of a run.json is that of this run, and an error that
// wraps ErrOptions and names the first difference if not.
func (r *Run) Same(text []byte) error { return r.same(text) }

// AppendSpool appends a parcel to a spool file outside of the run, where games wait until
// they are checked. isNew says that the file does not exist yet. When it returns nil the
// games are on disk.
func AppendSpool(files FS, name string, parcel []byte, isNew bool) error {
	return appendTo(files, name, parcel, isNew)
}

// ReadSpool returns the games of a spool file. An incomplete last record is cut off; a
// missing file has no games.
func ReadSpool(files FS, name string, l Layout) (list []*Record, err error) {
	_, err = readJournal(files, name, func(payload []byte) error {
		r, err := decodeRecord(payload, l)
		list = append(list, r)
		return err
	})
	return list, err
}
