package onitama

import "errors"

// Errors that parsing and setting up return, wrapped with the place and what
// would be right.
var (
	ErrCards    = errors.New("onitama: bad cards")
	ErrNotation = errors.New("onitama: bad notation")
	ErrSetup    = errors.New("onitama: bad set-up")
	ErrIllegal  = errors.New("onitama: illegal move")
	ErrOver     = errors.New("onitama: the game is over")
)
