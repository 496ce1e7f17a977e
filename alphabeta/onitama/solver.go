package onitama

import (
	"context"
	"math"
	"math/bits"
	"unsafe"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	rules "github.com/carozero/carozero/game/onitama"
)

// Solver finds out by all moves of both sides whether one of them, the attacker, wins, by
// depth-first proof-number search. It belongs to one goroutine.
//
// A position that comes back on a path counts as not won there: whoever goes round in
// circles does not win. What is disproven thereby may be won along another path, so that a
// solver finds wins and denies none. A win is played against every legal reply before it is
// reported.
type Solver struct {
	ctx      context.Context
	board    *rules.Board
	attacker game.Side
	limit    int // moves
	played   int // moves
	table    proofTable
	moves    []game.Move              // of the positions on the path
	worth    []alphabeta.ProofNumbers // of these moves, for the side that makes them
	wins     []game.Move
}

// movesPerEntry is how many moves are played for an entry of the table at least, but for
// positions with few moves.
const movesPerEntry = 6

// mostPlies is how far a Solver looks. Real wins are far shorter.
const mostPlies = 400

// Win is what a Solver has found.
type Win struct {
	Found bool
	Ended bool // whether the search ended before its budget without a proof
	Plies int  // to the end of the game at most

	// Line is one of so many plies: the proof's moves, and those replies that hold out
	// longest. It ends early where the table had no room for a position.
	Line []game.Move
}

// NewSolver returns a solver with a table of at most so many bytes, no less than a few
// thousand.
func NewSolver(tableBytes int64) *Solver { return &Solver{table: newProofTable(tableBytes)} }

// Solve looks for a win of a side on b, which is not over, and is the same afterwards. It
// goes on where the last call ended if that was asked of the same side and position, and
// ends after about so many moves of all these calls together, or once ctx ends, whose error
// is returned then.
func (s *Solver) Solve(ctx context.Context, b *rules.Board, attacker game.Side, moves int) (w Win, err error) {
	if root := b.Key(); attacker != s.attacker || root != s.table.root {
		s.table.clear(root)
		s.attacker, s.played = attacker, 0
	}
	s.table.reserve(moves / movesPerEntry)
	s.ctx, s.board, s.limit = ctx, b, moves
	s.moves, s.worth = s.moves[:0], s.worth[:0]
	defer func() { s.board, s.ctx = nil, nil }()
	switch s.wins = b.Wins(s.wins[:0]); {
	case len(s.wins) > 0 && b.ToMove() == attacker:
		w = Win{Found: true, Plies: 1, Line: []game.Move{s.wins[0]}}
	case len(s.wins) > 0:
		w.Ended = true
	case s.prove(&w):
		if w.Plies, w.Found = s.replay(0); w.Found {
			w.Line = s.line()
		}
	}
	return w, ctx.Err()
}

// prove reports whether it proves the position on the board. Where it is disproven, circles
// may be to blame: what was proven is kept, and the rest searched anew, until that proves
// nothing more.
func (s *Solver) prove(w *Win) bool {
	for before := -1; ; {
		n := s.search(alphabeta.Unbounded, 0)
		if n.DN != 0 {
			return n.PN == 0
		}
		proven := s.table.keepProven()
		if w.Ended = proven == before; w.Ended || s.stopped() {
			return false
		}
		before = proven
	}
}

// Moves returns how many moves were played for the side and position of the last call.
func (s *Solver) Moves() int { return s.played }

// stopped reports whether the budget is spent.
func (s *Solver) stopped() bool { return s.played >= s.limit || s.ctx.Err() != nil }

// search searches the position on the board until its numbers reach th or it is decided,
// and returns them. th and the numbers are the attacker's.
func (s *Solver) search(th alphabeta.ProofNumbers, ply int) alphabeta.ProofNumbers {
	if ply >= mostPlies {
		return alphabeta.Disproven
	}
	e := s.table.claim(s.board.Key())
	if e == nil || e.Decided() {
		return e.known()
	}
	e.onPath = true
	from, at, before := len(s.moves), len(s.worth), s.played
	s.expand()
	attacking := s.board.ToMove() == s.attacker
	for {
		c := alphabeta.ChooseProof(s.worth[at:])
		n := c.ProofNumbers
		if !attacking {
			n, th = n.Turned(), th.Turned()
		}
		e.ProofNumbers = n
		if n.Decided() || c.Reached(th) || s.stopped() {
			break
		}
		below := c.Thresholds(th, s.worth[at+c.Best])
		if !attacking {
			below, th = below.Turned(), th.Turned()
		}
		s.board.Play(s.moves[from+c.Best])
		n = s.search(below, ply+1)
		s.board.Undo()
		if !attacking {
			n = n.Turned()
		}
		s.worth[at+c.Best] = n
	}
	if e.PN == 0 {
		_, e.plies = s.longest(from)
	}
	e.work = uint32(min(uint64(e.work)+uint64(s.played-before), math.MaxUint32))
	e.onPath = false
	s.moves, s.worth = s.moves[:from], s.worth[:at]
	return e.ProofNumbers
}

// expand lists the moves of the position on the board, which does not end with the next
// one, and what is known of them.
func (s *Solver) expand() {
	from := len(s.moves)
	s.moves = s.board.Moves(s.moves)
	s.played += len(s.moves) - from
	attacking := s.board.ToMove() == s.attacker
	for _, m := range s.moves[from:] {
		s.board.Play(m)
		n := s.look()
		s.board.Undo()
		if !attacking {
			n = n.Turned()
		}
		s.worth = append(s.worth, n)
	}
}

// look returns what is known of the position on the board, for the attacker.
func (s *Solver) look() alphabeta.ProofNumbers {
	if s.wins = s.board.Wins(s.wins[:0]); len(s.wins) > 0 {
		if s.board.ToMove() == s.attacker {
			return alphabeta.Proven
		}
		return alphabeta.Disproven
	}
	e := s.table.find(s.board.Key())
	switch {
	case e == nil:
		return alphabeta.Open
	case e.onPath:
		return alphabeta.Disproven
	}
	return e.ProofNumbers
}

// distance returns after how many plies at most the attacker wins the position on the
// board, as far as it is known: 0 if it is not.
func (s *Solver) distance() uint16 {
	if s.wins = s.board.Wins(s.wins[:0]); len(s.wins) > 0 {
		if s.board.ToMove() == s.attacker {
			return 1
		}
		return 0
	}
	if e := s.table.find(s.board.Key()); e != nil && e.PN == 0 && !e.onPath {
		return e.plies
	}
	return 0
}

// longest returns the move that a proof has in a proven position, whose moves begin at
// from, and after how many plies it wins: the attacker's shortest way, of its opponent's
// moves the one that holds out longest. It is NoMove if the table knows of none.
func (s *Solver) longest(from int) (best game.Move, plies uint16) {
	best = game.NoMove
	attacking := s.board.ToMove() == s.attacker
	for _, m := range s.moves[from:] {
		s.board.Play(m)
		d := s.distance()
		s.board.Undo()
		if d > 0 && (best == game.NoMove || attacking == (d+1 < plies) && d+1 != plies) {
			best, plies = m, d+1
		}
	}
	return best, plies
}

// replay plays the proof of the position on the board against every legal reply, and
// returns after how many plies at most the attacker has won. What the table has dropped is
// searched again. It fails, if the budget does not suffice for that, or the attacker would
// go round in circles.
func (s *Solver) replay(ply int) (plies int, ok bool) {
	if s.wins = s.board.Wins(s.wins[:0]); len(s.wins) > 0 {
		return 1, s.board.ToMove() == s.attacker
	}
	e := s.table.find(s.board.Key())
	if e != nil && e.replayed {
		return int(e.plies), true
	}
	if e != nil && e.onPath || ply >= mostPlies || s.ctx.Err() != nil {
		return 0, false
	}
	if s.search(alphabeta.Unbounded, ply).PN != 0 {
		return 0, false
	}
	e = s.table.find(s.board.Key())
	from := len(s.moves)
	defer func() { s.moves = s.moves[:from] }()
	s.moves = s.board.Moves(s.moves)
	if s.board.ToMove() == s.attacker {
		if e.move, _ = s.longest(from); e.move == game.NoMove {
			e.ProofNumbers = alphabeta.Open
			if s.search(alphabeta.Unbounded, ply).PN != 0 {
				return 0, false
			}
			e.move, _ = s.longest(from)
		}
		plies, ok = s.follow(e, e.move, ply)
	} else {
		for i, end := from, len(s.moves); i < end; i++ {
			var longer int
			if longer, ok = s.follow(e, s.moves[i], ply); !ok {
				break
			}
			plies = max(plies, longer)
		}
	}
	if ok {
		e.plies, e.replayed = uint16(plies), true
	}
	return plies, ok
}

// follow replays what is proven of a move on the board, whose entry is e.
func (s *Solver) follow(e *proofEntry, m game.Move, ply int) (plies int, ok bool) {
	if m == game.NoMove {
		return 0, false
	}
	e.onPath = true
	s.board.Play(m)
	plies, ok = s.replay(ply + 1)
	s.board.Undo()
	e.onPath = false
	return plies + 1, ok
}

// line returns the line of a proof that was replayed.
func (s *Solver) line() (line []game.Move) {
	from := len(s.moves)
	for s.board.Outcome() == game.Undecided {
		m := game.NoMove
		if s.wins = s.board.Wins(s.wins[:0]); len(s.wins) > 0 {
			m = s.wins[0]
		} else if e := s.table.find(s.board.Key()); e != nil && e.replayed {
			if m = e.move; s.board.ToMove() != s.attacker {
				s.moves = s.board.Moves(s.moves[:from])
				m, _ = s.longest(from)
			}
		}
		if m == game.NoMove || len(line) >= mostPlies {
			break
		}
		line = append(line, m)
		s.board.Play(m)
	}
	for range line {
		s.board.Undo()
	}
	return line
}

// proofEntry is what a Solver knows of a position.
type proofEntry struct {
	key                    [2]uint64 // the zero key is of no position
	alphabeta.ProofNumbers           // for the attacker
	work                   uint32    // moves that were played on it and below
	plies                  uint16    // of what is proven: to the end at most
	move                   game.Move // of what was replayed, with the attacker to move: its move
	onPath, replayed       bool
}

// known returns the numbers of an entry. What finds no place in the table counts as not
// won.
func (e *proofEntry) known() alphabeta.ProofNumbers {
	if e == nil {
		return alphabeta.Disproven
	}
	return e.ProofNumbers
}

// bucket is how many places a position may take.
const bucket = 4

// proofTable keeps positions by their whole keys, so that no proof hangs on a hash.
type proofTable struct {
	root    [2]uint64 // the position that it is about
	entries []proofEntry
	most    int // entries
}

func newProofTable(bytes int64) proofTable {
	return proofTable{most: max(1024, int(bytes/int64(unsafe.Sizeof(proofEntry{}))))}
}

// clear forgets all, for another root.
func (t *proofTable) clear(root [2]uint64) {
	clear(t.entries)
	t.root = root
}

// keepProven forgets all that is not proven, and returns how many positions are.
func (t *proofTable) keepProven() (proven int) {
	for i := range t.entries {
		switch e := &t.entries[i]; {
		case e.key == [2]uint64{}:
		case e.PN == 0:
			proven++
		default:
			*e = proofEntry{}
		}
	}
	return proven
}

// reserve makes room for so many positions, within the bound, and keeps the most valuable of
// those that are there. No entry may be in use.
func (t *proofTable) reserve(entries int) {
	if entries = min(max(entries, 1024), t.most); entries <= len(t.entries) {
		return
	}
	old := t.entries
	t.entries = make([]proofEntry, entries)
	for i := range old {
		if e := &old[i]; e.key != [2]uint64{} {
			if at := t.claim(e.key); at != nil {
				*at = *e
			}
		}
	}
}

// places returns the entries that a position may have.
func (t *proofTable) places(key [2]uint64) []proofEntry {
	mixed := (key[0] ^ bits.RotateLeft64(key[1], 29)*0xD6E8FEB86659FD93) * 0x9E3779B97F4A7C15
	mixed ^= mixed >> 32
	at, _ := bits.Mul64(mixed*0xBF58476D1CE4E5B9, uint64(len(t.entries)-bucket+1))
	return t.entries[at:][:bucket]
}

// find returns the entry of a position, nil if there is none.
func (t *proofTable) find(key [2]uint64) *proofEntry {
	places := t.places(key)
	for i := range places {
		if places[i].key == key {
			return &places[i]
		}
	}
	return nil
}

// claim returns the entry of a position, a new one in the place of the least valuable other
// if there is none; nil if all others are on the path.
func (t *proofTable) claim(key [2]uint64) *proofEntry {
	if e := t.find(key); e != nil {
		return e
	}
	var least *proofEntry
	places := t.places(key)
	for i := range places {
		if e := &places[i]; !e.onPath && (least == nil || e.value() < least.value()) {
			least = e
		}
	}
	if least != nil {
		*least = proofEntry{key: key, ProofNumbers: alphabeta.Open, move: game.NoMove}
	}
	return least
}

// value is what would be lost with an entry: the work, and more of it if it is proven.
func (e *proofEntry) value() uint64 {
	v := uint64(e.work) * 2
	if e.key != [2]uint64{} {
		v++
	}
	if e.PN == 0 && e.key != [2]uint64{} {
		v = v*64 + 1<<20
	}
	return v
}

// Prover finds short forced wins by all moves of both sides, to growing depths. It belongs
// to one goroutine.
type Prover struct {
	ctx   context.Context
	board *rules.Board
	left  int // moves that may still be played
	moves []game.Move
	wins  []game.Move
}

// Mate is what a Prover knows of a position.
type Mate struct {
	Move     game.Move // that wins; without meaning where Plies is 0
	Plies    int       // to the end of the game at most, odd; 0: no win was found
	Searched int       // there is no win within so many plies, other than that one
	Nodes    int       // moves that were played
}

// Prove looks for the shortest win of the side to move on b, which is not over, and is the
// same afterwards. It plays at most so many moves, and stops within 1024 once ctx ends.
func (p *Prover) Prove(ctx context.Context, b *rules.Board, nodes int) (m Mate) {
	p.ctx, p.board, p.left = ctx, b, nodes
	p.moves = p.moves[:0]
	if p.wins = b.Wins(p.wins[:0]); len(p.wins) > 0 {
		return Mate{Move: p.wins[0], Plies: 1}
	}
	for plies := 1; p.left > 0; {
		m.Searched = plies
		plies += 2
		if move, ok := p.attack(plies); ok {
			m.Move, m.Plies = move, plies
			break
		}
	}
	m.Nodes = nodes - p.left
	p.board = nil
	return m
}

// attack looks for a move of the side to move, which cannot win at once, that wins within
// so many plies. It finds none once no moves are left to be played.
func (p *Prover) attack(plies int) (game.Move, bool) {
	from := len(p.moves)
	p.moves = p.board.Moves(p.moves)
	defer func() { p.moves = p.moves[:from] }()
	for i, end := from, len(p.moves); i < end; i++ {
		m := p.moves[i]
		if !p.play(m) {
			return game.NoMove, false
		}
		lost := p.defend(plies - 1)
		p.board.Undo()
		if lost {
			return m, true
		}
	}
	return game.NoMove, false
}

// defend reports whether the side to move loses within so many plies, 2 or more, whatever
// it does. It does not once no moves are left to be played.
func (p *Prover) defend(plies int) bool {
	if p.wins = p.board.Wins(p.wins[:0]); len(p.wins) > 0 {
		return false
	}
	from := len(p.moves)
	p.moves = p.board.Moves(p.moves)
	defer func() { p.moves = p.moves[:from] }()
	for i, end := from, len(p.moves); i < end; i++ {
		if !p.play(p.moves[i]) {
			return false
		}
		p.wins = p.board.Wins(p.wins[:0])
		lost := len(p.wins) > 0
		if !lost && plies > 2 {
			_, lost = p.attack(plies - 1)
		}
		p.board.Undo()
		if !lost {
			return false
		}
	}
	return true
}

// play plays a move that does not end the game, unless no more may be played.
func (p *Prover) play(m game.Move) bool {
	if p.left <= 0 || p.left&1023 == 0 && p.ctx.Err() != nil {
		p.left = 0
		return false
	}
	p.left--
	p.board.Play(m)
	return true
}
