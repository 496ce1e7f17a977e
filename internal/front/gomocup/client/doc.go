// Package client plays with foreign engines: programs that speak the Gomocup
// protocol on their standard input and output. A program is started, asked,
// timed, and killed with all that it started when it is stuck; whatever it says
// or does not say becomes a move or an error of one line.
//
// The protocol is one of gomoku. Player.Move, where a match's position enters,
// refuses any other.
package client
