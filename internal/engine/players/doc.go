// Package players turns descriptions such as "mcts:playouts=400,model=strong" into players.
// A [Spec] is a parsed description and a [PlayerSpec] a checked one; [Players] turns it
// into an entrant of a match. [FixedTree] and [ParseFixedClassical] describe searches whose
// results depend on position and budget alone.
package players
