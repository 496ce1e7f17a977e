package analysis

import (
	"encoding/json"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
)

// Game is what a query says of its game. It is not changed once it was read.
type Game struct {
	Variant games.Variant
	Start   game.Position // of turn 0; to be cloned
	Moves   []game.Move   // legal

	notation game.Notation
}

// At returns the position of a turn.
func (g *Game) At(turn int) game.Position {
	pos := g.Start.Clone()
	for _, m := range g.Moves[:turn] {
		pos.Play(m)
	}
	return pos
}

// gameFields are those of a message that say what its game is.
type gameFields struct {
	Game            string            `json:"game"`
	Rules           json.RawMessage   `json:"rules"` // a name, or an object of ruleFields
	BoardXSize      int               `json:"boardXSize"`
	BoardYSize      int               `json:"boardYSize"`
	InitialStones   []json.RawMessage `json:"initialStones"`
	InitialPlayer   *player           `json:"initialPlayer"`
	InitialPosition string            `json:"initialPosition"`
	Captured        []int             `json:"captured"` // by Black and by White
	Moves           []json.RawMessage `json:"moves"`
}

type ruleFields struct {
	Name     string `json:"name"`
	OpenRule bool   `json:"openRule"`
}

// GameFields are the names of the fields that say what a query's game is.
var GameFields = tags(gameFields{})

// mostMoves bounds the moves of a query: a board is full long before, but a game
// of Onitama goes on.
const mostMoves = 2000

// ParseGame reads those fields of an object that say what a query's game is. With
// openRule it has the opening rule, which the object's own field openRule asks for.
func (s *Service) ParseGame(of map[string]json.RawMessage, openRule bool) (*Game, *Problem) {
	f := &fields{of: of, wrong: &Problem{}}
	g := f.game(&s.opts, openRule)
	if f.failed() {
		return nil, f.wrong
	}
	return &g, nil
}

// game reads the variant, the position of turn 0 and the moves.
func (f *fields) game(o *Options, openRule bool) (g Game) {
	m := gameFields{Game: o.Variant.Game}
	f.read(&m, bounds{
		"game": {0, longestWord}, "captured": {option.Captured.Min, option.Captured.Max},
		"boardXSize": {1, option.BoardSize.Max}, "boardYSize": {1, option.BoardSize.Max},
	})
	if g.Variant = f.variant(&m, o.Variant, openRule); f.failed() {
		return g
	}
	g.notation = g.Variant.Notation()
	if len(m.Moves) > mostMoves {
		f.failAs(TooBig, "moves", "%d moves: want at most %d", len(m.Moves), mostMoves)
	}
	if g.Start = f.start(&m, &g); f.failed() {
		return g
	}
	pos := g.Start.Clone()
	for i, raw := range m.Moves {
		path, at := entry("moves", i), fmt.Sprintf("move %d", i+1)
		side, move := f.move(path, at, raw, g.notation)
		switch {
		case f.failed():
			return g
		case pos.Outcome() != game.Undecided:
			f.failAs(Illegal, path, "%s: the game is over before it (%v, %s)", at, pos.Outcome(), pos.Reason())
		case side != nil && game.Side(*side) != pos.ToMove():
			f.failAs(Illegal, path, "%s: it is %s's turn", at, PlayerOf(pos.ToMove()))
		case !pos.Legal(move):
			f.failAs(Illegal, path, "%s: %s is no legal move there", at, g.notation.FormatMove(move))
		default:
			pos.Play(move)
			g.Moves = append(g.Moves, move)
		}
	}
	return g
}

// variant reads game, rules and size. What is usual of rules and size is about the usual
// game.
func (f *fields) variant(m *gameFields, o games.VariantOptions, openRule bool) games.Variant {
	if m.Game != o.Game {
		o = games.VariantOptions{Game: m.Game}
	}
	name, open := "rules", "rules" // where the rule set and the opening rule are
	if len(m.Rules) > 0 && m.Rules[0] == '{' {
		rules := ruleFields{o.Rule, o.OpenRule}
		f.object("rules", m.Rules).read(&rules, bounds{"name": {0, longestWord}})
		o.Rule, o.OpenRule, name, open = rules.Name, rules.OpenRule, "rules.name", "rules.openRule"
	} else if f.has("rules") {
		f.value("rules", m.Rules, &o.Rule, [2]int64{0, longestWord})
	}
	if openRule {
		o.OpenRule, open = true, "openRule"
	}
	size := "boardXSize" // the field that has it
	if m.BoardXSize == 0 {
		m.BoardXSize, size = m.BoardYSize, "boardYSize"
	}
	if m.BoardXSize != 0 {
		o.Size = m.BoardXSize
	}
	if m.BoardYSize != 0 && m.BoardYSize != m.BoardXSize {
		f.fail("boardYSize", "%d with a boardXSize of %d: boards are square", m.BoardYSize, m.BoardXSize)
	}
	if f.failed() {
		return games.Variant{}
	}
	v, err := games.NewVariant(o)
	if err != nil {
		option, text := WrongOption(o, err)
		f.fail(map[string]string{"game": "game", "size": size, "rules": name, "openRule": open}[option], "%s", text)
		return v
	}
	if only := v.Of().RuleSets; f.has("rules") && o.Rule != "" && len(only) == 1 && o.Rule != only[0] {
		f.fail(name, "%s: %s has no such rules: leave them out", Shown(o.Rule), v.Game)
	} else if m.BoardXSize != 0 && v.Size != m.BoardXSize {
		f.fail(size, "%d: boards of %s are %d wide", o.Size, v.Game, v.Size)
	}
	return v
}

// WrongOption returns which option there is no variant because of, "game", "rules", "size"
// or "openRule", and the text of the error with the options named so.
func WrongOption(o games.VariantOptions, err error) (option, text string) {
	if wrong, ok := errors.AsType[*games.OptionError](err); ok {
		return "openRule", wrong.Naming(func(name string) string {
			if name == games.OpenRuleOption {
				return "openRule"
			}
			return name
		})
	}
	option = "rules"
	size := o.Size
	o.Size = 0
	if _, err := games.Find(o.Game); err != nil {
		option = "game"
	} else if _, err := games.NewVariant(o); err == nil && size != 0 {
		option = "size"
	}
	return option, err.Error()
}

// start reads the position of turn 0: set up by stones, or as a text in the notation of the
// command line.
func (f *fields) start(m *gameFields, g *Game) game.Position {
	v, side := g.Variant, m.InitialPlayer
	if side == nil && len(m.Moves) > 0 && m.Moves[0][0] == '[' {
		side, _ = f.move("moves[0]", "move 1", m.Moves[0], g.notation)
	}
	if f.has("captured") && len(m.Captured) != 2 {
		f.fail("captured", "want the stones taken by Black and by White, as in [4,2]")
	}
	cells := v.Columns() > 0
	second := side != nil && game.Side(*side) == game.Second
	setup := len(m.InitialStones)+len(m.Captured) > 0 || second && m.InitialPosition == "" && cells
	switch {
	case f.failed():
	case setup && m.InitialPosition != "":
		f.fail("initialPosition", "it excludes initialStones and captured")
	case setup && !cells:
		f.fail("initialStones", "positions of %s are set up by initialPosition", v.Game)
	case setup:
		return f.setUp(m, g, (*game.Side)(side))
	}
	if f.failed() {
		return nil
	}
	pos, err := v.Parse(m.InitialPosition)
	if err != nil {
		f.fail("initialPosition", "%v", err)
	} else if side != nil && pos.ToMove() != game.Side(*side) {
		f.fail("initialPlayer", "it is %s's turn in the initial position", PlayerOf(pos.ToMove()))
	}
	return pos
}

// setUp makes a board of stones.
func (f *fields) setUp(m *gameFields, g *Game, side *game.Side) game.Position {
	s := games.Setup{Stones: make([]games.Stone, g.Variant.Columns()*g.Variant.Columns()), ToMove: side}
	for i, raw := range m.InitialStones {
		path, at := entry("initialStones", i), fmt.Sprintf("entry %d", i+1)
		of, cell := f.move(path, at, raw, g.notation)
		switch {
		case f.failed():
			return nil
		case of == nil:
			f.fail(path, `%s: want a pair ["B" or "W", point], found %s`, at, found(raw))
			return nil
		case s.Stones[cell] != games.NoStone:
			f.failAs(Illegal, path, "%s: there is a stone on %s already", at, g.notation.FormatMove(cell))
			return nil
		}
		s.Stones[cell] = games.FirstStone + games.Stone(*of)
	}
	copy(s.Captured[:], m.Captured)
	pos, err := g.Variant.SetUp(s)
	wrong, _ := errors.AsType[*games.SetupError](err)
	switch {
	case err == nil:
	case wrong != nil && wrong.Part == games.CapturedPart:
		f.failAs(Illegal, "captured", "%v", err)
	case wrong != nil && wrong.Part == games.ToMovePart:
		f.fail("initialPlayer", "%v; give initialPlayer", err)
	default:
		f.failAs(Illegal, "initialStones", "%v", err)
	}
	return pos
}

// move reads a pair of player and move, or a move alone, which has no side. at says in
// messages where that is.
func (f *fields) move(path, at string, raw json.RawMessage, n game.Notation) (side *player, m game.Move) {
	var text string
	if !isText(raw, &text) {
		var pair []json.RawMessage
		if json.Unmarshal(raw, &pair) != nil || len(pair) != 2 || !isText(pair[1], &text) {
			f.fail(path, `%s: want a pair ["B" or "W", move], found %s`, at, found(raw))
			return nil, game.NoMove
		}
		if f.value(entry(path, 0), pair[0], &side, [2]int64{}); side == nil {
			f.fail(entry(path, 0), "%s: want B or W, found %s", at, found(pair[0]))
			return nil, game.NoMove
		}
		path = entry(path, 1)
	}
	m, err := parseMove(n, text)
	if err != nil {
		f.fail(path, "%s: %v", at, err)
	}
	return side, m
}
