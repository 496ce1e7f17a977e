// Package bitbase solves the endgames of Onitama: for five cards it says of every
// position of up to six men, masters included, whether the side to move wins, loses
// or draws, and in how many plies the game ends if the winner is as quick and the
// loser as slow as can be. A draw is a game without end: neither side can force a
// win. [Build] writes a table to a file, [Open] reads it, [Table.Probe] asks it, and
// [Replay] plays its wins through the rules against every defence.
//
// # Positions
//
// A position is what the side to move sees: for the second player the board is
// turned by half a turn, as the cards are, so the side to move always plays up from
// c1. A [Class] says how many men the side to move and the other side have. A table
// of N men has all classes of 2 to N men with one to five men a side, and of each
// class all placements with all [Deals] of the five cards:
//
//	men  positions      file
//	2           16,590   17 kB
//	3          779,730  780 kB
//	4       17,568,810   18 MB
//	5      252,615,930  253 MB
//	6    2,603,087,130  2.6 GB
//
// [NeedsOf] says how much memory building takes: at most 0.4 GB for five men and 2.8
// GB for six. An open table takes next to none, since it reads single bytes.
//
// Placements are numbered without a gap. The masters come first: the 553 pairs of
// squares (own, opponent's) that differ, with no master on the other's temple, in
// ascending order. Then the students, first the own ones among the 23 squares that
// the masters leave, then the opponent's among the squares that those leave. The
// squares that are left are counted from 0, and the set s1 < s2 < ... of them has the
// rank C(s1,1) + C(s2,2) + ... of the combinatorial number system. With A and B sets
// of own and opponent's students the placement's number is
//
//	(masters*A + own rank)*B + opponent's rank
//
// A deal is numbered with the cards 0..4 in the order of their numbers, which within the
// base game is alphabetical: three times the rank of the mover's hand in 01 02 03 04 12 13 14 23 24 34, plus the rank of the side
// card among the three others.
//
// # File
//
// A file is a line of text,
//
//	carozero onitama bitbase version 1 cards Crab,Crane,Dragon,Monkey,Tiger men 4
//
// and for each class a line and its bytes, a byte for each position: deal by deal,
// placement by placement. 0 is a draw; any other byte is the distance in plies, odd
// for a win and even for a loss of the side to move. The line is
//
//	class 2 1 positions 381570 wins 331386 draws 0 losses 50184 longest 20 sha256 ...
//
// with the SHA-256, in hexadecimal digits, of the file's first line, of this line up to
// the sum and of the bytes. The classes come by their number of men. Of those with as
// many, the classes whose side to move has more men come first, the most first, each
// followed by the class with the sides exchanged, and the one with equal sides comes
// last: 1 1, 2 1, 1 2, 3 1, 1 3, 2 2, 4 1, 1 4, 3 2, 2 3 and so on.
//
// # Algorithm
//
// This is the retrograde analysis of K. Thompson, "Retrograde Analysis of Certain
// Endgames", ICCA Journal 9(3), 1986, with counters of moves. A move that takes
// nothing leads from a class to the one with the sides exchanged, and a capture to a
// class with a man less. So such a pair of classes is solved together, after all with
// fewer men:
//
//  1. Set up. Each position with a win in one ply gets it. Of the others the moves
//     that take nothing are counted, and captures are looked up in the classes below.
//     If one wins, its distance is noted; if all lose, the longest, and they are
//     counted as one more move; if the best draws, they are counted as one more move
//     for good.
//  2. For the distances d = 1, 2, ... : captures that were noted for d count now.
//     Then, from every position of the distance d, the moves that may have led there
//     are taken back. If d is even, the position is lost, and what leads there is won
//     in d+1. If d is odd, it is won, and what leads there has a move less; without
//     one it is lost in d+1.
//  3. What has no distance when no more comes is drawn.
//
// So each move is generated once forwards and once backwards, where sweeps over all
// positions without a value would generate it once a distance. A byte a position is
// its counter until it has a distance; a second byte has what is noted of captures;
// two bits say whether it has the distance d or d+1. A counter is 41 at most, which
// leaves 214 distances ([Longest]); a table that would need more is refused with
// [ErrTooLong].
//
// A side whose men cannot step passes and chooses a card to exchange. It takes five
// men of one side to be stuck with two real cards (all on the last row with Boar and
// Crab, for instance), so only tables of six men have such positions.
//
// # A second program
//
// check.py in this folder solves positions of up to four men from the printed rules by
// another method, all classes at once, and compares every byte of a file.
//
// # Threads
//
// The work is cut by class and deal. A deal and an exchanged card lead to one deal of
// the other class, so taking moves back into one deal writes there only, and reads
// bits that nobody writes meanwhile. The bytes of a file do not depend on the number
// of threads. A [Table] may be used by several goroutines, a [Replay] by one.
//
// # Errors
//
// Reading refuses what is no bitbase, of another version, cut off or changed in any
// byte, and says in one line where and what would be right. Building goes on from the
// finished classes of an earlier call; see [Build].
package bitbase
