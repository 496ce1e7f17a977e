package gamefiles

import (
	"regexp"

	"github.com/carozero/carozero/internal/record"
)

// deal begins a game of Onitama: the names of cards.
var deal = regexp.MustCompile(`^\x{feff}?\s*[A-Za-z]+,[A-Za-z]+/[A-Za-z]+,[A-Za-z]+/[A-Za-z]+`)

// Dealt reports whether the games of a file are of cards that are dealt, by its first
// [record.HeadBytes] bytes and its name, which may be "": they are what the server Litama
// tells, or a list in which cards come first.
func Dealt(head []byte, name string) bool {
	return deal.Match(head) || record.Detect(head, name) == record.Litama
}
