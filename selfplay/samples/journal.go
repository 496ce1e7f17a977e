package samples

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"os"

	"github.com/vmihailenco/msgpack/v5"
)

// Record is one finished game: its entry in the header and its rows, whose
// game index is 0.
type Record struct {
	Game Game
	Rows *Columns
}

// A journal holds, one after the other, records in this form:
//
//	length   uint32, little-endian: bytes of the payload, 1..maxRecord
//	checksum uint32, little-endian: CRC-32C of the payload
//	payload  msgpack: the game's map, its columns
//
// What follows the last complete record with a correct checksum was being written when
// the program ended, and is cut off.

const (
	recordHead = 8
	maxRecord  = 256 << 20
)

func castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encode returns the record as a journal has it.
func (r *Record) encode() ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, recordHead))
	e := newEncoder(&b)
	if err := errors.Join(e.Encode(&r.Game), r.Rows.encode(e)); err != nil {
		return nil, err
	}
	out := b.Bytes()
	if len(out)-recordHead > maxRecord {
		return nil, fmt.Errorf("game %d takes %d bytes, more than a journal's record may", r.Game.ID, len(out))
	}
	binary.LittleEndian.PutUint32(out, uint32(len(out)-recordHead))
	binary.LittleEndian.PutUint32(out[4:], castagnoli(out[recordHead:]))
	return out, nil
}

// nextRecord returns the payload of the first record of data and what follows the record,
// nil if data does not begin with a complete one.
func nextRecord(data []byte) (payload, rest []byte) {
	if len(data) < recordHead {
		return nil, nil
	}
	n := uint64(binary.LittleEndian.Uint32(data))
	if n == 0 || n > maxRecord || n > uint64(len(data)-recordHead) {
		return nil, nil
	}
	payload, rest = data[recordHead:recordHead+n], data[recordHead+n:]
	if castagnoli(payload) != binary.LittleEndian.Uint32(data[4:]) {
		return nil, nil
	}
	return payload, rest
}

// decodeRecord reads a payload. Its checksum was correct, so an error means that
// another program wrote the file.
func decodeRecord(payload []byte, l Layout) (*Record, error) {
	d := msgpack.NewDecoder(bytes.NewReader(payload))
	r := &Record{Rows: &Columns{}}
	err := d.Decode(&r.Game)
	if err == nil {
		err = r.Rows.decode(d)
	}
	if err == nil {
		err = decodeEnd(d)
	}
	if err != nil {
		return nil, err
	}
	if r.Rows.Layout != l {
		return nil, fmt.Errorf("columns: layout %v, want %v", r.Rows.Layout, l)
	}
	if p := r.Rows.Check(1); len(p) > 0 {
		return nil, errors.New(p[0].String())
	}
	return r, nil
}

// readJournal returns the records of a journal and the length of the complete ones.
func readJournal(path string, l Layout) (list []*Record, size int64, err error) {
	data, err := os.ReadFile(path)
	payload, rest := nextRecord(data)
	for payload != nil && err == nil {
		var r *Record
		if r, err = decodeRecord(payload, l); err != nil {
			return list, size, fmt.Errorf("%s, record at byte %d: %w", path, size, err)
		}
		list = append(list, r)
		size += int64(recordHead + len(payload))
		payload, rest = nextRecord(rest)
	}
	return list, size, err
}

// EncodeRecord seals the record's rows and returns it as a journal has it, for another
// process that writes it.
func EncodeRecord(r *Record) ([]byte, error) {
	r.Rows.Seal()
	return r.encode()
}

// DecodeRecord reads what EncodeRecord has returned.
func DecodeRecord(data []byte, l Layout) (*Record, error) {
	payload, rest := nextRecord(data)
	if payload == nil || len(rest) > 0 {
		return nil, errors.New("the record is torn, or its checksum is not its own")
	}
	return decodeRecord(payload, l)
}

// CheckRecord replays a game of a run through the rules, as Verify does, and returns the
// problems. by is the network that played it, if the run's network may change.
func CheckRecord(run *Run, by PlayedBy, codec Codec, r *Record) []Problem {
	s := shardOf(run, by, []*Record{r})
	var p problems
	s.Columns.check(1, &p)
	s.replay(codec, &p)
	return p
}

// shardOf returns the shard of games in order, with its checksums. by is the network that
// played them, if the run's network may change.
func shardOf(run *Run, by PlayedBy, records []*Record) *Shard {
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
	s.Columns.Seal()
	s.Header.Rows = s.Columns.Rows
	return s
}
