package samples

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"path/filepath"
	"regexp"
	"strconv"

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

func journalName(k int) string { return fmt.Sprintf("journal-%06d.bin", k) }

var journalPattern = regexp.MustCompile(`^journal-([0-9]{6,9})\.bin$`)

func journalNumber(name string) (int, bool) {
	m := journalPattern.FindStringSubmatch(name)
	if m == nil {
		return 0, false
	}
	k, err := strconv.Atoi(m[1])
	return k, err == nil && journalName(k) == name
}

func castagnoli(b []byte) uint32 { return crc32.Checksum(b, crc32.MakeTable(crc32.Castagnoli)) }

// encode returns the record as a journal has it.
func (r *Record) encode() ([]byte, error) {
	var b bytes.Buffer
	b.Write(make([]byte, recordHead))
	e := &mapEncoder{Encoder: msgpack.NewEncoder(&b)}
	r.Game.encode(e)
	r.Rows.encode(e)
	if e.err != nil {
		return nil, e.err
	}
	out := b.Bytes()
	if len(out)-recordHead > maxRecord {
		return nil, fmt.Errorf("game %d takes %d bytes, more than a journal's record may", r.Game.ID, len(out))
	}
	binary.LittleEndian.PutUint32(out, uint32(len(out)-recordHead))
	binary.LittleEndian.PutUint32(out[4:], castagnoli(out[recordHead:]))
	return out, nil
}

// decodeRecord reads a payload. Its checksum was correct, so an error means that
// another program wrote the file.
func decodeRecord(payload []byte, l Layout) (*Record, error) {
	d := payloadDecoder(payload)
	g, err := d.game()
	if err != nil {
		return nil, err
	}
	rows, err := d.gameColumns(l)
	if err != nil {
		return nil, err
	}
	if p := rows.Check(1); len(p) > 0 {
		return nil, errors.New(p[0].String())
	}
	return &Record{g, rows}, d.end()
}

// readJournal calls each for the payloads of a journal and returns the length of the
// complete records. A missing journal has none. A payload is valid until each returns.
func readJournal(files FS, name string, each func(payload []byte) error) (size int64, err error) {
	f, err := files.Open(name)
	if errors.Is(err, fs.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, err
	}
	defer f.Close()
	r := bufio.NewReaderSize(f, chunk)
	for {
		payload, err := nextRecord(r)
		if err != nil || payload == nil {
			return size, err
		}
		if err := each(payload); err != nil {
			return size, fmt.Errorf("%s, record at byte %d: %w", filepath.Base(name), size, err)
		}
		size += int64(recordHead + len(payload))
	}
}

// nextRecord returns the next payload, nil if there is no complete one.
func nextRecord(r io.Reader) ([]byte, error) {
	var head [recordHead]byte
	if _, err := io.ReadFull(r, head[:]); err != nil {
		return nil, exceptEOF(err)
	}
	n := binary.LittleEndian.Uint32(head[:])
	if n == 0 || n > maxRecord {
		return nil, nil
	}
	var b bytes.Buffer
	if _, err := io.CopyN(&b, r, int64(n)); err != nil {
		return nil, exceptEOF(err)
	}
	if castagnoli(b.Bytes()) != binary.LittleEndian.Uint32(head[4:]) {
		return nil, nil
	}
	return b.Bytes(), nil
}

// exceptEOF returns err, or nil if it is the end of a file.
func exceptEOF(err error) error {
	if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
		return nil
	}
	return err
}
