// Package certificate holds proofs of wins and draws that anybody can check: a format,
// its writers, and a checker that knows nothing but the rules.
//
// # What it is for
//
// A solver's claim is as good as the solver. A [Certificate] makes the claim stand by
// itself: it has the winner's move in every position that the loser can bring about,
// and a reader needs the rules and FORMAT.md alone to find out whether all of it is
// true. check.py beside this file is a second reader, in Python, that was written
// from that page; the tests hold both to each other and to a slow twin.
//
// # The walk
//
// A certificate is a text header (the rules as data, the start position, the winner,
// the plies of the longest line, the number of nodes), the winner's moves, a byte or
// two each, and a SHA-256. The moves stand in the order in which one walk asks for
// them:
//
//	at the winner's turn:  done, if the winner has a move that wins at once
//	                       done, if the walk has been in the position before
//	                       else play the next move of the file, and walk on
//	at the loser's turn:   play each legal move in ascending order, and walk on
//
// Such a walk ends, since every move adds to the stones on the board and captured
// together. It is also why there are no references between the nodes of the graph:
// the reader knows where it has been. So nothing can point to a wrong place, no cycle
// can be written, and one proof has one form as bytes. [New] takes the same walk to
// write a certificate, with a [Strategy] in place of the file.
//
// # Draws
//
// A second form says that a side, or both, do not lose (hold.go). The walk is the same,
// with a draw as good as a win, and it may end early: at a pairing, pairs of empty cells
// of which every line that the other side could win by has one. [NewHold] writes it.
//
// # What is not played
//
// Most moves against a four are answered by the five. While there is a cell c where
// the winner, were it to move, would win at once, the only replies to play are those
// that can change this, which lie around c (replies.go); FORMAT.md has the
// argument for each kind of rules. The slow twin of the tests plays all of them.
//
// # Letters
//
// m is a move of the winner, r a reply of the loser, c a cell where the winner would
// win at once.
package certificate
