// Package web serves a board in the browser: an embedded page, and what the page
// asks over HTTP and a WebSocket. It finds no moves and keeps no game. The page
// holds the game; every message on the socket is one of package analysis, and a
// connection that is lost, a page that is loaded again and a program that is
// started again are all the same: the page asks once more.
//
// # Who does what
//
// A [Server] is a tree of handlers in front of one [analysis.Service]. Every
// request passes the guard (guard.go), which knows by what names the server may be
// called, from which pages, and with which token; then its route (route.go). A
// socket (socket.go) is one client of the service, with an outbox that never makes
// the service wait. [Server.Run] and each socket start goroutines, and join them.
// Files for review are read when somebody looks (review.go).
//
// # Bounds
//
// A visitor can be rude. [Limits] bound what is read, how many are served at once,
// and how long; what the service does for them is bounded by [analysis.Limits].
package web
