package engine

// SolverNodes are the budgets, in moves played, of the solvers that prove
// forced wins for a tree search. Zero turns a solver off.
type SolverNodes struct {
	Leaf     int `json:"leaf"`    // continuous fours, at each leaf
	Root     int `json:"root"`    // continuous fours, then continuous threats, at each root
	Defences int `json:"parries"` // continuous fours of the opponent, after each move of a root
}

// DefaultSolvers returns the budgets with which a search plays best at equal
// playouts, as far as was measured.
func DefaultSolvers() SolverNodes { return SolverNodes{Leaf: 500, Root: 2_000, Defences: 500} }
