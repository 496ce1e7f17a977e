package analysis

import (
	"encoding/json"
	"fmt"
	"reflect"
	"regexp"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
)

// fields are those of a JSON object that a peer has sent. The first that is wrong is kept,
// and everything read after it has no meaning.
type fields struct {
	of    map[string]json.RawMessage
	path  string   // of the object in the message, "" for the message itself
	wrong *Problem // shared with the objects within; without an error: nothing is wrong
}

// failed reports whether a field was wrong.
func (f *fields) failed() bool { return f.wrong.Error != "" }

// fail notes that a field is wrong, which a path in the object names.
func (f *fields) fail(path, format string, args ...any) { f.failAs(Invalid, path, format, args...) }

// failAs is fail with a code.
func (f *fields) failAs(code Code, path, format string, args ...any) {
	if f.failed() {
		return
	}
	if f.path != "" {
		path = f.path + "." + path
	}
	*f.wrong = Problem{Error: fmt.Sprintf(format, args...), Code: code, Field: path}
}

// has reports whether a field is there; null is as good as none.
func (f *fields) has(name string) bool {
	raw, ok := f.of[name]
	return ok && string(raw) != "null"
}

// object returns the fields of an object at a path.
func (f *fields) object(path string, raw json.RawMessage) *fields {
	o := &fields{path: path, wrong: f.wrong}
	if json.Unmarshal(raw, &o.of) != nil {
		f.fail(path, "want an object, found %s", found(raw))
	}
	return o
}

// bounds are the least and the most of numbers, and of the bytes of texts, by the names of
// their fields. A text without bounds has any length.
type bounds map[string][2]int64

// read reads the fields that a struct names by its tags, if they are there.
func (f *fields) read(into any, within bounds) {
	v := reflect.ValueOf(into).Elem()
	for i := range v.NumField() {
		if name := v.Type().Field(i).Tag.Get("json"); f.has(name) {
			f.value(name, f.of[name], v.Field(i).Addr().Interface(), within[name])
		}
	}
}

// value reads a value at a path.
func (f *fields) value(path string, raw json.RawMessage, into any, within [2]int64) {
	what, inside, length := "an object", true, 0
	err := json.Unmarshal(raw, into)
	whole := func(n int64) {
		what = fmt.Sprintf("a whole number from %d to %d", within[0], within[1])
		inside = within[0] <= n && n <= within[1]
	}
	switch p := into.(type) {
	case *int:
		whole(int64(*p))
	case *int64:
		whole(*p)
	case *float64:
		what = fmt.Sprintf("a number from %d to %d", within[0], within[1])
		inside = float64(within[0]) <= *p && *p <= float64(within[1])
	case *bool:
		what = "true or false"
	case *string:
		what, length = "a string", len(*p)
	case *[]int:
		var list []json.RawMessage
		f.value(path, raw, &list, within)
		*p = make([]int, len(list))
		for i := range list {
			f.value(entry(path, i), list[i], &(*p)[i], within)
		}
		return
	case *[]json.RawMessage:
		what = "a list"
	case **player:
		what = "B or W"
	case *EngineName:
		what = "the name of an engine"
	}
	switch _, shape := err.(*json.UnmarshalTypeError); {
	case err != nil && !shape: // what the type itself says
		f.fail(path, "%v", err)
	case err != nil || !inside:
		f.fail(path, "want %s, found %s", what, found(raw))
	case within[1] > 0 && int64(length) > within[1]:
		f.failAs(TooBig, path, "a text of %d bytes: want at most %d", length, within[1])
	}
}

// tags are the names of the fields of structs.
func tags(structs ...any) (names []string) {
	for _, s := range structs {
		for field := range reflect.TypeOf(s).Fields() {
			if name := field.Tag.Get("json"); name != "" {
				names = append(names, name)
			}
		}
	}
	return names
}

// isText reads a JSON string.
func isText(raw json.RawMessage, into *string) bool {
	return len(raw) > 0 && raw[0] == '"' && json.Unmarshal(raw, into) == nil
}

// found returns a piece of JSON as messages show it, Shown a text, quoted.
func found(raw json.RawMessage) string { return clip(string(raw), 40) }
func Shown(text string) string         { return strconv.Quote(clip(text, 40)) }

// clip shortens a text of a peer.
func clip(text string, most int) string {
	if len(text) > most {
		return strings.ToValidUTF8(text[:most], "") + "..."
	}
	return text
}

// entry returns the path of an entry of a list, from 0.
func entry(list string, i int) string { return list + "[" + strconv.Itoa(i) + "]" }

// word is a name that stands in a path as it is.
var word = regexp.MustCompile(`^[\pL_-][\pL\pN_-]*$`)

// member returns the path of a field of an object, "" for the message itself. A name
// that is no word is quoted, as in overrideSettings["alphabeta.table"].
func member(object, name string) string {
	short := clip(name, longestWord)
	switch {
	case !word.MatchString(name):
		return fmt.Sprintf("%s[%q]", object, short)
	case object == "":
		return short
	}
	return object + "." + short
}

// longestWord bounds the texts of moves and settings and the names of games, rules and levels, in bytes.
const longestWord = 64

// parseMove reads the text of one move.
func parseMove(n game.Notation, text string) (game.Move, error) {
	if len(text) > longestWord {
		return game.NoMove, fmt.Errorf("a move of %d bytes: want at most %d", len(text), longestWord)
	}
	moves, err := n.ParseMoves(text)
	if err == nil && len(moves) != 1 {
		err = fmt.Errorf("%q are %d moves: want one", text, len(moves))
	}
	if err != nil {
		return game.NoMove, err
	}
	return moves[0], nil
}

// player is a side as peers name it, in any case.
type player game.Side

// UnmarshalText implements [encoding.TextUnmarshaler].
func (p *player) UnmarshalText(text []byte) error {
	switch strings.ToLower(string(text)) {
	case "b", "black", "first":
		*p = player(game.First)
	case "w", "white", "second":
		*p = player(game.Second)
	default:
		return fmt.Errorf("unknown player %s: want B or W", Shown(string(text)))
	}
	return nil
}

// PlayerOf returns the name of a side: the first player is Black.
func PlayerOf(side game.Side) string { return [2]string{"B", "W"}[side] }

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
