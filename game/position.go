package game

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
