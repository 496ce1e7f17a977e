package gomoku

import "errors"

// Sentinel errors. Returned errors wrap one of them in a line that says what is wrong and
// what would be right.
var (
	// ErrRule: an unknown rule set, or parameters that do not go together.
	ErrRule = errors.New("bad rule")
	// ErrSize: a board size outside MinSize..MaxSize, or a diagram or setup
	// that does not fit its size.
	ErrSize = errors.New("bad board size")
	// ErrNotation: text that is no move, no sequence of moves or no diagram.
	ErrNotation = errors.New("bad notation")
	// ErrIllegal: a move or a setup that the rules do not allow.
	ErrIllegal = errors.New("illegal")
	// ErrOver: a move after the end of the game.
	ErrOver = errors.New("game over")
)
