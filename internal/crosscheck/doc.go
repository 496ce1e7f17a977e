// Package crosscheck runs two engines over the same positions and finds out,
// where they disagree, whether one of them is provably wrong.
//
// Each position is searched by the tree search (MCTS) and by the classical
// search (alpha-beta), each from nothing, with a fixed budget. Where they play
// the same move the verdict is Agree. Where they do not, each is given more:
// the solvers of forced wins look for a win in the position and for the
// opponent's win after either move, alpha-beta searches the position after
// either move, and MCTS the position itself, with several times their budgets.
//
// # What counts as a blunder
//
// A forced win that was replayed through the rules against every legal defence
// (package alphabeta/vcf) is a proof. A mate score, a proven node of a tree
// and a solver's win are claims. A claim never makes a move a blunder; it can only clear one.
//
// A move is a blunder
//
//   - if it loses: the opponent has a proven win after it, and another move is
//     shown to hold: it leaves the opponent no win by fours and threes, and
//     alpha-beta claims none after it; or its side had a proven win itself. It is
//     none where the solver claims, or alpha-beta looking deeper, that every move
//     loses.
//   - if it misses a win: its side had a proven win, the opponent has a reply to
//     the move after which no win by fours and threes is left, and neither
//     engine, looking deeper, claims that the move wins all the same.
//
// That no win by fours and threes is left is shown by a search that refuted every
// one of them and was not cut short ([vcf.Solver.Escape]); a budget that was
// spent shows nothing. The search gets at least ten times what finding the win
// took. After the reply alpha-beta gets ten times that as well; if it claims a win
// the reply shows nothing, because a win with a quiet move is of no kind that the
// solver searches: such a win is the one thing that could make a conviction false.
// Another reply is looked for then. Before a move counts as a blunder, alpha-beta looks at
// the position after it, or at the one in which every move may lose, with as many
// nodes as it had after the reply.
//
// A move that looks like a blunder by all this but for what has to be shown makes
// the position Unproven, which no gate counts.
//
// # Why some moves that lose stay unproven
//
// That a move loses is proven by a win which stands for good; that it is a blunder says
// besides that the position was not lost. Of this there is no proof short of a won
// position: a search can only show that a kind of win is missing. So a rule that convicts
// every move that loses convicts in lost positions, one that acquits wherever all moves are
// seen to lose turns round as soon as a larger budget sees it, and one that waits for a
// proof keeps only what lost a won position. The rule here asks for the strongest thing
// that can be shown, and what fails it stands in the row as unproven, with the proof that
// it loses. Losing sooner than another move would is not a blunder: how long a lost
// position can be held depends on the budget in the same way.
//
// In gomoku the solvers prove wins by fours and threes, in Onitama by all moves of both
// sides; there no reply is shown to leave no win, and only moves that lose are convicted. In
// every game a move that ends the game is a proof of itself.
//
// # Order and repetition
//
// Workers judge positions in any order; rows are written in the order of the
// input, and each is a function of its position and the options alone.
package crosscheck
