package analysis

import (
	"bytes"
	"encoding/json"
	"fmt"
	"math"
	"strconv"
	"strings"
	"unicode"

	"github.com/carozero/carozero/game"
)

// fields are those of a JSON object that a peer has sent, of which one after the
// other is read. The first that is wrong is kept, and everything read after it has
// no meaning.
type fields struct {
	of    map[string]json.RawMessage
	wrong *Problem
}

// fail notes that a field is wrong, which a path names.
func (f *fields) fail(path, format string, args ...any) { f.failAs(Invalid, path, format, args...) }

// failAs is fail with a code.
func (f *fields) failAs(code Code, path, format string, args ...any) {
	if f.wrong == nil {
		f.wrong = &Problem{Error: fmt.Sprintf(format, args...), Code: code, Field: path}
	}
}

// has reports whether a field is there; null is as good as none.
func (f *fields) has(name string) bool {
	raw, ok := f.of[name]
	return ok && string(raw) != "null"
}

// text reads a string, if the field is there.
func (f *fields) text(name string, into *string) { value(f, name, "a string", into) }

// truth reads true or false, if the field is there.
func (f *fields) truth(name string, into *bool) { value(f, name, "true or false", into) }

// value reads a value of JSON, if the field is there.
func value[T string | bool](f *fields, name, what string, into *T) {
	if f.has(name) && json.Unmarshal(f.of[name], into) != nil {
		f.fail(name, "want %s, found %s", what, found(f.of[name]))
	}
}

// whole reads a whole number in a range, if the field is there.
func whole[T int | int64](f *fields, name string, least, most int64, into *T) {
	if !f.has(name) {
		return
	}
	n, ok := isWhole(f.of[name])
	if !ok || n < least || n > most {
		f.fail(name, "want a whole number from %d to %d, found %s", least, most, found(f.of[name]))
		return
	}
	*into = T(n)
}

// decimal reads a number in a range, if the field is there; what says what is wanted, as
// in "number of seconds".
func (f *fields) decimal(name, what string, least, most float64, into *float64) {
	if !f.has(name) {
		return
	}
	x, err := strconv.ParseFloat(string(f.of[name]), 64)
	if err != nil || !(x >= least && x <= most) {
		f.fail(name, "want a %s from %v to %v, found %s", what, least, most, found(f.of[name]))
		return
	}
	*into = x
}

// list returns the elements of a list, none if the field is not there.
func (f *fields) list(name string, what string) []json.RawMessage {
	if !f.has(name) {
		return nil
	}
	list, ok := isList(f.of[name])
	if !ok {
		f.fail(name, "want a list of %s, found %s", what, found(f.of[name]))
	}
	return list
}

// wholes reads a list of whole numbers in a range.
func (f *fields) wholes(name string, least, most int64) []int64 {
	what := fmt.Sprintf("whole numbers from %d to %d", least, most)
	var list []int64
	for i, raw := range f.list(name, what) {
		n, ok := isWhole(raw)
		if !ok || n < least || n > most {
			f.fail(entry(name, i), "want a list of %s, found %s in it", what, found(raw))
			return nil
		}
		list = append(list, n)
	}
	return list
}

// isText reads a JSON string.
func isText(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// isWhole reads a JSON number without fraction and exponent that fits 64 bits.
func isWhole(raw json.RawMessage) (int64, bool) {
	n, err := strconv.ParseInt(string(raw), 10, 64)
	return n, err == nil
}

// isList reads the elements of a JSON list.
func isList(raw json.RawMessage) (list []json.RawMessage, ok bool) {
	return list, len(raw) > 0 && raw[0] == '[' && json.Unmarshal(raw, &list) == nil
}

// isObject reads the fields of a JSON object.
func isObject(raw json.RawMessage) (of map[string]json.RawMessage, ok bool) {
	return of, len(raw) > 0 && raw[0] == '{' && json.Unmarshal(raw, &of) == nil
}

// found returns a piece of JSON as messages show it.
func found(raw json.RawMessage) string {
	const most = 40
	if len(raw) > most {
		return string(bytes.ToValidUTF8(raw[:most], nil)) + "..."
	}
	return string(raw)
}

// finite returns x, and 0 in the place of what JSON has no form for. Networks
// whose outputs are not finite are errors long before.
func finite(x float32) float32 {
	if y := float64(x); math.IsNaN(y) || math.IsInf(y, 0) {
		return 0
	}
	return x
}

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
	return []Code{Malformed, Invalid, Illegal, TooBig, Busy, Failed, Internal, NoToken, NotAllowed, NotFound, WrongMethod,
		WrongType, NoUpgrade, Changed}
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

// longestMove bounds the text of a move, in bytes.
const longestMove = 64

// parseMove reads the text of one move.
func parseMove(n game.Notation, text string) (game.Move, error) {
	if len(text) > longestMove {
		return game.NoMove, fmt.Errorf("a move of %d bytes: want at most %d", len(text), longestMove)
	}
	moves, err := n.ParseMoves(text)
	if err != nil {
		return game.NoMove, err
	}
	if len(moves) != 1 {
		return game.NoMove, fmt.Errorf("%q are %d moves: want one", text, len(moves))
	}
	return moves[0], nil
}

// PlayerOf returns the name of a side: the first player is Black.
func PlayerOf(side game.Side) string {
	if side == game.First {
		return "B"
	}
	return "W"
}

// parsePlayer returns the side of a name, in any case.
func parsePlayer(name string) (game.Side, bool) {
	switch strings.ToLower(name) {
	case "b", "black", "first":
		return game.First, true
	case "w", "white", "second":
		return game.Second, true
	}
	return game.First, false
}

// winnerOf returns who has won a game.
func winnerOf(o game.Outcome) string {
	switch o {
	case game.FirstWins:
		return PlayerOf(game.First)
	case game.SecondWins:
		return PlayerOf(game.Second)
	}
	return "none"
}

// shown returns a text of a peer as messages show it: quoted, and shortened.
func shown(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "..."
	}
	return strconv.Quote(text)
}
