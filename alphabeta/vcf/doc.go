// Package vcf finds victories by continuous threats in the gomoku family: by
// fours alone (VCF), by fours and threes (VCT), or with quiet moves that threaten fours.
//
// # What is searched
//
// The attacker is the side to move. A four is a stone after which the attacker
// wins with its next move if the defender passes; a three is one after which,
// if the defender passes, the attacker has a stone that leaves it completing
// cells which no single reply takes away (pattern.OpenFour and
// pattern.DoubleFour). Where captures count there are no such cells, since a
// capture may break any line: there a three is a stone that captures, or is one
// of three of the attacker in a row of five cells that holds no stone of the
// defender, and after which, if the defender passes, the attacker wins by fours
// within two moves (Solver.captureThree). Let A(d) be the positions in which
// the attacker wins within d moves of its own:
//
//	A(1): some move wins at once;
//	A(d): some four, or with VCT some three, leads for every legal reply of
//	      the defender to a position of A(d-1).
//
// A win in A(d) takes 2d-1 plies.
//
// # How it is searched
//
// First, Solve deepens d by one until the root is in A(d), which is then the
// shortest win of its kind, or until no branch was cut off by d: then there is
// none. Most wins in games are short, and nothing finds a short win sooner. The
// work grows exponentially with d, though. Deepening therefore gets all of a
// small budget, but only a share of a large one. What is left goes to a search
// that has no limit of depth:
//
//   - For fours, Solver.dive goes depth first after any win, fours near the last
//     one first. A position without a win is kept in the table and never
//     searched again. The reply to a four is nearly always one, so there is no
//     breadth to balance, and a win of 150 plies may take some ten thousand
//     moves.
//   - For threes, Solver.prove is depth-first proof-number search: df-pn of
//     Nagai (2002), after the proof numbers of Allis (1994), who also found what
//     threats are good for. It goes where the attacker, or the defender, has the
//     fewest positions left to decide. A new position is first searched for
//     fours with a few nodes. Moves transpose all the time, which makes sums of
//     numbers count the same positions again and again, so that the greatest
//     number stands for the sum (weak proof numbers; alphabeta.ProofNumbers), and a move may
//     become a little worse than the next one before that is turned to (1+epsilon
//     of Pawlewicz and Lew).
//
// The same position cannot come back: a move adds a stone, or takes stones off
// and adds to the number that its side has captured, which is part of the key.
// So what the table knows of a position never depends on how it was reached, and
// the graph-history interaction that df-pn must fear elsewhere (Kishimoto and
// Müller 2004) does not arise.
//
// # What the length of a win means
//
// Result.Shortest is true of what deepening found. The other searches find a
// win, not the shortest. Solve then keeps the whole proof, and with it knows the
// longest line; it looks for shorter wins by fours until there are none or it
// has taken as many moves again and half of the budget. Follow plays the kept
// proof against whatever the defender does.
//
// # Quiet moves
//
// A search of the kind Quiet is df-pn as for threes, in which the attacker may also make a
// move that is no four and no three, if it would win by fours should the defender pass: a
// lambda-2 search (Thomsen, "Lambda-Search in Game Trees", 2000). Such a move is tried where
// the others look bad. First the replies are searched that may matter to that win
// (Solver.addZone), then all legal ones that do not lose to fours within as many moves; no
// proof hangs on the pass. As its searches for fours are cut short, it never says None. An
// Adviser says which move to look into first at the root, and where much work is spent.
//
// # Which replies are tried
//
// The definition speaks of every legal reply. Those that are not tried lose at
// once, by these arguments:
//
//   - After a four, a reply that neither wins nor takes all completing cells
//     away loses to the five. What takes a completing cell away is a stone on
//     it or, where blocked ends count and one end is blocked already, on the
//     empty cell beyond the other end (Solver.fiveDefences). A defence that
//     renju forbids to the defender is no reply.
//   - After a three, let w be a stone that makes an open four or two fours. A
//     reply that makes no four of its own, and leaves some such w what it is,
//     loses to it: w is allowed, since its class says that its own lines do not
//     forbid it and that at most one open three crosses it, and a stone of the
//     other side adds no three. So the replies to try are those that take away
//     or weaken every such w (pattern.Board.OpenFourDefences), and the defender's
//     fours (Solver.listThreeDefences). Where all such w are cells that two open
//     threes cross and that renju may or may not allow, every reply is tried.
//   - Where captures count, see Solver.zone for fours. After a three every legal
//     reply is tried, and left out only once it has lost to fours.
//
// Every tried reply is played and its position searched, so counter-fours and
// fives of the defender need no special treatment: the attacker must go on
// with a four or three that is also a defence.
//
// # Where it says unknown
//
// Rules with double-three but no captures, which no named rule set has, are
// Unknown beyond a win in one.
//
// # Letters
//
// d is a number of attacking moves, w a winning stone of the attacker, m a move
// of it, p a reply, pn and dn a proof and a disproof number, th the thresholds
// at which a search of a position is left.
package vcf
