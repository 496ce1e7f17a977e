package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
)

// EngineName names what analyses.
type EngineName string

// The engines.
const (
	MCTS      EngineName = "mcts"
	AlphaBeta EngineName = "alphabeta"
	Each      EngineName = "each" // tree and classical search, each by itself
)

// UnmarshalText implements [encoding.TextUnmarshaler].
func (e *EngineName) UnmarshalText(text []byte) error {
	switch name := EngineName(text); name {
	case MCTS, AlphaBeta, Each:
		*e = name
		return nil
	}
	return fmt.Errorf("unknown engine %s: want mcts, alphabeta or each", Shown(string(text)))
}

// Query asks about turns of a game. It is not changed once it was read, and tasks
// share it.
type Query struct {
	Game
	queryFields
	ID    string
	Turns []int // to analyse, ascending, each once

	Level   engine.Level  // the zero value: none was asked for
	MaxTime time.Duration // 0: no bound
	Every   time.Duration // between answers on the way; 0: none
	Bars    bars

	tree      engine.TreeSettings
	classical players.Alphabeta

	job   *job // nil: the turns are analysed
	bytes int  // that it is taken to hold
	left  int  // tasks without a final answer; of the service's lock
}

// queryFields are the fields of a query beside those of its game.
type queryFields struct {
	AnalyzeTurns []int `json:"analyzeTurns"`
	Priority     int64 `json:"priority"` // the highest comes first

	Engine      EngineName      `json:"engine"`
	MaxVisits   int             `json:"maxVisits"`
	MaxNodes    int             `json:"maxNodes"`
	MaxDepth    int             `json:"maxDepth"` // of the classical search; 0: no bound
	Lines       int             `json:"lines"`    // moves that the classical search judges
	LevelName   string          `json:"level"`
	Seed        int64           `json:"seed"`        // of what a level or a book leaves to chance
	Play        bool            `json:"play"`        // the answer is a move in a game: on an empty board the centre
	UseBook     bool            `json:"useBook"`     // the engines play from the book first
	UseEndgames bool            `json:"useEndgames"` // the engines know solved endgames
	Settings    json.RawMessage `json:"overrideSettings"`

	Avoid []json.RawMessage `json:"avoidMoves"`
	Allow []json.RawMessage `json:"allowMoves"`

	Period   float64 `json:"reportDuringSearchEvery"` // in seconds
	Policy   bool    `json:"includePolicy"`
	PVVisits bool    `json:"includePVVisits"`
	Threats  bool    `json:"includeThreats"`
	PVLength int     `json:"analysisPVLen"` // moves of a line beside its first
}

// known are the names of the fields that change a query.
var known = append(tags(gameFields{}, queryFields{}), "id", "action")

// Bounds of a query, those of numbers as KataGo's documentation names them.
const (
	mostPriority = int64(1)<<62 - 1
	mostPVLength = 1000
	mostSeed     = 1<<63 - 1
	mostID       = 1024  // bytes
	mostWarnings = 10    // about one query
	leastPeriod  = 0.001 // seconds
	mostPeriod   = 1_000_000
)

// priority bounds the priority of queries and actions.
var priority = [2]int64{-mostPriority, mostPriority}

// parseQuery reads a query. The warnings stand beside a query that is good; a
// problem says why there is none.
func parseQuery(id string, of map[string]json.RawMessage, size int, o *Options) (*Query, []Problem, *Problem) {
	f := &fields{of: of, wrong: &Problem{}}
	q := &Query{
		ID: id, Game: f.game(o, false), tree: o.Tree, classical: o.Classical, bytes: size + queryBytes,
		queryFields: queryFields{
			Engine: o.Engine, MaxVisits: o.MaxVisits, MaxNodes: o.MaxNodes, Lines: 1, PVLength: o.PVLength,
			Seed: int64(o.Seed), Play: f.has("level"), UseBook: true, UseEndgames: true,
		},
	}
	turns := int64(len(q.Moves))
	q.AnalyzeTurns = []int{len(q.Moves)}
	f.read(&q.queryFields, bounds{
		"analyzeTurns": {0, turns}, "priority": priority, "seed": {0, mostSeed}, "level": {0, longestWord},
		"maxVisits": {option.Visits.Min, int64(o.Limits.Visits)}, "maxNodes": {option.Nodes.Min, int64(o.Limits.Nodes)},
		"maxDepth": {option.Depth.Min, option.Depth.Max}, "lines": {option.Lines.Min, option.Lines.Max},
		"analysisPVLen": {1, mostPVLength}, "reportDuringSearchEvery": {0, mostPeriod},
	})
	slices.Sort(q.AnalyzeTurns)
	q.Turns = slices.Compact(q.AnalyzeTurns)
	warnings := q.override(f, o)
	if f.has("level") {
		q.atLevel(f)
	}
	if q.Level != (engine.Level{}) || !q.UseEndgames {
		q.tree.Endgames, q.classical.Endgames = nil, nil
	}
	if f.has("reportDuringSearchEvery") && q.Period < leastPeriod {
		f.fail("reportDuringSearchEvery", "%v: want at least %v seconds", q.Period, leastPeriod)
	}
	if q.Every = time.Duration(math.Round(q.Period * float64(time.Second))); q.Every > 0 {
		q.Every = max(q.Every, o.Limits.Every)
	}
	if q.Threats && !f.failed() && q.Variant.Lines() == nil {
		f.fail("includeThreats", "%s has no such points: leave it out", q.Variant.Game)
	}
	if !f.failed() {
		q.Bars = f.bars(q)
	}
	if f.failed() {
		f.wrong.ID = &id
		return nil, nil, f.wrong
	}
	warnings = append(warnings, q.unused(f, o)...)
	if len(warnings) > mostWarnings {
		warnings = append(warnings[:mostWarnings], Problem{Warning: "further warnings about this query are left out"})
	}
	for i := range warnings {
		warnings[i].ID = &id
	}
	return q, warnings, nil
}

// atLevel gives the query the engine and the budget of its level.
func (q *Query) atLevel(f *fields) {
	level, err := engine.ParseLevel(q.LevelName)
	if err != nil {
		f.fail("level", "%v", err)
	}
	for _, field := range []string{"engine", "maxVisits", "maxNodes", "maxDepth", "lines"} {
		if f.has(field) {
			f.fail(field, "a level has an engine and a budget of its own: leave it out")
		}
	}
	q.Engine, q.Level = AlphaBeta, level
	q.MaxNodes, q.Lines = int(level.Nodes), level.Lines
}

// unused returns a warning for every field that changes nothing.
func (q *Query) unused(f *fields, o *Options) (warnings []Problem) {
	warn := func(field, text string) { warnings = append(warnings, Problem{Warning: text, Field: field}) }
	for _, name := range slices.Sorted(maps.Keys(f.of)) {
		if !slices.Contains(known, name) {
			warn(member("", name), "unknown field, of which nothing is read: is it misspelt?")
		}
	}
	idle := map[EngineName][]string{MCTS: {"maxNodes", "maxDepth", "lines"},
		AlphaBeta: {"includePolicy", "includePVVisits"}}
	for _, name := range idle[q.Engine] {
		if f.has(name) && string(f.of[name]) != "false" {
			warn(name, "it is for the other engine, which is not asked")
		}
	}
	if f.has("seed") && q.Level == (engine.Level{}) && (o.Book == nil || !q.UseBook) {
		warn("seed", "it is of the choices of a level or a book, and neither is asked")
	}
	if q.Engine != MCTS && q.Bars.plies > 1 {
		warn(q.Bars.field, "the classical search bars moves of the turn's position only: untilDepth counts as 1 for it")
	}
	return warnings
}

// override reads overrideSettings, and returns a warning for each of them that nothing has.
func (q *Query) override(f *fields, o *Options) (warnings []Problem) {
	const field = "overrideSettings"
	if !f.has(field) {
		return nil
	}
	settings := f.object(field, q.Settings).of
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		raw, text, path := settings[name], "", member(field, name)
		if !isText(raw, &text) {
			text = string(raw)
		}
		if raw[0] == '[' || raw[0] == '{' || string(raw) == "null" || len(text) > longestWord {
			f.fail(path, "want a string, a number, true or false, found %s", found(raw))
			return nil
		}
		if known, err := q.set(name, text, f.has("maxVisits"), o); err != nil {
			f.fail(path, "%s: %v", clip(name, longestWord), err)
		} else if !known {
			warning := fmt.Sprintf("unknown setting %s, which changes nothing", Shown(name))
			warnings = append(warnings, Problem{Field: path, Warning: warning})
		}
	}
	return warnings
}

// treeSettings are the settings of the tree search.
var treeSettings = players.FixedTreeSettings

// classicalPrefix begins the names of settings of the classical search.
const classicalPrefix = "alphabeta."

// set sets one setting; known is false if there is none of the name. Visits that the query
// has as a field stay. No query gets more memory, or larger budgets of solvers, than the
// service gives to a search.
func (q *Query) set(name, text string, visits bool, o *Options) (known bool, err error) {
	room := func(asked, most int) error {
		if asked > most {
			return fmt.Errorf("%d MiB: this service gives at most %d to a search", asked, most)
		}
		return nil
	}
	switch name {
	case "maxVisits", "maxPlayouts":
		n, err := option.Visits.Parse(text)
		if err == nil && n > int64(o.Limits.Visits) {
			err = fmt.Errorf("%d: want at most %d", n, int64(o.Limits.Visits))
		}
		if !visits {
			q.MaxVisits = int(n)
		}
		return true, err
	case "maxTime":
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= leastPeriod && x <= mostPeriod) {
			return true, fmt.Errorf("want a number of seconds from %v to %d", leastPeriod, mostPeriod)
		}
		q.MaxTime = time.Duration(x * float64(time.Second))
		return true, nil
	case "cpuctExploration": // KataGo's name
		name = "cpuct"
	}
	if key, ok := strings.CutPrefix(name, classicalPrefix); ok {
		s, known := option.Find(players.AlphabetaSettings, key)
		if !known {
			return false, nil
		}
		if err := s.Set(&q.classical, text); err != nil {
			return true, fmt.Errorf("%s: %w", text, err)
		}
		return true, room(q.classical.Search.TableMiB, o.Classical.Search.TableMiB)
	}
	s, known := option.Find(treeSettings, name)
	if !known {
		return false, nil
	}
	was := q.tree.Solvers
	if err := s.Set(&q.tree, text); err != nil {
		return true, fmt.Errorf("%s: %w", text, err)
	}
	is, most := q.tree.Solvers, o.Limits.Solver
	for _, budget := range [][2]int{{was.Leaf, is.Leaf}, {was.Threes, is.Threes}, {was.Root, is.Root},
		{was.Audit, is.Audit}, {was.Replies, is.Replies}} {
		if most > 0 && budget[1] != budget[0] && budget[1] > most {
			return true, fmt.Errorf("%d moves: this service gives at most %d to a solver", budget[1], most)
		}
	}
	return true, room(q.tree.MemoryMiB(), o.Tree.MemoryMiB())
}

// bars are the moves that a query keeps the search from. The zero value bars none.
type bars struct {
	field string // avoidMoves or allowMoves
	plies int    // of the deepest
	until [2]map[game.Move]int
	rest  [2]int // for moves that until does not have
}

// barred reports whether a move may not be looked at.
func (b *bars) barred(ply int, side game.Side, m game.Move) bool {
	until, ok := b.until[side][m]
	if !ok {
		until = b.rest[side]
	}
	return ply < until
}

// leaveNone reports whether all moves of a position are barred.
func (b *bars) leaveNone(pos game.Position) bool {
	return b.plies > 0 && !slices.ContainsFunc(pos.Moves(nil), func(m game.Move) bool {
		return !b.barred(0, pos.ToMove(), m)
	})
}

// restriction returns the bars as engines take them; nil for none.
func (b *bars) restriction() *engine.Restriction {
	if b.plies == 0 {
		return nil
	}
	return &engine.Restriction{Plies: b.plies, Barred: b.barred}
}

// mostDepth bounds untilDepth, as KataGo does.
const mostDepth = 1_000_000_000

// searchedDepth is deeper than any search looks.
const searchedDepth = 1 << 20

// bars reads avoidMoves or allowMoves.
func (f *fields) bars(q *Query) (b bars) {
	b.field = "avoidMoves"
	list, allow := q.Avoid, f.has("allowMoves")
	if allow {
		b.field, list = "allowMoves", q.Allow
	}
	if allow && f.has("avoidMoves") {
		f.fail("allowMoves", "allowMoves and avoidMoves exclude each other: leave one of them out")
	}
	b.until = [2]map[game.Move]int{{}, {}}
	for i, raw := range list {
		path := entry(b.field, i)
		var e struct {
			Player     *player           `json:"player"`
			Moves      []json.RawMessage `json:"moves"`
			UntilDepth int               `json:"untilDepth"`
		}
		o := f.object(path, raw)
		o.read(&e, bounds{"untilDepth": {1, mostDepth}})
		if e.Player == nil || e.Moves == nil || e.UntilDepth == 0 {
			f.fail(path, "entry %d: want an object with player, moves and untilDepth", i+1)
		}
		if f.failed() {
			return b
		}
		side, until := game.Side(*e.Player), min(e.UntilDepth, searchedDepth)
		b.plies = max(b.plies, until)
		if allow && b.rest[side] > 0 {
			f.fail(path, "entry %d: there is one for %s already", i+1, PlayerOf(side))
		}
		if allow {
			b.rest[side], until = until, 0
		}
		for k, raw := range e.Moves {
			where, text := entry("moves", k), ""
			if o.value(where, raw, &text, [2]int64{}); text == "pass" && q.Variant.Columns() > 0 {
				continue // there is none to bar
			}
			m, err := parseMove(q.notation, text)
			if err != nil {
				o.fail(where, "entry %d: %v", i+1, err)
				return b
			}
			b.until[side][m] = max(b.until[side][m], until)
		}
	}
	return b
}

// Limits bound what one service takes from its peers. Zero stands for the default
// that each field names.
type Limits struct {
	Line  int // bytes of a line; zero means 256 KiB
	Tasks int // that wait or are under way; zero means 100,000

	// Held bounds the memory of the queries that tasks belong to, in bytes; zero
	// means 256 MiB.
	Held int

	// Unread bounds the answers that a peer has not read yet, in bytes. When they
	// are more nothing is read from it, and its tasks wait. Answers on the way to
	// the final one are left out long before. Zero means 64 MiB.
	Unread int

	// Client bounds the tasks of one client; zero: as many as Tasks.
	Client int

	// Search is how long a search may take, Share how long while a client with
	// fewer searches under way waits for its turn. A search that is ended so has an
	// answer with what is known. Zero: no bound.
	Search, Share time.Duration

	// Every is the least time between answers on the way: queries that ask for
	// less get that. Visits, Nodes and Solver are the most that a query may ask
	// for: visits of the root, moves of the classical search, and moves of a
	// solver within one. Zero: no bound but the options' own.
	Every                 time.Duration
	Visits, Nodes, Solver int
}

// Book is an opening book; package book has them.
type Book interface {
	// CoversGame reports whether the book has something of the rules and the size of pos.
	CoversGame(pos game.Position) bool

	// Before returns an engine that plays from the book first, for such positions.
	Before(e engine.Engine) engine.Engine

	// Look returns what the book says of a position of any game, which has a JSON form.
	Look(pos game.Position, n game.Notation) (any, error)
}

// Options are what a service answers by where a query says nothing else. The zero
// value works.
type Options struct {
	Variant games.VariantOptions

	Engine    EngineName // zero: mcts
	MaxVisits int        // of the root, tree search; zero means 800
	MaxNodes  int        // moves played, classical search; zero means 200,000
	PVLength  int        // of a line beside its first move; zero means 15

	// Tree and Classical are the settings of the engines; zero: their defaults.
	Tree      engine.TreeSettings
	Classical players.Alphabeta

	Book Book // that the engines play from first; nil: none

	// Searching returns the context of a search, whose Err the search asks every few
	// milliseconds: where nothing else interrupts it, Err can let others run. nil: ctx itself.
	Searching func(ctx context.Context) context.Context

	Seed     uint64 // of the networks' symmetries
	CacheMiB int    // of the networks' results; zero: none
	Workers  int    // tasks at once; zero means 1

	Version string // of the program
	Commit  string
	Limits  Limits
}

// Defaults of what a search may take, in MiB.
const (
	treeMiB  = 512
	tableMiB = 16
)

// withDefaults returns o with each zero replaced by what it stands for.
func (o Options) withDefaults() Options {
	o.Variant.Game = cmp.Or(o.Variant.Game, games.GameNames()[0])
	o.Engine = cmp.Or(o.Engine, MCTS)
	o.MaxVisits = cmp.Or(o.MaxVisits, 800)
	o.MaxNodes = cmp.Or(o.MaxNodes, 200_000)
	o.PVLength = cmp.Or(o.PVLength, 15)
	o.Workers = max(1, o.Workers)
	if o.Tree.Search.Memory == 0 {
		o.Tree = engine.DefaultTreeSettings(treeMiB)
	}
	if o.Classical.Search.TableMiB == 0 {
		o.Classical = players.NewAlphabeta(tableMiB)
	}
	if o.Searching == nil {
		o.Searching = func(ctx context.Context) context.Context { return ctx }
	}
	l := &o.Limits
	l.Line = cmp.Or(l.Line, 256<<10)
	l.Tasks = cmp.Or(l.Tasks, 100_000)
	l.Held = cmp.Or(l.Held, 256<<20)
	l.Unread = cmp.Or(l.Unread, 64<<20)
	l.Visits = min(cmp.Or(l.Visits, math.MaxInt), int(option.Visits.Max))
	l.Nodes = min(cmp.Or(l.Nodes, math.MaxInt), int(option.Nodes.Max))
	return o
}
