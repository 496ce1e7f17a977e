// Package game is the vocabulary that rules and searches share: moves, sides,
// outcomes, and the [Position] interface behind which every game stands.
//
// The package is a leaf. It knows no game, no search and no network; a search
// knows nothing of a game beyond what is declared here.
package game

// Move names a move within one game. Its meaning belongs to that game: gomoku
// uses the cell's index, Onitama a card and two squares. Moves of one game are
// ordered by their number, and every list of moves in this project is in that
// order unless its comment says otherwise.
type Move uint16

// NoMove is no move of any game.
const NoMove Move = 0xFFFF

// Side is one of the two players.
type Side uint8

// First moves at ply 0, unless a position was set up otherwise.
const (
	First  Side = 0
	Second Side = 1
)

// Other returns the opponent of s.
func (s Side) Other() Side { return s ^ 1 }

// String returns "first" or "second", as the sample files spell it.
func (s Side) String() string {
	if s == First {
		return "first"
	}
	return "second"
}

// Outcome is the result of a game under its rules.
type Outcome uint8

// The outcomes. Undecided is the zero value: the game goes on.
const (
	Undecided Outcome = iota
	FirstWins
	SecondWins
	Draw
)

// WinFor returns the outcome in which s has won.
func WinFor(s Side) Outcome { return FirstWins + Outcome(s) }

// Value returns the outcome's worth to s: 1 for a win, -1 for a loss, and 0
// for a draw or a game that is not over.
func (o Outcome) Value(s Side) int {
	switch o {
	case WinFor(s):
		return 1
	case WinFor(s.Other()):
		return -1
	}
	return 0
}

// String returns "undecided", "first", "second" or "draw".
func (o Outcome) String() string {
	switch o {
	case FirstWins:
		return First.String()
	case SecondWins:
		return Second.String()
	case Draw:
		return "draw"
	}
	return "undecided"
}

// ParseOutcome returns the outcome of a game that is over, as String writes it; ok is false
// for any other text.
func ParseOutcome(text string) (o Outcome, ok bool) {
	for o := FirstWins; o <= Draw; o++ {
		if o.String() == text {
			return o, true
		}
	}
	return Undecided, false
}

// Reason says why a game ended. The sample files and game records carry it.
type Reason string

// Reasons that rules give, and those (Resigned, MoveLimit, Proven, Forfeit)
// that only a player or a referee gives.
const (
	NoReason  Reason = ""
	Line      Reason = "line"     // a winning line
	Capture   Reason = "capture"  // enough stones captured, or the master taken
	Stream    Reason = "stream"   // Onitama: the master reached the enemy temple
	Full      Reason = "full"     // the board is full
	NoMoves   Reason = "no-moves" // the side to move has no legal move
	Resigned  Reason = "resign"
	MoveLimit Reason = "limit"
	Proven    Reason = "proven" // adjudicated on a proof
	Forfeit   Reason = "forfeit"
)

// Position is a state of a game that can be played forward and taken back.
//
// A Position belongs to one goroutine. Play and Undo allocate nothing once the
// position has seen its longest game, and Moves and Wins append to the
// caller's buffer, which should have room for MaxMoves entries.
type Position interface {
	// ToMove returns the side whose turn it is.
	ToMove() Side

	// Ply returns the number of moves played since the start of the game,
	// passes included. A position set up from a diagram counts its stones.
	Ply() int

	// Hash identifies everything that the rules read of the position: the
	// side to move, the pieces, and counters such as captured stones. Equal
	// positions have equal hashes, whatever the order of moves that led to them.
	Hash() uint64

	// Outcome returns the result, Undecided while the game goes on, in
	// constant time.
	Outcome() Outcome

	// Reason returns why the game is over, NoReason while it goes on.
	Reason() Reason

	// Moves appends all legal moves to buf in ascending order and returns the
	// extended slice. It appends nothing exactly when the game is over.
	Moves(buf []Move) []Move

	// Wins appends, in ascending order, the legal moves after which the side
	// that moved has won, and returns the extended slice.
	Wins(buf []Move) []Move

	// Legal reports whether m is a legal move. Any Move value may be asked.
	Legal(m Move) bool

	// Play makes the move m, which must be legal in a game that is not over;
	// anything else is a misuse that may panic or corrupt the position.
	Play(m Move)

	// Undo takes the last move back and restores the position exactly. It
	// must not be called more often than Play.
	Undo()

	// MaxMoves bounds the number of legal moves in any position that can be
	// reached from this one.
	MaxMoves() int

	// Clone returns an independent copy, its history included.
	Clone() Position
}

// Texts returns the texts of moves.
func Texts(n Notation, moves []Move) []string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = n.FormatMove(m)
	}
	return texts
}

// Notation turns moves into text and back for one game, board size and, where
// it matters, set-up.
type Notation interface {
	// FormatMove returns the text of one move.
	FormatMove(m Move) string

	// FormatMoves returns the text of a sequence of moves, "" for none.
	FormatMoves(moves []Move) string

	// ParseMoves reads what FormatMoves writes. It checks the form only, not
	// whether the moves are legal; its error names the place and what would
	// be right.
	ParseMoves(text string) ([]Move, error)
}
