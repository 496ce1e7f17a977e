package arena

import "github.com/carozero/carozero/game"

// pile is a game in which a position can have several safe moves and several
// that lose at once: the sides take 1 to 3 from a pile in turn, and who takes
// the last one wins. Move 0 takes one.
type pile struct {
	left  int
	taken []int
}

func (p *pile) ToMove() game.Side { return game.Side(len(p.taken) % 2) }
func (p *pile) Ply() int          { return len(p.taken) }
func (p *pile) Hash() uint64      { return uint64(p.left*2 + len(p.taken)%2) }
func (p *pile) MaxMoves() int     { return 3 }

func (p *pile) Outcome() game.Outcome {
	if p.left > 0 {
		return game.Undecided
	}
	return game.WinFor(p.ToMove().Other())
}

func (p *pile) Reason() game.Reason {
	if p.left > 0 {
		return game.NoReason
	}
	return game.Line
}

func (p *pile) Legal(m game.Move) bool { return m < 3 && int(m) < p.left }

func (p *pile) Moves(buf []game.Move) []game.Move {
	for m := range game.Move(min(p.left, 3)) {
		buf = append(buf, m)
	}
	return buf
}

func (p *pile) Wins(buf []game.Move) []game.Move {
	if p.left >= 1 && p.left <= 3 {
		buf = append(buf, game.Move(p.left-1))
	}
	return buf
}

func (p *pile) Play(m game.Move) {
	p.left -= int(m) + 1
	p.taken = append(p.taken, int(m)+1)
}

func (p *pile) Undo() {
	last := len(p.taken) - 1
	p.left += p.taken[last]
	p.taken = p.taken[:last]
}

func (p *pile) Clone() game.Position {
	return &pile{left: p.left, taken: append([]int(nil), p.taken...)}
}
