package analysis

import (
	"encoding/json"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
)

// What a query says of its game: variant, start and moves.

// mostMoves bounds the moves of a query: a board is full long before, but a game
// of Onitama goes on.
const mostMoves = 2000

// readGame reads the variant, the position of turn 0 and the moves.
func (q *Query) readGame(f *fields, o *Options) {
	q.readVariant(f, o)
	if f.wrong != nil {
		return
	}
	q.notation = q.Variant.Notation()
	q.readStart(f)
	if f.wrong == nil {
		q.readMoves(f)
	}
}

// readVariant reads game, rules and size. What the options say of rules and size is about
// their own game.
func (q *Query) readVariant(f *fields, o *Options) {
	v, asked := o.Variant, o.Variant.Game
	if f.text("game", &asked); !sameGame(asked, v.Game) {
		v = games.VariantOptions{Game: asked}
	}
	name, open := "rules", "rules" // where the rule set and the opening rule are
	if object, ok := isObject(f.of["rules"]); ok {
		rules := &fields{of: object}
		rules.text("name", &v.Rule)
		rules.truth("openRule", &v.OpenRule)
		if rules.wrong != nil {
			f.fail(member("rules", rules.wrong.Field), "%s: %s", rules.wrong.Field, rules.wrong.Error)
		}
		name, open = "rules.name", "rules.openRule"
	} else {
		f.text("rules", &v.Rule)
	}
	if q.openRule {
		v.OpenRule, open = true, "openRule"
	}
	for _, named := range [][2]string{{"game", v.Game}, {name, v.Rule}} {
		if len(named[1]) > longestMove {
			f.failAs(TooBig, named[0], "names of games and rules have at most %d bytes", longestMove)
		}
	}
	v.Size = readSize(f, v.Game, v.Size)
	if f.wrong != nil {
		return
	}
	var err error
	if q.Variant, err = games.NewVariant(v); err != nil {
		f.fail(blamed(f, v, err, name, open), "%s", inFields(err))
		return
	}
	if only := q.Variant.Of().RuleSets; f.has("rules") && v.Rule != "" && len(only) == 1 && v.Rule != only[0] {
		f.fail(name, "%s: %s has no such rules: leave them out", shown(v.Rule), q.Variant.Game)
		return
	}
	if field := sizeField(f); field != "" && v.Size != q.Variant.Size {
		f.fail(field, "%d: boards of %s are %d wide", v.Size, q.Variant.Game, q.Variant.Size)
	}
}

// sameGame reports whether two names are of one game.
func sameGame(a, b string) bool {
	one, err := games.Find(a)
	other, _ := games.Find(b)
	return err == nil && one == other
}

// blamed returns the field because of which there is no variant: name and open are those
// of the rule set and the opening rule.
func blamed(f *fields, v games.VariantOptions, err error, name, open string) string {
	if _, ok := errors.AsType[*games.OptionError](err); ok {
		return open
	}
	if _, err := games.Find(v.Game); err != nil {
		return "game"
	}
	if field := sizeField(f); field != "" {
		v.Size = 0
		if _, err := games.NewVariant(v); err == nil {
			return field
		}
	}
	return name
}

// sizeField returns the field that says the size of the board, "" if none does.
func sizeField(f *fields) string {
	for _, field := range []string{"boardXSize", "boardYSize"} {
		if f.has(field) {
			return field
		}
	}
	return ""
}

// inFields returns the text of an error about a variant, with its options named as a
// query names them.
func inFields(err error) string {
	if wrong, ok := errors.AsType[*games.OptionError](err); ok {
		return wrong.Naming(func(option string) string {
			if option == games.OpenRuleOption {
				return "openRule"
			}
			return option
		})
	}
	return err.Error()
}

// readSize reads the size of the board, which is square.
func readSize(f *fields, game string, size int) int {
	const none = -1
	x, y := none, none
	least, most := option.BoardSize.Min, option.BoardSize.Max
	if usual, err := games.NewVariant(games.VariantOptions{Game: game}); err == nil {
		least = min(least, int64(usual.Size)) // a further game may have smaller boards
	}
	whole(f, "boardXSize", least, most, &x)
	whole(f, "boardYSize", least, most, &y)
	switch {
	case x == none && y == none:
		return size
	case x != none && y != none && x != y:
		f.fail("boardYSize", "%d with a boardXSize of %d: boards are square", y, x)
	}
	return max(x, y)
}

// readStart reads the position of turn 0.
func (q *Query) readStart(f *fields) {
	v := q.Variant
	side, given := q.readPlayer(f)
	stones := f.list("initialStones", `pairs ["B" or "W", point]`)
	captured := f.wholes("captured", option.Captured.Min, option.Captured.Max)
	if f.has("captured") && len(captured) != 2 {
		f.fail("captured", "want the stones taken by Black and by White, as in [4,2]")
	}
	text := ""
	f.text("initialPosition", &text)
	setup := len(stones) > 0 || len(captured) > 0 || given && side == game.Second && text == "" && v.Columns() > 0
	switch {
	case f.wrong != nil:
	case setup && text != "":
		f.fail("initialPosition", "it excludes initialStones and captured")
	case setup && v.Columns() == 0:
		f.fail("initialStones", "positions of %s are set up by initialPosition", v.Game)
	case setup:
		q.setUp(f, stones, captured, side, given)
	default:
		q.parseStart(f, text, side, given)
	}
}

// parseStart reads the start as a text, in the notation of the command line.
func (q *Query) parseStart(f *fields, text string, side game.Side, given bool) {
	pos, err := q.Variant.Parse(text)
	if err != nil {
		f.fail("initialPosition", "%v", err)
		return
	}
	if given && pos.ToMove() != side {
		f.fail("initialPlayer", "it is %s's turn in the initial position", PlayerOf(pos.ToMove()))
	}
	q.Start = pos
}

// readPlayer reads who moves first: as it is said, or as the first move says.
func (q *Query) readPlayer(f *fields) (side game.Side, given bool) {
	if f.has("initialPlayer") {
		name := ""
		f.text("initialPlayer", &name)
		side, ok := parsePlayer(name)
		if !ok {
			f.fail("initialPlayer", "unknown player %s: want B or W", shown(name))
		}
		return side, true
	}
	moves, _ := isList(f.of["moves"])
	if len(moves) == 0 {
		return game.First, false
	}
	var name string
	if pair, ok := isList(moves[0]); ok && len(pair) == 2 && isText(pair[0], &name) {
		return parsePlayer(name)
	}
	return game.First, false
}

// setUp makes a board of stones.
func (q *Query) setUp(f *fields, stones []json.RawMessage, captured []int64, side game.Side, given bool) {
	size := q.Variant.Columns()
	s := games.Setup{Stones: make([]games.Stone, size*size)}
	for i, raw := range stones {
		path, at := entry("initialStones", i), fmt.Sprintf("entry %d", i+1)
		player, m, ok := q.readPair(f, path, at, raw)
		if !ok {
			return
		}
		if s.Stones[m] != games.NoStone {
			f.failAs(Illegal, path, "%s: there is a stone on %s already", at, q.notation.FormatMove(m))
			return
		}
		s.Stones[m] = games.FirstStone + games.Stone(player)
	}
	if given {
		s.ToMove = &side
	}
	if len(captured) == 2 {
		s.Captured = [2]int{int(captured[0]), int(captured[1])}
	}
	pos, err := q.Variant.SetUp(s)
	if err != nil {
		failSetup(f, err)
		return
	}
	q.Start = pos
}

// failSetup says what is wrong with a setup in terms of the query's fields.
func failSetup(f *fields, err error) {
	wrong, _ := errors.AsType[*games.SetupError](err)
	switch {
	case wrong != nil && wrong.Part == games.CapturedPart:
		f.failAs(Illegal, "captured", "%v", err)
	case wrong != nil && wrong.Part == games.ToMovePart:
		f.fail("initialPlayer", "%v; give initialPlayer", err)
	default:
		f.failAs(Illegal, "initialStones", "%v", err)
	}
}

// readPair reads a player and a move at a path, and at says in messages where that is.
func (q *Query) readPair(f *fields, path, at string, raw json.RawMessage) (game.Side, game.Move, bool) {
	var name, text string
	pair, ok := isList(raw)
	if !ok || len(pair) != 2 || !isText(pair[0], &name) || !isText(pair[1], &text) {
		f.fail(path, `%s: want a pair ["B" or "W", move], found %s`, at, found(raw))
		return game.First, game.NoMove, false
	}
	side, ok := parsePlayer(name)
	if !ok {
		f.fail(entry(path, 0), "%s: unknown player %s: want B or W", at, shown(name))
		return game.First, game.NoMove, false
	}
	m, err := parseMove(q.notation, text)
	if err != nil {
		f.fail(entry(path, 1), "%s: %v", at, err)
		return game.First, game.NoMove, false
	}
	return side, m, true
}

// readMoves reads and plays the moves: pairs of player and move, or moves alone.
func (q *Query) readMoves(f *fields) {
	list := f.list("moves", `pairs ["B" or "W", move]`)
	if len(list) > mostMoves {
		f.failAs(TooBig, "moves", "%d moves: want at most %d", len(list), mostMoves)
		return
	}
	pos := q.Start.Clone()
	for i, raw := range list {
		path, at := entry("moves", i), fmt.Sprintf("move %d", i+1)
		side, m, ok := pos.ToMove(), game.NoMove, true
		var text string
		if isText(raw, &text) {
			var err error
			if m, err = parseMove(q.notation, text); err != nil {
				f.fail(path, "%s: %v", at, err)
				return
			}
		} else if side, m, ok = q.readPair(f, path, at, raw); !ok {
			return
		}
		switch {
		case pos.Outcome() != game.Undecided:
			f.failAs(Illegal, path, "%s: the game is over before it (%v, %s)", at, pos.Outcome(), pos.Reason())
			return
		case side != pos.ToMove():
			f.failAs(Illegal, path, "%s: it is %s's turn", at, PlayerOf(pos.ToMove()))
			return
		case !pos.Legal(m):
			f.failAs(Illegal, path, "%s: %s is no legal move there", at, q.notation.FormatMove(m))
			return
		}
		pos.Play(m)
		q.Moves = append(q.Moves, m)
	}
}

// aliases are KataGo's names of settings that these engines have under another.
var aliases = map[string]string{"cpuctExploration": "cpuct"}

// classicalPrefix begins the names of settings of the classical search.
const classicalPrefix = "alphabeta."

// readSettings reads overrideSettings, and returns a warning for each of them that
// nothing has.
func (q *Query) readSettings(f *fields, o *Options) (warnings []Problem) {
	const field = "overrideSettings"
	q.tree, q.classical = o.Tree, o.Classical
	if !f.has(field) {
		return nil
	}
	settings, ok := isObject(f.of[field])
	if !ok {
		f.fail(field, "want an object, found %s", found(f.of[field]))
		return nil
	}
	for _, name := range sortedKeys(settings) {
		text, ok := settingText(settings[name])
		if !ok {
			f.fail(member(field, name), "%s: want a string, a number, true or false, found %s", shown(name),
				found(settings[name]))
			return nil
		}
		known, err := q.set(name, text, o)
		switch {
		case err != nil:
			f.fail(member(field, name), "%s: %v", clip(name), err)
			return nil
		case !known:
			warnings = append(warnings, Problem{Field: member(field, name),
				Warning: fmt.Sprintf("unknown setting %s, which changes nothing", shown(name))})
		}
	}
	return warnings
}

// settingText returns the value of a setting as a text.
func settingText(raw json.RawMessage) (text string, ok bool) {
	if isText(raw, &text) {
		return text, len(text) <= longestMove
	}
	return string(raw), len(raw) <= longestMove && len(raw) > 0 && raw[0] != '[' && raw[0] != '{' && string(raw) != "null"
}

// set sets one setting; known is false if there is none of the name.
func (q *Query) set(name, text string, o *Options) (known bool, err error) {
	if own, ok := aliases[name]; ok {
		name = own
	}
	switch name {
	case "maxVisits", "maxPlayouts":
		n, err := option.Visits.Parse(text)
		if err == nil && n > int64(o.Limits.Visits) {
			err = fmt.Errorf("%d: want at most %d", n, int64(o.Limits.Visits))
		}
		q.MaxVisits = int(n)
		return true, err
	case "maxTime":
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= leastPeriod && x <= mostPeriod) {
			return true, fmt.Errorf("want a number of seconds from %v to %d", leastPeriod, mostPeriod)
		}
		q.MaxTime = time.Duration(x * float64(time.Second))
		return true, nil
	}
	if key, ok := strings.CutPrefix(name, classicalPrefix); ok {
		return q.setClassical(key, text, o)
	}
	return q.setTree(name, text, o)
}

// treeSettings are the settings of the tree search.
var treeSettings = players.FixedTreeSettings

// setTree sets one setting of the tree search. No query gets more memory, or larger
// budgets of solvers, than the service gives to a search.
func (q *Query) setTree(name, text string, o *Options) (known bool, err error) {
	s, known := option.Find(treeSettings, name)
	if !known {
		return false, nil
	}
	tree := q.tree
	if err := s.Set(&tree, text); err != nil {
		return true, fmt.Errorf("%s: %w", text, err)
	}
	if most := o.Tree.MemoryMiB(); tree.MemoryMiB() > most {
		return true, fmt.Errorf("%d MiB: this service gives at most %d to a search", tree.MemoryMiB(), most)
	}
	was, is := q.tree.Solvers, tree.Solvers
	for _, budget := range [][2]int{{was.Leaf, is.Leaf}, {was.Root, is.Root}, {was.Replies, is.Replies}} {
		if most := o.Limits.Solver; most > 0 && budget[1] != budget[0] && budget[1] > most {
			return true, fmt.Errorf("%d moves: this service gives at most %d to a solver", budget[1], most)
		}
	}
	q.tree = tree
	return true, nil
}

// setClassical sets one setting of the classical search. No query gets a larger table
// than the service gives to a search.
func (q *Query) setClassical(name, text string, o *Options) (known bool, err error) {
	s, known := option.Find(players.AlphabetaSettings, name)
	if !known {
		return false, nil
	}
	classical := q.classical
	if err := s.Set(&classical, text); err != nil {
		return true, fmt.Errorf("%s: %w", text, err)
	}
	if most := o.Classical.Search.TableMiB; classical.Search.TableMiB > most {
		return true, fmt.Errorf("%d MiB: this service gives at most %d to a search", classical.Search.TableMiB, most)
	}
	q.classical = classical
	return true, nil
}
