// Package pn proves wins that quiet moves are part of, in the gomoku family, by
// proof-number search.
//
// # What is searched
//
// Package vcf finds wins in which every move of the attacker is a four or a three. Here
// the attacker may also make a move that is neither, if it threatens to win by fours.
// The attacker is the side to move. W is the least set of positions with it to move in
// which
//
//   - it wins by fours, or by fours and threes, as the solver of package vcf finds within
//     a small budget; or
//   - some move of its is a threat and leads, whatever the reply, to a position of W.
//
// A move is a threat if the attacker would win by fours, should the defender pass. No
// proof hangs on that pass: whatever the threat, every legal reply is played. When that
// finds nothing, or after [Options.Narrow] moves, the search becomes wide: a move counts
// too if it threatens to win by fours and threes, or parries a five. Such a threat leaves
// some ten times as many replies, and so is tried where the others fail.
//
// # How it is searched
//
// The search is df-pn (Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its
// Applications", thesis, 2002), after the proof numbers of Allis (1994), with weak sums
// and the 1+epsilon trick as in package vcf. What differs is the price of a position. To
// expand one asks the solver some two hundred times: with the attacker to move whether it
// wins, and which of its moves are threats; with the defender to move which of its
// replies do not lose to fours at once. So a position keeps the moves that are left of
// it, and is expanded once. The positions lie in a table of bounded size. When it is
// full, the undecided positions that the least work hangs on are dropped, until half of
// it is free; dropped positions are expanded again if the search comes back to them.
//
// No position can come back on a path, so the table's numbers do not depend on the path;
// see package vcf.
//
// # What a win is worth
//
// [Solver.Solve] plays every win that it finds against every legal reply, by the rules
// alone, before it reports it: it writes the certificate of package certificate, and
// what cannot be certified is not called a win. None means that no position was cut off
// by a budget, and says that the position is not in W; there may be other wins.
//
// # Going on
//
// [Solver.Save] writes the table, [Solver.Load] reads it. A search that is cut into calls
// of Solve with growing budgets finds the same whether or not the table is saved and
// loaded between them.
//
// # Who wins
//
// [Decider] finds out who wins a position, or that nobody does: by a [Holder] for each side,
// the same search with the aim not to lose, in which every move of both sides counts.
// Pairings (pairing.go) end it early, except where stones are captured. It is for small
// boards. Its tables are bounded and can be saved; of what they dropped, a certificate's
// writer finds again what it needs.
//
// # Letters
//
// pn and dn are a proof and a disproof number, th the thresholds at which a search of a
// position is left, m a move of either side.
package pn
