// Package players turns descriptions such as "mcts:playouts=400,model=strong" into
// players. A [Spec] is what was written, a [PlayerSpec] what was checked; [Players]
// makes entrants of matches of them, and [FixedTree] and [ParseFixedClassical] searches
// whose answers are functions of position and budget alone.
package players
