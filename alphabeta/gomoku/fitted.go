package gomoku

// fittedWeights holds the generated weights by the name of the rule set. Package
// fit has the recipe.
var fittedWeights = map[string]*Weights{
	"caro":      &caroWeights,
	"freestyle": &freestyleWeights,
	"renju":     &renjuWeights,
	"standard":  &standardWeights,
}
