package samples

import (
	"encoding/binary"
	"fmt"
	"hash/crc32"
	"math"
	"reflect"
	"slices"

	"github.com/carozero/carozero/game"
)

// None stands in Played and Reply for no move.
const None = 0xFFFF

// Values of the column proven, for the side to move.
const (
	ProvenWin     int8 = 1
	ProvenDraw    int8 = 0
	ProvenLoss    int8 = -1
	ProvenUnknown int8 = 2
)

// ProvenCodes are the same by result.
var ProvenCodes = map[game.Result]int8{
	game.Won: ProvenWin, game.Drawn: ProvenDraw, game.Lost: ProvenLoss, game.Unproven: ProvenUnknown,
}

// Layout gives the widths of the columns that depend on game and model.
type Layout struct {
	Planes     int `json:"planes"`      // input planes
	PlaneBytes int `json:"plane_bytes"` // bytes of one plane, ceil(H*W/8)
	Globals    int `json:"globals"`     // scalar inputs
	LegalBytes int `json:"legal_bytes"` // bytes of the legal actions, ceil(A/8)
}

// NewLayout returns the layout for planes of cells cells each, the given
// number of scalar inputs, and actions actions.
func NewLayout(planes, cells, globals, actions int) Layout {
	return Layout{planes, packedLen(cells), globals, packedLen(actions)}
}

// Columns holds rows by column, as a shard stores them. Slices of per-row
// columns have Rows entries times the column's width in Layout; the sparse
// columns VisitActions, VisitCounts and PolicyTarget hold row i between
// VisitOffsets[i] and VisitOffsets[i+1]. The contract describes every column.
type Columns struct {
	Layout Layout
	Rows   int

	Planes       []uint8
	Globals      []float32
	Legal        []uint8
	VisitOffsets []uint32  `column:"offsets"` // Rows+1 entries
	VisitActions []uint16  `column:"sparse"`
	VisitCounts  []uint32  `column:"sparse"`
	PolicyTarget []float32 `column:"sparse"`
	Outcome      []int8
	RootQ        []float32
	NetQ         []float32
	Played       []uint16
	Reply        []uint16
	Game         []uint32
	Ply          []uint16
	PliesLeft    []uint16
	FullSearch   []uint8
	Proven       []int8
	Weight       []float32
	RowCRC       []uint32 // set by Seal
}

// NewColumns returns Columns without rows.
func NewColumns(l Layout) *Columns {
	return &Columns{Layout: l, VisitOffsets: []uint32{0}}
}

// Row is one position: a view of Columns, or what is to be appended to them.
type Row struct {
	Planes  []uint8   // [planes, bytes], packed
	Globals []float32 // [globals]
	Legal   []uint8   // packed

	Actions []uint16  // root actions, ascending
	Counts  []uint32  // their visits
	Target  []float32 // the policy target over them

	Outcome     int8    // +1, 0, -1 for the side to move
	RootQ, NetQ float32 // -1..1, side to move
	Played      uint16  // action
	Reply       uint16  // the opponent's answer, or None
	Game        uint32  // index into the header's games
	Ply         uint16  // moves played before the position
	PliesLeft   uint16  // moves played from the position on
	FullSearch  uint8   // 0 for a cheap search
	Proven      int8    // Proven...
	Weight      float32 // sampling weight
}

// Append adds a row, whose slices must fit the layout; their content is copied.
func (c *Columns) Append(r *Row) {
	c.Rows++
	c.Planes = append(c.Planes, r.Planes...)
	c.Globals = append(c.Globals, r.Globals...)
	c.Legal = append(c.Legal, r.Legal...)
	c.VisitActions = append(c.VisitActions, r.Actions...)
	c.VisitCounts = append(c.VisitCounts, r.Counts...)
	c.PolicyTarget = append(c.PolicyTarget, r.Target...)
	c.VisitOffsets = append(c.VisitOffsets, uint32(len(c.VisitActions)))
	c.Outcome = append(c.Outcome, r.Outcome)
	c.RootQ = append(c.RootQ, r.RootQ)
	c.NetQ = append(c.NetQ, r.NetQ)
	c.Played = append(c.Played, r.Played)
	c.Reply = append(c.Reply, r.Reply)
	c.Game = append(c.Game, r.Game)
	c.Ply = append(c.Ply, r.Ply)
	c.PliesLeft = append(c.PliesLeft, r.PliesLeft)
	c.FullSearch = append(c.FullSearch, r.FullSearch)
	c.Proven = append(c.Proven, r.Proven)
	c.Weight = append(c.Weight, r.Weight)
}

// Row returns row i as a view. The visits are empty where the offsets are no
// valid range, which Check reports.
func (c *Columns) Row(i int) Row {
	l := c.Layout
	lo, hi := c.visits(i)
	return Row{
		Planes:     c.Planes[i*l.Planes*l.PlaneBytes:][:l.Planes*l.PlaneBytes],
		Globals:    c.Globals[i*l.Globals:][:l.Globals],
		Legal:      c.Legal[i*l.LegalBytes:][:l.LegalBytes],
		Actions:    c.VisitActions[lo:hi],
		Counts:     c.VisitCounts[lo:hi],
		Target:     c.PolicyTarget[lo:hi],
		Outcome:    c.Outcome[i],
		RootQ:      c.RootQ[i],
		NetQ:       c.NetQ[i],
		Played:     c.Played[i],
		Reply:      c.Reply[i],
		Game:       c.Game[i],
		Ply:        c.Ply[i],
		PliesLeft:  c.PliesLeft[i],
		FullSearch: c.FullSearch[i],
		Proven:     c.Proven[i],
		Weight:     c.Weight[i],
	}
}

// visits returns the range of row i in the sparse columns, empty if the
// offsets name none.
func (c *Columns) visits(i int) (lo, hi int) {
	lo, hi = int(c.VisitOffsets[i]), int(c.VisitOffsets[i+1])
	if lo > hi || hi > len(c.VisitActions) {
		return 0, 0
	}
	return lo, hi
}

// concat returns the rows of all parts in order, row game indices being those
// of the parts. The parts must share a layout.
func concat(l Layout, parts []*Columns) *Columns {
	out := NewColumns(l)
	for g, p := range parts {
		at := uint32(len(out.VisitActions))
		for _, o := range p.VisitOffsets[1:] {
			out.VisitOffsets = append(out.VisitOffsets, at+o)
		}
		from, to := p.table(), out.table()
		for i := range from {
			if from[i].kind != offsets {
				to[i].data.Set(reflect.AppendSlice(to[i].data, from[i].data))
			}
		}
		for i := out.Rows; i < out.Rows+p.Rows; i++ {
			out.Game[i] = uint32(g)
		}
		out.Rows += p.Rows
	}
	return out
}

// Seal computes RowCRC: for each row the CRC-32 (IEEE 802.3, as zlib's crc32) of the row's
// little-endian bytes in every other column, in the order of the file. visit_offsets
// contributes the two offsets that bound the row, and the sparse columns the entries between
// these. So changes of values that the rules cannot recompute are seen. It comes last, after
// every other column is final.
func (c *Columns) Seal() { c.RowCRC = c.crcs() }

// packedLen returns the bytes that n bits take.
func packedLen(n int) int { return (n + 7) / 8 }

// PackPlanes appends planes [planes, cells] of zeros and ones to dst, each
// plane packed into ceil(cells/8) bytes, the first cell in the highest bit.
// Any value but 0 counts as one.
func PackPlanes(dst []byte, planes []float32, cells int) []byte {
	for ; len(planes) >= cells && cells > 0; planes = planes[cells:] {
		at := len(dst)
		for range packedLen(cells) {
			dst = append(dst, 0)
		}
		for i, v := range planes[:cells] {
			if v != 0 {
				setBit(dst[at:], i)
			}
		}
	}
	return dst
}

// setBit sets bit i of a packed row, the first bit being the highest.
func setBit(b []byte, i int) { b[i>>3] |= 0x80 >> (i & 7) }

// Bit reports whether bit i of a packed row is set.
func Bit(b []byte, i int) bool { return b[i>>3]&(0x80>>(i&7)) != 0 }

// PackActions sets the bits of the given actions in dst and clears the others.
func PackActions(dst []byte, actions []int) {
	clear(dst)
	for _, a := range actions {
		setBit(dst, a)
	}
}

// column is a column as the file of a shard has it: a field of [Columns].
type column struct {
	name  string
	dtype string        // numpy's
	kind  string        // how entries belong to rows
	inner []int         // shape after the rows, perRow only
	data  reflect.Value // the field
}

// Kinds of columns, by the tags of their fields.
const (
	perRow  = ""        // as many entries a row as the inner shape has
	offsets = "offsets" // one entry a row and one more
	sparse  = "sparse"  // entries between a row's offsets
)

// crcColumn names the column that covers all others.
const crcColumn = "row_crc"

var dtypes = map[reflect.Kind]string{
	reflect.Uint8: "u1", reflect.Int8: "i1", reflect.Uint16: "<u2", reflect.Uint32: "<u4", reflect.Float32: "<f4",
}

// table lists the columns in the order of the file, which is that of the fields.
func (c *Columns) table() (list []column) {
	l, v := c.Layout, reflect.ValueOf(c).Elem()
	inner := map[string][]int{"planes": {l.Planes, l.PlaneBytes}, "globals": {l.Globals}, "legal": {l.LegalBytes}}
	for i := range v.NumField() {
		if f := v.Type().Field(i); f.Type.Kind() == reflect.Slice {
			name := snake(f.Name)
			list = append(list, column{name, dtypes[f.Type.Elem().Kind()], f.Tag.Get("column"), inner[name], v.Field(i)})
		}
	}
	return list
}

// present returns the columns that there are: old shards have no checksums.
func (c *Columns) present() []column {
	return slices.DeleteFunc(c.table(), func(col column) bool { return col.name == crcColumn && c.RowCRC == nil })
}

// shape returns the column's shape for the given numbers of rows and visits.
func (c *column) shape(rows, visits int) []int {
	switch c.kind {
	case offsets:
		return []int{rows + 1}
	case sparse:
		return []int{visits}
	}
	return append([]int{rows}, c.inner...)
}

// size returns the bytes of an entry.
func (c *column) size() int { return int(c.data.Type().Elem().Size()) }

// bytes returns the entries in little-endian order.
func (c *column) bytes() []byte {
	b, err := binary.Append([]byte{}, binary.LittleEndian, c.data.Interface())
	if err != nil {
		panic(err) // numbers have a fixed size
	}
	return b
}

// set takes over the entries that bytes has returned.
func (c *column) set(b []byte) {
	n := len(b) / c.size()
	c.data.Grow(n)
	c.data.SetLen(n)
	if _, err := binary.Decode(b, binary.LittleEndian, c.data.Interface()); err != nil {
		panic(err)
	}
}

// crcs returns each row's checksum; see Seal.
func (c *Columns) crcs() []uint32 {
	sums := make([]uint32, c.Rows)
	for _, col := range c.table() {
		if col.name == crcColumn {
			continue
		}
		b, width := col.bytes(), 1
		for _, n := range col.inner {
			width *= n
		}
		for i := range sums {
			lo, hi := i*width, (i+1)*width
			switch col.kind {
			case offsets:
				hi = i + 2
			case sparse:
				lo, hi = c.visits(i)
			}
			sums[i] = crc32.Update(sums[i], crc32.IEEETable, b[lo*col.size():hi*col.size()])
		}
	}
	return sums
}

// Problem is one thing that is wrong with a file.
type Problem struct {
	File   string `json:"file"`
	Row    int    `json:"row"`    // -1: not about one row
	Column string `json:"column"` // "" : not about one column
	What   string `json:"what"`
}

// String returns the problem in one line.
func (p Problem) String() string {
	s := p.What
	if p.Column != "" {
		s = p.Column + ": " + s
	}
	if p.Row >= 0 {
		s = fmt.Sprintf("row %d: %s", p.Row, s)
	}
	if p.File != "" {
		s = p.File + ": " + s
	}
	return s
}

// problems collects what is wrong with one file.
type problems []Problem

func (p *problems) add(row int, column, format string, args ...any) {
	*p = append(*p, Problem{Row: row, Column: column, What: fmt.Sprintf(format, args...)})
}

// want adds a problem unless something holds.
func (p *problems) want(holds bool, row int, column, format string, args ...any) {
	if !holds {
		p.add(row, column, format, args...)
	}
}

// Check returns what is wrong with the columns by themselves, for a header
// that lists games games: offsets, order, ranges, sums, and row checksums where
// the shard has them.
func (c *Columns) Check(games int) []Problem {
	var p problems
	c.check(games, &p)
	return p
}

func (c *Columns) check(games int, p *problems) {
	offsets, visits := c.VisitOffsets, len(c.VisitActions)
	p.want(offsets[0] == 0, 0, "visit_offsets", "starts at %d, want 0", offsets[0])
	for i := range c.Rows {
		lo, hi := offsets[i], offsets[i+1]
		p.want(lo < hi && int(hi) <= visits, i, "visit_offsets", "visits %d..%d of %d: want at least one", lo, hi, visits)
	}
	p.want(int(offsets[c.Rows]) == visits, c.Rows-1, "visit_offsets", "ends at %d, want %d", offsets[c.Rows], visits)
	for i := range c.Rows {
		r := c.Row(i)
		r.check(i, games, p)
		if i == 0 {
			continue
		}
		game, ply := c.Game[i-1], c.Ply[i-1]
		p.want(game < r.Game || game == r.Game && ply < r.Ply, i, "ply",
			"game %d ply %d after game %d ply %d: rows are ordered by game and ply", r.Game, r.Ply, game, ply)
	}
	if c.RowCRC == nil {
		return
	}
	for i, sum := range c.crcs() {
		p.want(c.RowCRC[i] == sum, i, crcColumn, "checksum %08x, the row's values have %08x: a value was changed",
			c.RowCRC[i], sum)
	}
}

// check appends what is wrong with row i by itself.
func (r *Row) check(i, games int, p *problems) {
	finite := func(x float32) bool { return x == x && !math.IsInf(float64(x), 0) }
	p.want(r.Outcome >= -1 && r.Outcome <= 1, i, "outcome", "%d, want -1, 0 or 1", r.Outcome)
	p.want(r.RootQ >= -1 && r.RootQ <= 1, i, "root_q", "%v, want -1..1", r.RootQ)
	p.want(r.NetQ >= -1 && r.NetQ <= 1, i, "net_q", "%v, want -1..1", r.NetQ)
	p.want(int64(r.Game) < int64(games), i, "game", "%d of %d games", r.Game, games)
	p.want(r.PliesLeft > 0, i, "plies_left", "0, want at least the move played")
	p.want(r.FullSearch <= 1, i, "full_search", "%d, want 0 or 1", r.FullSearch)
	p.want(r.Proven >= ProvenLoss && r.Proven <= ProvenUnknown, i, "proven", "%d, want -1, 0, 1 or 2", r.Proven)
	p.want(r.Weight > 0 && finite(r.Weight), i, "weight", "%v, want a finite number above 0", r.Weight)
	for _, g := range r.Globals {
		p.want(finite(g), i, "globals", "%v, want a finite number", g)
	}
	var sum float64
	for j, a := range r.Actions {
		if j > 0 && a <= r.Actions[j-1] {
			p.add(i, "visit_actions", "%d after %d: want ascending", a, r.Actions[j-1])
		}
		if int(a)>>3 >= len(r.Legal) || !Bit(r.Legal, int(a)) {
			p.add(i, "visit_actions", "%d is not legal", a)
		}
		if t := r.Target[j]; !(t >= 0 && t <= 1) {
			p.add(i, "policy_target", "%v, want 0..1", t)
		}
		sum += float64(r.Target[j])
	}
	p.want(len(r.Actions) == 0 || math.Abs(sum-1) <= 1e-4, i, "policy_target", "sums to %v, want 1", sum)
}
