// Package gomocup is an engine's side of the Gomocup protocol and of the Yixin
// extension that boards speak: lines of text on standard input and output. The
// other side, which plays against foreign engines, is package client. What finds
// the moves is a [engine.Engine]; an [Open] sets one up for the rule, the board, the
// memory and the threads that a client asks for.
//
// # Layers
//
// A line becomes a command (command.go) without regard to what went before. A
// session (session.go, opening.go) holds the game and the
// settings, checks a command against them, and answers it or hands out a job:
// a search whose result is applied, and answered, when it is done. Nothing of
// the session changes before a command has been found good, so a bad line
// leaves the game as it was. Lines wait in an inbox (server.go), which tells at
// once what does not wait for its turn: END, YXSTOP, the end of the input. Run
// takes them out one by one and runs the jobs; it alone starts
// goroutines.
//
// # Coordinates
//
// The protocol's x,y counts from zero, x from the left and y from the top; a
// cell's index counts rows from the bottom. Cell and Point convert, and nothing
// else does. Yixin boards write row,col instead. All rules are the same on the
// transposed board, so the engine takes the first number for x and plays such a
// game mirrored along the diagonal: every answer comes out in the order in
// which the client wrote. A switch of conventions could only go wrong, since
// nothing in the dialogue says which one a client uses.
//
// # Time
//
// A command's time runs from the moment its line was read, also when the line
// had to wait for an earlier command. The engine gets what is left of the
// clock, plans with it, and is stopped when that has all but run out. By how much
// the last moves were late is taken off the next ones.
//
// After the end of the input, when the manager may be gone, there is little time
// left: after lastSearch searches end with what they have, and after lastAnswer
// nothing more is answered. So a dialogue that is piped in as a whole may go
// another way on a slower machine, with budgets in nodes too. One whose client
// waits for the answers does not.
//
// Many clients name the rule and the memory after START, together with the first
// move. So an [Open] makes ready for all rules at START, and what new settings ask
// for beyond that is left to a [Settler] between the moves.
//
// # Boards
//
// Programs differ in what they understand, and some take a line that they do not
// know for a move; so nothing is shown but what a client asked for. The tests
// restate the grammars of several boards and read every line with them.
//
// # Pondering
//
// After INFO pondering 1 the engine thinks on once it has answered with a move,
// until the next line comes in. What it finds then depends on how long the
// opponent took, so games with pondering cannot be reproduced.
package gomocup
