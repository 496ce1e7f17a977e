package onitama

import "slices"

// Version names this version of the input planes, as in a model's metadata.
const Version = "onitama-2"

// The input planes of version 2, in order.
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

// The scalar inputs of version 2, in order. None speaks of a card by its number: the
// planes show what each card does, so cards that were not known yet need no new version.
const (
	GlobalOwnMen = iota // of the side to move, its master included, / 5
	GlobalOppMen        // of its opponent

	Globals // their number
)

var globalNames = [Globals]string{"own_men", "opp_men"}

var planeNames = [Planes]string{
	"board", "own_students", "own_master", "opp_students", "opp_master", "own_temple", "opp_temple",
	"own_card_1", "own_card_2", "opp_card_1", "opp_card_2", "side_card",
}

// PlaneNames returns the names of the input planes in order, in a slice of the
// caller's own.
func PlaneNames() []string { return slices.Clone(planeNames[:]) }

// GlobalNames returns the names of the scalar inputs in order, in a slice of the
// caller's own.
func GlobalNames() []string { return slices.Clone(globalNames[:]) }
