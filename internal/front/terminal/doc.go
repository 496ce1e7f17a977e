// Package terminal is a board on a terminal's screen, at which a person plays an
// engine with both engines' opinion beside the board.
//
// It finds no moves of its own. [Run] shows a model in the manner of Bubble Tea:
// keys, clicks and what engines say are messages, Update takes them one at a
// time, View draws. Engines think at a desk, each on a goroutine of its own; a
// question that is out of date is cancelled, and its answers are not heard any
// more. The observers, whose opinion is shown, have engines of their own and are
// silent while the opponent thinks: they change neither its moves nor its speed.
//
// A file holds one thing of the screen: the game's record, board, panel, prompt,
// menu, and so on.
package terminal
