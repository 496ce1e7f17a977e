package archive

import (
	"encoding/binary"
	"fmt"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/selfplay/samples"
)

// Moves are cells: a move is a byte for how far it is from the last one, the first one
// from the middle, where that is at most reach columns and rows; else far and two bytes
// for the cell. Other actions are two bytes.
const (
	reach = 7
	side  = 2*reach + 1
	far   = 0xff
)

// putMove appends the action that follows on last.
func (p *player) putMove(out []byte, action, last int) []byte {
	if p.cells {
		w := p.kit.Encoder.Shape().Width
		dx, dy := action%w-last%w+reach, action/w-last/w+reach
		if dx >= 0 && dx < side && dy >= 0 && dy < side {
			return append(out, byte(dy*side+dx))
		}
		out = append(out, far)
	}
	return binary.LittleEndian.AppendUint16(out, uint16(action))
}

// getMove reads what putMove has written, as a number that may be no action.
func (p *player) getMove(s *section, last int) (int, error) {
	b, err := s.byte()
	if err != nil {
		return 0, err
	}
	if p.cells && b != far {
		w := p.kit.Encoder.Shape().Width
		x, y := last%w+int(b)%side-reach, last/w+int(b)/side-reach
		if x < 0 || x >= w {
			return -1, nil
		}
		return y*w + x, nil
	}
	if p.cells {
		if b, err = s.byte(); err != nil {
			return 0, err
		}
	}
	high, err := s.byte()
	return int(b) | int(high)<<8, err
}

// middle is what the first move follows on.
func (p *player) middle() int {
	s := p.kit.Encoder.Shape()
	return s.Height/2*s.Width + s.Width/2
}

// Parts of a game's entry that are there or not.
const (
	hasAudit   = 1 << iota
	_          // of a kind of game that is no longer played
	hasDecided // of archives before: by both searches
)

// putGame appends a game's entry and moves, and returns the actions of these.
func (p *player) putGame(b *blockWriter, g *samples.Game) ([]int, error) {
	start, moves, err := p.kit.Parse(g.Moves)
	if err != nil {
		return nil, fmt.Errorf("game %d: %w", g.ID, err)
	}
	out := appendText(b.parts[gameSection], p.kit.Format(start, nil))
	out = appendText(appendText(out, g.Result), string(g.Reason))
	out = binary.AppendUvarint(out, uint64(len(moves)))
	flags := byte(0)
	if g.Audit != nil {
		flags |= hasAudit
	}
	out = append(out, flags)
	if g.Audit != nil {
		out = binary.AppendUvarint(appendText(out, g.Audit.Resigns), uint64(g.Audit.Ply))
	}
	b.parts[gameSection] = out
	pos, last := start.Clone(), p.middle()
	actions := make([]int, 0, len(moves))
	for ply, m := range moves {
		if !pos.Legal(m) {
			return nil, fmt.Errorf("game %d: move %d is not legal", g.ID, ply+1)
		}
		a := p.kit.Encoder.Action(pos, m, 0)
		b.parts[moveSection] = p.putMove(b.parts[moveSection], a, last)
		actions, last = append(actions, a), a
		pos.Play(m)
	}
	return actions, nil
}

// getGame reads a game's entry, all but From, and its start. Its moves are still to
// be read, as many as it has plies.
func (p *player) getGame(b *block, id int) (g samples.Game, start game.Position, err error) {
	s := b.sections[gameSection]
	var texts [3][]byte
	for i := range texts {
		if texts[i], err = s.text(); err != nil {
			return g, nil, err
		}
	}
	plies, err := s.number(math.MaxUint16)
	if err != nil {
		return g, nil, err
	}
	flags, err := s.byte()
	if err != nil {
		return g, nil, err
	}
	if flags&^(hasAudit|hasDecided) != 0 {
		return g, nil, invalid("game %d: an entry of a kind that this version does not know: unpack the archive with an older one", id)
	}
	g = samples.Game{
		ID: uint64(id), Seed: samples.GameSeed(p.header.Seed, uint64(id)),
		Result: string(texts[1]), Reason: game.Reason(texts[2]), Plies: int(plies),
	}
	if flags&hasAudit != 0 {
		g.Audit = &samples.Audit{}
		resigns, err := s.text()
		if err != nil {
			return g, nil, err
		}
		ply, err := s.number(math.MaxUint16)
		if err != nil {
			return g, nil, err
		}
		g.Audit.Resigns, g.Audit.Ply = string(resigns), int(ply)
	}
	if flags&hasDecided != 0 {
		return g, nil, invalid("game %d was played by both searches, which only the release before unpacks", id)
	}
	start, moves, err := p.kit.Parse(string(texts[0]))
	if err == nil && len(moves) > 0 {
		err = fmt.Errorf("its start has %d moves", len(moves))
	}
	if err != nil {
		return g, nil, invalid("game %d: %w", id, err)
	}
	return g, start, nil
}

// played is a game's moves from its start.
type played struct {
	start   game.Position
	moves   []game.Move
	actions []int
}

// getMoves reads the moves of a game and plays them.
func (p *player) getMoves(b *block, g *samples.Game, start game.Position) (played, error) {
	l := played{start: start}
	pos, last := start.Clone(), p.middle()
	for ply := range g.Plies {
		a, err := p.getMove(b.sections[moveSection], last)
		if err != nil {
			return l, err
		}
		if pos.Outcome() != game.Undecided {
			return l, invalid("game %d: it is over after %d moves and goes on", g.ID, ply)
		}
		p.legal(pos)
		i := slices.Index(p.actions, a)
		if i < 0 {
			return l, invalid("game %d: move %d is not legal", g.ID, ply+1)
		}
		l.moves, l.actions, last = append(l.moves, p.moves[i]), append(l.actions, a), a
		pos.Play(p.moves[i])
	}
	g.Moves = p.kit.Format(start, l.moves)
	return l, nil
}

// outcomeOf returns the outcome that a header's result names.
func outcomeOf(result string) (game.Outcome, bool) {
	for _, o := range []game.Outcome{game.FirstWins, game.SecondWins, game.Draw} {
		if o.String() == result {
			return o, true
		}
	}
	return game.Undecided, false
}
