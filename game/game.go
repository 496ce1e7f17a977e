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
