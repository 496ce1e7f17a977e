// Package pn proves wins that quiet moves are part of, in the gomoku family, by
// proof-number search.
//
// # What is searched
//
// Package vcf finds wins in which every move of the attacker is a four or a three. Here
// the attacker may also make a move that is neither, if it threatens to win by them.
// The attacker is the side to move. W is the least set of positions with it to move in
// which
//
//   - it wins by fours, or by fours and threes, as the solver of package vcf finds within
//     a small budget; or
//   - some move of its is a threat and leads, whatever the reply, to a position of W.
//
// A move is a threat if it parries a five, or if the attacker would win by fours, or by
// fours and threes, should the defender pass. No proof hangs on that pass: whatever the
// threat, every legal reply is played.
//
// # How it is searched
//
// The search is df-pn (Nagai, "Df-pn Algorithm for Searching AND/OR Trees and Its
// Applications", thesis, 2002), after the proof numbers of Allis (1994), with weak sums
// and the 1+epsilon trick as in package vcf. What differs is the price of a position. To
// expand one asks the solver up to two hundred times: with the attacker to move whether it
// wins; with the defender to move whether that is a threat, and which of its replies do not
// lose to fours at once. So a position keeps the moves that are left of
// it, and is expanded once. The positions lie in a table of bounded size. When it is
// full, the undecided positions that the least work hangs on are dropped, until half of
// it is free; dropped positions are expanded again if the search comes back to them.
// No position can come back on a path, so the table's numbers do not depend on the path;
// see package vcf.
//
// # Advice
//
// Where a threat is quiet, all but a few replies have to be refuted, and a search that does
// not know which of the attacker's moves is the right one sinks in those of the wrong ones.
// An [Adviser], another search that sees far and proves nothing, says which one to look
// into: that move begins with the proof number of an open position, the others with that
// of an unlikely one. It counts whether or not it is a threat, so that wins are found that
// begin outside W. The adviser is asked for each position with the attacker to move, and
// asked again, for longer, where much work was spent.
//
// What was searched under bad advice on the root is worth little, and good advice takes
// long. So the search goes by rounds. Each begins with advice on the root that takes four
// times as long as before, and drops what the rounds before have left undecided.
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
// [Solver.Save] writes the table, [Solver.Load] reads it. A search that was saved before a
// round and loaded finds the same as one that was not stopped. The adviser's memory is not
// saved, so what is saved within a round goes on without it.
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
