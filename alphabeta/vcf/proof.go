package vcf

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

// Strategy plays for the winner, who is to move on b: its move and the number
// of plies, that move included, within which it claims to have won. It must
// leave b as it is. ok is false if it sees no win.
type Strategy func(b *gomoku.Board) (m game.Move, plies int, ok bool)

// Replay knows only the rules: moves, their legality and the outcome. It shares nothing with
// the solvers whose claims it checks. It plays the strategy of the side to move on b against every legal
// defence and returns nil if it wins every time within plies, and within what
// it claims on the way; else an error that wraps certificate.ErrRefuted. It returns the
// number of positions in which the strategy was asked. b is the same
// afterwards.
//
// A defence after which the winner has a move that wins at once is met by
// it without asking, and a position that was checked for as many plies is not
// checked again.
func Replay(b *gomoku.Board, plies int, strategy Strategy) (asked int, err error) {
	r := replayer{board: b, strategy: strategy, held: map[[2]uint64]int{}, side: b.ToMove()}
	err = r.win(plies)
	return r.asked, err
}

type replayer struct {
	board    *gomoku.Board
	strategy Strategy
	side     game.Side         // the winner
	held     map[[2]uint64]int // the plies within which a position was won
	line     []game.Move       // from the root
	asked    int
	moves    []game.Move // scratch: the lists of all levels, one after the other
}

// win checks a position with the winner to move.
func (r *replayer) win(plies int) error {
	b := r.board
	if b.Outcome() != game.Undecided {
		return r.refuted("the game is over")
	}
	if r.hasWin() {
		if plies < 1 {
			return r.refuted("no plies are left")
		}
		return nil
	}
	if held, ok := r.held[b.Key()]; ok && held <= plies {
		return nil
	}
	m, claim, ok := r.strategy(b)
	r.asked++
	switch {
	case !ok:
		return r.refuted("there is no move")
	case claim > plies:
		return r.refuted(fmt.Sprintf("the move claims %d plies of %d left", claim, plies))
	case !b.Legal(m):
		return r.refuted("the move " + gomoku.Notation{Size: b.Size()}.FormatMove(m) + " is not legal")
	}
	key := b.Key()
	r.play(m)
	err := r.defend(claim - 1)
	r.undo()
	if err == nil {
		r.held[key] = claim
	}
	return err
}

// defend checks a position with the loser to move against all its moves.
func (r *replayer) defend(plies int) error {
	b := r.board
	switch b.Outcome() {
	case game.WinFor(r.side):
		return nil
	case game.Undecided:
	default:
		return r.refuted("the game ends without the win")
	}
	from := len(r.moves)
	r.moves = b.Moves(r.moves)
	for i, end := from, len(r.moves); i < end; i++ {
		r.play(r.moves[i])
		var err error
		if b.Outcome() != game.WinFor(r.side) {
			err = r.win(plies - 1)
		}
		r.undo()
		if err != nil {
			return err
		}
	}
	r.moves = r.moves[:from]
	return nil
}

func (r *replayer) hasWin() bool {
	from := len(r.moves)
	r.moves = r.board.Wins(r.moves)
	found := len(r.moves) > from
	r.moves = r.moves[:from]
	return found
}

func (r *replayer) play(m game.Move) {
	r.line = append(r.line, m)
	r.board.Play(m)
}

func (r *replayer) undo() {
	r.line = r.line[:len(r.line)-1]
	r.board.Undo()
}

func (r *replayer) refuted(why string) error { return certificate.Refuted(r.board, r.line, why) }

// ProofLimits bound what a proof may cost.
type ProofLimits struct {
	Nodes int // moves that the solver plays on one position
	Asked int // positions that the replay may ask the solver about; 0: any number
}

// Proof is a forced win of the side to move that stood the replay.
type Proof struct {
	Kind  Kind
	Plies int         // to the end of the game at most
	Line  []game.Move // against the longest defence
	Asked int         // positions in which the replay asked the solver
	Nodes int         // moves that the solver played to find it
}

// FindProof has the solver look for a win of the side to move on b, by one kind after
// the other, and replays the first that it sees. ok is false if it sees none, or
// if that one does not hold within its plies. b is the same afterwards.
func FindProof(ctx context.Context, s *Solver, b *gomoku.Board, l ProofLimits, kinds ...Kind) (w Proof, ok bool) {
	for _, kind := range kinds {
		r := s.Solve(ctx, pattern.FromBoard(b), kind, l.Nodes)
		if r.Outcome != Win {
			continue
		}
		w = Proof{Kind: kind, Plies: r.Plies, Line: append([]game.Move(nil), r.Line...), Nodes: r.Nodes}
		var err error
		w.Asked, err = Confirm(ctx, s, b, kind, r.Plies, l)
		return w, err == nil
	}
	return Proof{}, false
}

// Confirm replays a win of the side to move on b, within so many plies, with the
// moves of the solver whose last Solve has found it. It returns what Replay does.
func Confirm(ctx context.Context, s *Solver, b *gomoku.Board, kind Kind, plies int,
	l ProofLimits) (asked int, err error) {
	return Replay(b, plies, func(b *gomoku.Board) (game.Move, int, bool) {
		if asked++; l.Asked > 0 && asked > l.Asked || ctx.Err() != nil {
			return game.NoMove, 0, false
		}
		return s.Follow(ctx, pattern.FromBoard(b), kind, l.Nodes)
	})
}

// WriteCertificate writes the certificate of the win of the side to move on b which the
// last Solve of s has found, with at most so many nodes. Positions that a reply leads to
// and that the solver has not kept are searched anew, with the budget of l each. The
// error is that of ctx or of certificate.New, which says which reply was not refuted.
// b is the same afterwards.
func WriteCertificate(ctx context.Context, s *Solver, b *gomoku.Board, kind Kind, l ProofLimits,
	nodes int) (*certificate.Certificate, error) {
	asked := 0
	quick := New(Options{}) // whose small table is cleared at no cost
	c, err := certificate.New(ctx, b, b.ToMove(), nodes, func(b *gomoku.Board) (game.Move, bool) {
		at := pattern.FromBoard(b)
		if m, _, ok := s.Kept(at); ok {
			return m, true
		}
		if asked++; l.Asked > 0 && asked > l.Asked {
			return game.NoMove, false
		}
		r := quick.Decide(ctx, at, kind, l.Nodes)
		if r.Outcome != Win {
			m, _, ok := s.Follow(ctx, at, kind, l.Nodes)
			return m, ok
		}
		return r.Line[0], true
	})
	if ended := ctx.Err(); ended != nil {
		return nil, ended
	}
	return c, err
}
