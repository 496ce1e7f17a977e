// Package tactics keeps a suite of positions of the gomoku family whose forced
// wins, or lack of them, are proven, and runs solvers and engines over it. A win in
// the suite has been played against every legal defence (alphabeta/vcf);
// "none" says that the search for a win of that kind was exhausted.
package tactics
