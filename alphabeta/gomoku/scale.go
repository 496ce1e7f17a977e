package gomoku

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"

	rules "github.com/carozero/carozero/game/gomoku"
)

// usualScale is the scale of a rule set to which none was fitted.
const usualScale = 200

// Scale returns the score of a search with the fitted weights at which the odds of
// winning are e to 1, as it was fitted to games of the rule set.
func Scale(r rules.Rules) float64 {
	if s, ok := scales[r.Name]; ok {
		return s
	}
	return usualScale
}

// Digest returns the SHA-256, in hexadecimal digits, of the numbers that the search uses
// for a rule set: the evaluation's weights, fitted or set by hand, and the order of moves.
func Digest(r rules.Rules, byHand bool) string {
	w := fitted(r)
	if byHand {
		w = HandWeights(r)
	}
	sum := sha256.New()
	// A hash takes all bytes, and all of these have a fixed size.
	_ = binary.Write(sum, binary.LittleEndian, w)
	_ = binary.Write(sum, binary.LittleEndian, fittedOrders[orderName(&r)])
	return hex.EncodeToString(sum.Sum(nil))
}
