package onitama

import (
	"slices"
	"strings"

	"github.com/carozero/carozero/game/onitama"
)

// Version names this version of the input planes, as in a model's metadata.
const Version = "onitama-1"

// The input planes of version 1, in order.
const (
	PlaneBoard       = iota // 1 on every square
	PlaneOwnStudents        // of the side to move
	PlaneOwnMaster
	PlaneOppStudents // of its opponent
	PlaneOppMaster
	PlaneOwnTemple // where the own master starts
	PlaneOppTemple // where the own master wins
	PlaneOwnFirst  // vectors of the cards, from c3
	PlaneOwnSecond
	PlaneOppFirst
	PlaneOppSecond
	PlaneSide

	Planes // their number
)

// Globals is the number of scalar inputs: 1 for each card that the side to move
// holds, then for the opponent's, then for the side card.
const Globals = 3 * onitama.Cards

var planeNames = [Planes]string{
	"board", "own_students", "own_master", "opp_students", "opp_master", "own_temple", "opp_temple",
	"own_card_1", "own_card_2", "opp_card_1", "opp_card_2", "side_card",
}

// PlaneNames returns the names of the input planes in order, in a slice of the
// caller's own.
func PlaneNames() []string { return slices.Clone(planeNames[:]) }

// GlobalNames returns the names of the scalar inputs in order: "own_boar" to
// "side_tiger".
func GlobalNames() []string {
	names := make([]string, 0, Globals)
	for _, holder := range [...]string{"own_", "opp_", "side_"} {
		for card := range onitama.Card(onitama.Cards) {
			names = append(names, holder+strings.ToLower(card.String()))
		}
	}
	return names
}
