// Package analysis answers queries about positions and whole games, many at once,
// in the words of KataGo's analysis engine: JSON objects, one a line, in both
// directions. It finds no moves itself; what it knows of a game comes from package
// engine, what it says of a position from the engines of package engine.
//
// # Words
//
// A peer sends a [Query], which asks about some turns of a game: turn 0 is the
// position that the game began at, turn n the one after n moves. Each turn becomes
// a task. A task gets any number of answers on the way and exactly one that is
// final, in any order among tasks: an [Answer]. An action (see [Action]) asks for
// something else and is echoed. What is wrong with a line is said in one [Problem],
// with the field at fault, and then nothing of the line is done; a warning is one
// that changes nothing. schema.json describes all of them, and [Schema] returns it.
//
// # Who does what
//
// A [Service] holds the tasks of all its peers and workers that take them, each with
// engines of its own: peers take turns, and of one peer the most urgent task comes
// first. Some actions take time and are tasks as well (service.go). A [Client] is one
// peer: it reads its lines and is told what becomes of them. [Serve] connects a
// client with a reader and a writer. Several clients of one service know nothing of
// each other, and may use the same ids.
//
// # What an answer depends on
//
// Engines are made for each task as if it were the only one. All that tasks share
// are networks and the cache of their results, which hold pure functions. So a
// final answer is a function of the query and of the service's options alone,
// whatever else is asked, in whatever order, on however many workers; unless it was
// bounded in time, or terminated.
//
// # Bounds
//
// A peer can be rude. [Limits] bound everything that it sends and what waits for
// it; a peer that does not read its answers is not read from any more.
package analysis
