package analysis

import (
	"fmt"
	"strconv"
	"unicode"
)

// Code says of which kind an error is, for programs: its text is for people and may
// change. What HTTP refuses has the same codes.
type Code string

// The codes.
const (
	Malformed Code = "malformed" // no JSON object, or no game in a format that is known
	Invalid   Code = "invalid"   // a field is missing or wrong
	Illegal   Code = "illegal"   // a position or a move that the rules forbid
	TooBig    Code = "too_big"   // more bytes, moves or games than are taken
	Busy      Code = "busy"      // so much is under way that there is no room: ask again later
	Failed    Code = "failed"    // what was asked is right, and could not be done
	Internal  Code = "internal"  // a mistake in the program

	// Of HTTP alone.
	NoToken     Code = "token"      // the token is missing or wrong
	NotAllowed  Code = "forbidden"  // a name that the server does not have, or another site's page
	NotFound    Code = "not_found"  // there is nothing at that path
	WrongMethod Code = "method"     // the path wants another method
	WrongType   Code = "media_type" // the path wants another Content-Type
	NoUpgrade   Code = "upgrade"    // the path wants a WebSocket
	Changed     Code = "changed"    // somebody else has changed the same meanwhile
)

// Codes returns all codes.
func Codes() []Code {
	return []Code{Malformed, Invalid, Illegal, TooBig, Busy, Failed, Internal, NoToken, NotAllowed, NotFound, WrongMethod, WrongType, NoUpgrade, Changed}
}

// entry returns the path of an entry of a list, from 0.
func entry(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// member returns the path of a field of an object, "" for the message itself. A name
// that is no word is quoted, as in overrideSettings["alphabeta.table"].
func member(object, name string) string {
	switch {
	case !isWord(name):
		return fmt.Sprintf("%s[%q]", object, clip(name))
	case object == "":
		return clip(name)
	}
	return object + "." + clip(name)
}

// isWord reports whether a name can stand in a path as it is.
func isWord(name string) bool {
	for i, r := range name {
		if r != '_' && r != '-' && !unicode.IsLetter(r) && (i == 0 || !unicode.IsDigit(r)) {
			return false
		}
	}
	return name != ""
}
