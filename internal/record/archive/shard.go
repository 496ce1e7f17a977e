package archive

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/selfplay/samples"
)

// player plays the games of a shard through the rules, for the side that packs and
// for the one that unpacks. It keeps what it has made for the last shard while shards
// follow that have the same options.
type player struct {
	open    samples.CodecFunc
	options string // of the header that kit is for
	kit     samples.Codec
	header  samples.Header
	layout  samples.Layout
	visits  *visits

	cells   bool // actions are cells
	planes  []float32
	moves   []game.Move
	actions []int // of the legal moves
	row     samples.Row
}

// use prepares for the shards of a header, which Header.Options wrote.
func (p *player) use(options []byte, c *coder) error {
	if p.options != string(options) {
		h, err := samples.ParseOptions(options)
		if err != nil {
			return err
		}
		if p.kit, err = p.open(&h); err != nil {
			return err
		}
		p.header, p.options, p.visits = h, string(options), nil
		s := p.kit.Encoder.Shape()
		p.layout = samples.NewLayout(s.Planes, s.Height*s.Width, s.Globals, s.Actions)
		if p.kit.Encoder.Version() != h.Planes.Version || len(h.Planes.Names) != s.Planes || len(h.Globals) != s.Globals {
			p.options = ""
			return fmt.Errorf("its planes are %.40q, this program's %q", h.Planes.Version, p.kit.Encoder.Version())
		}
		p.cells = s.Actions == s.Height*s.Width
		p.planes = make([]float32, s.PlaneSize())
		p.row = samples.Row{Globals: make([]float32, s.Globals), Legal: make([]byte, p.layout.LegalBytes)}
	}
	if c != nil && (p.visits == nil || p.visits.coder != c) {
		p.visits = newVisits(c, p.kit.Encoder.Shape())
	}
	return nil
}

// legal finds the legal moves of a position and their actions.
func (p *player) legal(pos game.Position) {
	p.moves, p.actions = pos.Moves(p.moves[:0]), p.actions[:0]
	for _, m := range p.moves {
		p.actions = append(p.actions, p.kit.Encoder.Action(pos, m, 0))
	}
}

// Parts of a row's byte, and of a shard's.
const (
	fullRow     = 1 << iota // full_search is 1
	visitsRow               // the target is the shares of the visits
	provenShift = iota      // the bits above are proven + 1

	hasSums = 1 // the shard has row_crc
)

// scoreTarget reports whether targets are of scores.
func (p *player) scoreTarget() bool {
	v, _ := p.header.Search.Get(samples.TargetKey)
	return v == samples.TargetScores
}

// putShard takes a shard apart.
func (p *player) putShard(b *blockWriter, s *samples.Shard) error {
	options, err := s.Header.Options()
	if err != nil {
		return err
	}
	if err := p.use(options, b.coder); err != nil {
		return err
	}
	b.parts[headerSection] = appendText(b.parts[headerSection], string(options))
	c, row := s.Columns, 0
	if b.kind == Columns {
		if c.Layout != p.layout {
			return fmt.Errorf("layout %+v, want %+v", c.Layout, p.layout)
		}
		flags := byte(0)
		if c.RowCRC != nil {
			flags = hasSums
		}
		b.parts[rowSection] = append(b.parts[rowSection], flags)
	}
	for i := range s.Header.Games {
		actions, err := p.putGame(b, &s.Header.Games[i])
		if err != nil {
			return err
		}
		if b.kind != Columns {
			continue
		}
		from := row
		for row < c.Rows && c.Game[row] == uint32(i) {
			row++
		}
		if err := p.putRows(b, c, from, row, actions); err != nil {
			return fmt.Errorf("game %d: %w", s.Header.Games[i].ID, err)
		}
	}
	b.rows += c.Rows
	return nil
}

// sums follows what the visits of a game's rows add up to: the playouts of a search,
// on top of what its root had from the search before.
type sums struct {
	inherited, added int64
}

// next returns what the sum of the next row is expected to be.
func (s *sums) next() int64 { return s.inherited + s.added }

// saw takes in a row's sum, and the visits of the move played.
func (s *sums) saw(total, played int64) { s.added, s.inherited = total-s.inherited, played }

// scene returns the position of a row that comes after so many moves of a game.
func (p *player) scene(r *samples.Row, actions []int, ply, rows int) scene {
	s := scene{planes: r.Planes, legal: r.Legal, played: actions[ply], reply: -1, last: -1, ply: ply, rows: rows, scores: p.scoreTarget()}
	if ply > 0 {
		s.last = actions[ply-1]
	}
	if ply+1 < len(actions) {
		s.reply = actions[ply+1]
	}
	return s
}

// putRows takes the rows of a game apart.
func (p *player) putRows(b *blockWriter, c *samples.Columns, from, to int, actions []int) error {
	out := binary.AppendUvarint(b.parts[rowSection], uint64(to-from))
	p.visits.game()
	ply, expect := 0, sums{}
	for i := from; i < to; i++ {
		r := c.Row(i)
		at := int(r.Ply)
		if at < ply || at >= len(actions) {
			return fmt.Errorf("its row %d is of ply %d, it has %d", i-from, at, len(actions))
		}
		out = binary.AppendUvarint(out, uint64(at-ply))
		ply = at + 1
		flags := byte(r.Proven+1) << provenShift
		if r.FullSearch != 0 {
			flags |= fullRow
		}
		if ofVisits(&r, &p.row) {
			flags |= visitsRow
		} else {
			b.floats[targetSection] = append(b.floats[targetSection], r.Target...)
		}
		total, mine := int64(0), int64(0)
		for k, n := range r.Counts {
			total += int64(n)
			if int(r.Actions[k]) == actions[at] {
				mine = int64(n)
			}
		}
		out = binary.AppendVarint(append(out, flags), total-expect.next())
		expect.saw(total, mine)
		b.floats[valueSection] = append(b.floats[valueSection], r.RootQ)
		b.floats[staticSection] = append(b.floats[staticSection], r.NetQ)
		b.floats[weightSection] = append(b.floats[weightSection], r.Weight)
		s := p.scene(&r, actions, at, i-from)
		s.total = uint64(total)
		p.visits.put(&s, &r)
	}
	b.parts[rowSection] = out
	return nil
}

// ofVisits reports whether a row's target is the shares of its visits, with scratch's
// Target as scratch memory.
func ofVisits(r, scratch *samples.Row) bool {
	scratch.Target = slices.Grow(scratch.Target[:0], len(r.Counts))[:len(r.Counts)]
	samples.VisitTarget(scratch.Target, r.Counts)
	for k, v := range scratch.Target {
		if math.Float32bits(v) != math.Float32bits(r.Target[k]) {
			return false
		}
	}
	return true
}

// getHeader reads the header of the next shard.
func (p *player) getHeader(b *block) error {
	options, err := b.sections[headerSection].text()
	if err != nil {
		return err
	}
	return p.use(options, b.coder)
}

// gameCost is more than a game's entry takes beside its moves, in bytes.
const gameCost = 256

// getGames reads the games of the next shard, whose first one has the id first, and
// has each used, with its moves.
func (p *player) getGames(b *block, first, games int, use func(g *samples.Game, l *played) error) error {
	for id := first; id < first+games; id++ {
		g, start, err := p.getGame(b, id)
		if err != nil {
			return err
		}
		if err := b.take(gameCost + 32*int64(g.Plies)); err != nil {
			return err
		}
		l, err := p.getMoves(b, &g, start)
		if err != nil {
			return err
		}
		if err := use(&g, &l); err != nil {
			return err
		}
	}
	return nil
}

// getShard puts a shard together whose first game has the id first. Its header is read.
func (p *player) getShard(b *block, first, games int) (*samples.Shard, error) {
	s := &samples.Shard{Header: p.header, Columns: samples.NewColumns(p.layout)}
	flags, err := b.sections[rowSection].byte()
	if err != nil {
		return nil, err
	}
	err = p.getGames(b, first, games, func(g *samples.Game, l *played) error {
		at, err := p.getRows(b, s.Columns, len(s.Header.Games), g, l)
		if err != nil {
			return err
		}
		g.From = p.kit.Format(l.start, l.moves[:at])
		s.Header.Games = append(s.Header.Games, *g)
		return nil
	})
	if err != nil {
		return nil, err
	}
	s.Header.Rows = s.Columns.Rows
	if flags&hasSums != 0 {
		s.Columns.Seal()
	}
	if wrong := s.Columns.Check(games); len(wrong) > 0 {
		return nil, invalid("%v", wrong[0])
	}
	return s, nil
}

// rowCost returns the bytes that a row takes beside its visits.
func (p *player) rowCost() int64 {
	return int64(p.layout.Planes*p.layout.PlaneBytes + 4*p.layout.Globals + p.layout.LegalBytes + 64)
}

// getRows puts the rows of a game together and returns after how many moves the first
// one is: after all of them if there is none.
func (p *player) getRows(b *block, c *samples.Columns, index int, g *samples.Game, l *played) (first int, err error) {
	in := b.sections[rowSection]
	rows, err := in.number(uint64(len(l.moves)))
	if err != nil {
		return 0, err
	}
	outcome, known := outcomeOf(g.Result)
	if !known && rows > 0 {
		return 0, invalid("game %d: result %.20q", g.ID, g.Result)
	}
	if err := b.take(int64(rows) * p.rowCost()); err != nil {
		return 0, err
	}
	p.visits.game()
	pos, ply, next, expect := l.start.Clone(), 0, 0, sums{}
	first = len(l.moves)
	for i := range int(rows) {
		skip, err := in.number(uint64(len(l.moves)))
		if err != nil {
			return 0, err
		}
		at := next + int(skip)
		if at >= len(l.moves) {
			return 0, invalid("game %d: a row of ply %d, it has %d", g.ID, at, len(l.moves))
		}
		first = min(first, at)
		for ; ply < at; ply++ {
			pos.Play(l.moves[ply])
		}
		next = at + 1
		p.position(pos, l, at)
		r := &p.row
		r.Game, r.Ply, r.PliesLeft = uint32(index), uint16(at), uint16(len(l.moves)-at)
		r.Outcome = int8(outcome.Value(pos.ToMove()))
		s := p.scene(r, l.actions, at, i)
		if err := p.getSearch(b, r, &s, &expect); err != nil {
			return 0, err
		}
		c.Append(r)
	}
	return first, nil
}

// position fills what a row says of its position and the moves on it.
func (p *player) position(pos game.Position, l *played, at int) {
	r := &p.row
	p.kit.Encoder.Encode(pos, 0, p.planes, r.Globals)
	s := p.kit.Encoder.Shape()
	r.Planes = samples.PackPlanes(r.Planes[:0], p.planes, s.Height*s.Width)
	p.legal(pos)
	samples.PackActions(r.Legal, p.actions)
	r.Played, r.Reply = uint16(l.actions[at]), samples.None
	if at+1 < len(l.actions) {
		r.Reply = uint16(l.actions[at+1])
	}
}

// getSearch reads what only the search knew.
func (p *player) getSearch(b *block, r *samples.Row, s *scene, expect *sums) (err error) {
	in := b.sections[rowSection]
	flags, err := in.byte()
	if err != nil {
		return err
	}
	r.FullSearch = flags & fullRow
	r.Proven = int8(flags>>provenShift) - 1
	more, used := binary.Varint(in.data)
	if used <= 0 {
		return invalid("section %s: a sum is cut off", in.name)
	}
	in.data = in.data[used:]
	total := expect.next() + more
	if total < 0 || total > 1<<40 {
		return invalid("section %s: a sum of %d visits", in.name, total)
	}
	s.total = uint64(total)
	if err := p.visits.get(s, r); err != nil {
		return invalid("%w", err)
	}
	if err := b.take(10 * int64(len(r.Actions))); err != nil {
		return err
	}
	mine := int64(0)
	for k, a := range r.Actions {
		if int(a) == s.played {
			mine = int64(r.Counts[k])
		}
	}
	expect.saw(total, mine)
	r.Target = slices.Grow(r.Target[:0], len(r.Counts))[:len(r.Counts)]
	if flags&visitsRow != 0 {
		samples.VisitTarget(r.Target, r.Counts)
	} else {
		for k := range r.Target {
			if r.Target[k], err = b.sections[targetSection].float(); err != nil {
				return err
			}
		}
	}
	for _, f := range []struct {
		section int
		to      *float32
	}{{valueSection, &r.RootQ}, {staticSection, &r.NetQ}, {weightSection, &r.Weight}} {
		if *f.to, err = b.sections[f.section].float(); err != nil {
			return err
		}
	}
	return nil
}
