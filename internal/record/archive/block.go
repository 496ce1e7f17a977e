package archive

import (
	"bufio"
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/klauspost/compress/zstd"

	"github.com/carozero/carozero/selfplay/samples"
)

// A block is of one of two kinds, which its first byte names.
const (
	shardBlock   = 'S' // shards, of one run or several
	networkBlock = 'N' // the file of a network of the run that was begun last
)

// Sections of a block of shards, in their order. Each is the number of its bytes, the
// number of the bytes that it takes, both as unsigned varints, and those, a frame of
// zstd; visits are coded by themselves and stand as they are.
const (
	indexSection  = iota // lines of JSON: runs and shards in their order
	headerSection        // for each shard the header without rows and games
	gameSection          // for each game how it ended
	moveSection          // moves
	rowSection           // columns, from here on: which moves have rows
	valueSection         // root_q
	staticSection        // net_q
	weightSection        // weight
	targetSection        // policy_target where the visits do not say it
	visitSection         // visit_actions, visit_counts
	sections
)

// sectionsOf returns how many sections a block of an archive has.
func sectionsOf(kind Kind) int {
	if kind == Columns {
		return sections
	}
	return rowSection
}

// runLine is a line of the index that begins a run.
type runLine struct {
	Name     string `json:"run"`
	Shards   int    `json:"shards"`
	Options  string `json:"options"`            // text of run.json
	Networks string `json:"networks,omitempty"` // text of networks.jsonl
	Copies   int    `json:"copies,omitempty"`   // networks beside the shards: blocks of their own, before the first shard
}

// shardLine is a line of the index of the next shard of a run.
type shardLine struct {
	Manifest string `json:"shard"` // its line in the manifest, without the line's end
}

// line is either.
type line struct {
	runLine
	shardLine
}

// blockWriter collects what a block of shards holds.
type blockWriter struct {
	kind   Kind
	index  bytes.Buffer
	parts  [sections][]byte // but for index, floats and visits
	floats [sections][]float32
	coder  *coder
	rows   int
}

func newBlockWriter(kind Kind) *blockWriter {
	b := &blockWriter{kind: kind}
	if kind == Columns {
		b.coder = newCoder()
	}
	return b
}

// line adds a line to the index.
func (b *blockWriter) line(v any) error {
	e := json.NewEncoder(&b.index)
	e.SetEscapeHTML(false)
	return e.Encode(v)
}

// size returns about how many bytes are there.
func (b *blockWriter) size() int {
	n := b.index.Len()
	for i := range sections {
		n += len(b.parts[i]) + 4*len(b.floats[i])
	}
	if b.coder != nil {
		n += len(b.coder.data)
	}
	return n
}

// bytes returns the block.
func (b *blockWriter) bytes() ([]byte, error) {
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1), zstd.WithEncoderLevel(zstd.SpeedBestCompression))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	out := []byte{shardBlock}
	b.parts[indexSection] = b.index.Bytes()
	for i := range sectionsOf(b.kind) {
		raw := b.parts[i]
		if i >= valueSection && i <= targetSection {
			raw = byPlanes(b.floats[i])
		}
		stored := raw
		switch {
		case i == visitSection:
			raw = b.coder.end()
			stored = raw
		case len(raw) > 0:
			stored = z.EncodeAll(raw, nil)
		}
		out = binary.AppendUvarint(out, uint64(len(raw)))
		out = binary.AppendUvarint(out, uint64(len(stored)))
		out = append(out, stored...)
	}
	return out, nil
}

// byPlanes returns numbers as bytes: the highest byte of all of them, then the next.
func byPlanes(list []float32) []byte {
	out := make([]byte, 4*len(list))
	for i, v := range list {
		u := math.Float32bits(v)
		for k := range 4 {
			out[k*len(list)+i] = byte(u >> (24 - 8*k))
		}
	}
	return out
}

// block is a block of shards that is read.
type block struct {
	kind     Kind
	index    []byte
	sections [sections]*section
	coder    *coder
	budget   int64 // bytes that what is built of it may still take
}

// section is what is left of a section.
type section struct {
	name string
	data []byte
	n    int // floats that it began with
	at   int // the next of them
}

var sectionNames = [sections]string{"index", "headers", "games", "moves", "rows", "root_q", "net_q", "weight", "policy_target", "visits"}

// What a block may unfold to: these many bytes, and for each of its own so many more.
const (
	unfoldFloor = 64 << 20
	unfoldRatio = 512
	unfoldMost  = 2 << 30
)

// openBlock reads the sections of a block of shards, or its index alone.
func openBlock(data []byte, kind Kind, indexOnly bool) (*block, error) {
	b := &block{kind: kind, budget: min(unfoldMost, unfoldFloor+unfoldRatio*int64(len(data)))}
	if len(data) == 0 || data[0] != shardBlock {
		return nil, invalid("a block of an unknown kind")
	}
	data = data[1:]
	for i := range sectionsOf(kind) {
		var sizes [2]uint64
		for k := range sizes {
			n, used := binary.Uvarint(data)
			if used <= 0 || n > unfoldMost {
				return nil, invalid("section %s: its size is cut off or too large", sectionNames[i])
			}
			sizes[k], data = n, data[used:]
		}
		if sizes[1] > uint64(len(data)) {
			return nil, invalid("section %s: it is cut off", sectionNames[i])
		}
		stored := data[:sizes[1]]
		data = data[sizes[1]:]
		if indexOnly && i > indexSection {
			continue
		}
		raw, err := b.unfold(stored, int(sizes[0]), i)
		if err != nil {
			return nil, invalid("section %s: %w", sectionNames[i], err)
		}
		b.sections[i] = &section{name: sectionNames[i], data: raw, n: len(raw) / 4}
	}
	if len(data) > 0 {
		return nil, invalid("a block has more than its sections")
	}
	b.index = b.sections[indexSection].data
	if kind == Columns && !indexOnly {
		b.coder = newDecoder(b.sections[visitSection].data)
	}
	return b, nil
}

// unfold returns the bytes of a section, of which there must be so many.
func (b *block) unfold(stored []byte, size, section int) ([]byte, error) {
	if b.budget -= int64(size); b.budget < 0 {
		return nil, errUnfold
	}
	if section == visitSection {
		if size != len(stored) {
			return nil, errors.New("its two sizes differ")
		}
		return stored, nil
	}
	if size == 0 {
		if len(stored) > 0 {
			return nil, errors.New("nothing is not stored as something")
		}
		return nil, nil
	}
	z, err := zstd.NewReader(bytes.NewReader(stored), zstd.WithDecoderConcurrency(1), zstd.WithDecoderLowmem(true),
		zstd.WithDecoderMaxMemory(unfoldMost), zstd.WithDecoderMaxWindow(mostWindow))
	if err != nil {
		return nil, err
	}
	defer z.Close()
	var out bytes.Buffer
	n, err := io.Copy(&out, io.LimitReader(z, int64(size)+1))
	if err == nil && n != int64(size) {
		err = fmt.Errorf("it unfolds to another size than %d bytes", size)
	}
	return out.Bytes(), err
}

// mostWindow is the largest window of zstd that the writer uses.
const mostWindow = 32 << 20

var errUnfold = errors.New("it unfolds to more than any archive of its size")

// take spends bytes of what the block may unfold to.
func (b *block) take(n int64) error {
	if b.budget -= n; b.budget < 0 {
		return invalid("%w", errUnfold)
	}
	return nil
}

// lines calls run or shard for each line of the index.
func (b *block) lines(run func(runLine) error, shard func(samples.Entry, string) error) error {
	s := bufio.NewScanner(bytes.NewReader(b.index))
	s.Buffer(nil, mostLine)
	for s.Scan() {
		var l line
		if err := json.Unmarshal(s.Bytes(), &l); err != nil {
			return invalid("index: %w", err)
		}
		var err error
		switch {
		case (l.Name == "") == (l.Manifest == ""):
			err = invalid("index: a line of neither a run nor a shard")
		case l.Name != "":
			err = run(l.runLine)
		default:
			var e samples.Entry
			if e, err = samples.ParseEntry([]byte(l.Manifest)); err != nil {
				err = invalid("index: %w", err)
			} else {
				err = shard(e, l.Manifest)
			}
		}
		if err != nil {
			return err
		}
	}
	if err := s.Err(); err != nil {
		return invalid("index: %w", err)
	}
	return nil
}

// mostLine bounds a line of the index, in bytes.
const mostLine = 64 << 20

// done returns an error unless all of the block was used.
func (b *block) done() error {
	for i := headerSection; i < sectionsOf(b.kind); i++ {
		s := b.sections[i]
		switch {
		case i == visitSection:
			if err := b.coder.whole(); err != nil {
				return invalid("%w", err)
			}
		case i >= valueSection:
			if s.at != s.n || len(s.data) != 4*s.n {
				return invalid("section %s: %d of %d numbers are used", s.name, s.at, s.n)
			}
		case len(s.data) > 0:
			return invalid("section %s: %d bytes are left over", s.name, len(s.data))
		}
	}
	return nil
}

// number reads an unsigned varint of at most most.
func (s *section) number(most uint64) (uint64, error) {
	n, used := binary.Uvarint(s.data)
	if used <= 0 || n > most {
		return 0, invalid("section %s: a number is cut off or more than %d", s.name, most)
	}
	s.data = s.data[used:]
	return n, nil
}

// text reads a text behind its length. It is valid as long as the block.
func (s *section) text() ([]byte, error) {
	n, err := s.number(math.MaxInt32)
	if err != nil {
		return nil, err
	}
	if n > uint64(len(s.data)) {
		return nil, invalid("section %s: a text is cut off", s.name)
	}
	t := s.data[:n]
	s.data = s.data[n:]
	return t, nil
}

// byte reads a byte.
func (s *section) byte() (byte, error) {
	if len(s.data) == 0 {
		return 0, invalid("section %s: it ends too early", s.name)
	}
	b := s.data[0]
	s.data = s.data[1:]
	return b, nil
}

// float reads the next of the numbers that byPlanes has written.
func (s *section) float() (float32, error) {
	if s.at == s.n {
		return 0, invalid("section %s: it ends too early", s.name)
	}
	var u uint32
	for k := range 4 {
		u = u<<8 | uint32(s.data[k*s.n+s.at])
	}
	s.at++
	return math.Float32frombits(u), nil
}

func appendText(b []byte, text string) []byte {
	return append(binary.AppendUvarint(b, uint64(len(text))), text...)
}
