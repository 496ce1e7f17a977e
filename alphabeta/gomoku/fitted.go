package gomoku

// fittedWeights holds the generated weights by the name of the rule set. Package
// fit has the recipe.
var fittedWeights = map[string]*Weights{
	"caro":      &caroWeights,
	"freestyle": &freestyleWeights,
	"renju":     &renjuWeights,
	"standard":  &standardWeights,
}

// fittedOrders holds the generated orders of moves by the name of the rule set,
// that of freestyle for all others.
var fittedOrders = map[string]*Order{
	"freestyle": &freestyleOrder,
}
