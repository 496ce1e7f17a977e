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
	"strings"
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

// decodeRecord reads a payload. Its checksum was correct, so an error means that
// another program wrote the file.
func decodeRecord(payload []byte, l Layout) (*Record, error) {
	d := decodeBytes(payload)
	r := &Record{Rows: &Columns{Layout: l, Rows: -1}}
	if err := r.Game.decode(d); err != nil {
		return nil, err
	}
	if err := r.Rows.decode(d); err != nil {
		return nil, err
	}
	if r.Rows.Layout != l {
		return nil, fmt.Errorf("columns: layout %v, want %v", r.Rows.Layout, l)
	}
	if p := r.Rows.Check(1); len(p) > 0 {
		return nil, errors.New(p[0].String())
	}
	return r, decodeEnd(d)
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
	r := bufio.NewReaderSize(f, 64<<10)
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

// recover prepares the run whose directory has the given names: it removes unfinished
// files, cuts off incomplete ends, and counts shards and games.
func (w *Writer) recover(names []string) error {
	for _, name := range names {
		if strings.HasPrefix(name, tempPrefix) {
			if err := w.files.Remove(w.path(name)); err != nil {
				return err
			}
		}
	}
	if err := w.recoverManifest(); err != nil {
		return err
	}
	for _, name := range names {
		if k, ok := journalNumber(name); ok {
			if err := w.recoverJournal(k, name); err != nil {
				return err
			}
		}
	}
	return nil
}

// recoverManifest counts the finished shards.
func (w *Writer) recoverManifest() error {
	name := w.path(ManifestName)
	entries, size, err := readManifest(w.files, w.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return appendTo(w.files, name, nil, true)
	}
	if err != nil {
		return err
	}
	if err := w.cut(name, size); err != nil {
		return err
	}
	for k, e := range entries {
		from, to := w.run.gamesOf(k)
		if k >= w.run.Shards() || e.File != ShardName(k) || e.Games != to-from {
			return fmt.Errorf("%s line %d: %s of %d games is not this run's shard %d", name, k+1, e.File, e.Games, k)
		}
		if err := w.whole(&e); err != nil {
			return fmt.Errorf("%s is damaged and the run cannot be resumed without a whole copy of it: %w", w.path(e.File), err)
		}
		for id := from; id < to; id++ {
			w.done[id] = true
		}
		w.complete += to - from
		w.next++
	}
	return nil
}

// whole reads the file of a finished shard and returns an error unless it has the size and
// digest in the manifest.
func (w *Writer) whole(e *Entry) error {
	there, err := w.files.Size(w.path(e.File))
	if err != nil {
		return err
	}
	if there != e.Bytes {
		return fmt.Errorf("%d bytes, the manifest says %d", there, e.Bytes)
	}
	f, err := w.files.Open(w.path(e.File))
	if err != nil {
		return err
	}
	defer f.Close()
	sum := newHashingReader(f)
	if _, err := io.Copy(io.Discard, sum); err != nil {
		return err
	}
	if found := sum.digest(); found != e.SHA256 {
		return fmt.Errorf("sha256 %s, the manifest says %s", found, e.SHA256)
	}
	return nil
}

// recoverJournal counts the games of shard k's journal. It removes the journal of a
// finished shard.
func (w *Writer) recoverJournal(k int, name string) error {
	name = w.path(name)
	if k < w.next {
		return w.files.Remove(name)
	}
	size, err := readJournal(w.files, name, func(payload []byte) error {
		var g Game
		if err := g.decode(decodeBytes(payload)); err != nil {
			return err
		}
		if g.ID >= uint64(w.run.Games) || w.run.shardOf(int(g.ID)) != k || w.done[g.ID] {
			return fmt.Errorf("game %d does not belong here", g.ID)
		}
		w.enter(int(g.ID))
		return nil
	})
	if err != nil {
		return err
	}
	return w.cut(name, size)
}

// cut shortens a file to size bytes if it is longer.
func (w *Writer) cut(name string, size int64) error {
	there, err := w.files.Size(name)
	if err != nil || there == size {
		return err
	}
	return w.files.Truncate(name, size)
}
