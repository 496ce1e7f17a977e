package gamefiles

import "regexp"

// deal begins a game of Onitama: the names of cards.
var deal = regexp.MustCompile(`^\x{feff}?\s*[A-Za-z]+,[A-Za-z]+/[A-Za-z]+,[A-Za-z]+/[A-Za-z]+`)

// Dealt reports whether the games of a file are of cards that are dealt, by its beginning:
// a list in which cards come first.
func Dealt(head []byte) bool { return deal.Match(head) }
