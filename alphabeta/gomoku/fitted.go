package gomoku

// fittedWeights holds the generated weights by the name of the rule set. Package
// fit has the recipe.
var fittedWeights = map[string]*Weights{
	"caro":      &caroWeights,
	"freestyle": &freestyleWeights,
	"renju":     &renjuWeights,
	"school42":  &school42Weights,
	"standard":  &standardWeights,

	// The kinds of caro play so much alike that one set of weights serves all.
	"caro-overline":      &caroWeights,
	"caro-edge":          &caroWeights,
	"caro-edge-overline": &caroWeights,
}

// fittedOrders holds the generated orders of moves by the name of the rule set,
// that of freestyle for all others.
var fittedOrders = map[string]*Order{
	"freestyle": &freestyleOrder,
}
