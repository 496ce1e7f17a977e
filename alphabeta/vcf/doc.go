// Package vcf finds victories by continuous threats in the gomoku family: by
// fours alone (VCF), or by fours and threes (VCT).
//
// # What is searched
//
// The attacker is the side to move. A four is a stone after which the attacker
// wins with its next move if the defender passes; a three is one after which,
// if the defender passes, the attacker has a stone that leaves it completing
// cells which no single reply takes away (pattern.OpenFour and
// pattern.DoubleFour). Let A(d) be the positions in which the attacker wins
// within d moves of its own:
//
//	A(1): some move wins at once;
//	A(d): some four, or with VCT some three, leads for every legal reply of
//	      the defender to a position of A(d-1).
//
// Solve deepens d by one until the root is in A(d), which is then the shortest
// win of its kind and takes 2d-1 plies, or until no branch was cut off by d:
// then there is none. Otherwise the budget was spent.
//
// # Which replies are tried
//
// The definition speaks of every legal reply. Those that are not tried lose at
// once, by these arguments:
//
//   - After a four, a reply that neither wins nor takes all completing cells
//     away loses to the five. What takes a completing cell away is a stone on
//     it or, where blocked ends count and one end is blocked already, on the
//     empty cell beyond the other end (Solver.parries). A parry that renju
//     forbids to the defender is no reply.
//   - After a three, let w be a stone that wins if the defender passes. The
//     fives through w, and what blocks them, lie on the four lines through w
//     at most five cells away. A reply elsewhere that makes no four of its own
//     changes none of that and loses to w. So the replies to try are those
//     near every such w, and the defender's fours (Solver.defences). For a
//     side that renju restricts, only a w that at most one three crosses is
//     used in this way, because whether it is allowed is then a matter of its
//     own lines too.
//   - Where captures count, see Solver.zone.
//
// Every tried reply is played and its position searched, so counter-fours and
// fives of the defender need no special treatment: the attacker must go on
// with a four or three that also parries.
//
// # Where it says unknown
//
// VCT under captures (school42) only looks for VCF and then answers Unknown: a
// three can be answered by building a capture anywhere on its lines, and the
// sets above are not complete. Rules with double-three but no captures, which
// no named rule set has, are answered Unknown beyond a win in one.
//
// # Letters
//
// d is a number of attacking moves, w a winning stone of the attacker, m a move
// of it and p a reply.
package vcf
