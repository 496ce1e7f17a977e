package analysis

import (
	"cmp"
	"context"
	"encoding/json"
	"math"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/search"
)

// EngineName names what analyses.
type EngineName string

// The engines.
const (
	MCTS      EngineName = "mcts"
	AlphaBeta EngineName = "alphabeta"
	Each      EngineName = "each" // tree and classical search, each by itself
)

// ParseEngine returns the engine of that name.
func ParseEngine(name string) (EngineName, bool) {
	switch e := EngineName(name); e {
	case MCTS, AlphaBeta, Each:
		return e, true
	}
	return "", false
}

// Query asks about turns of a game. It is not changed once it was read, and tasks
// share it.
type Query struct {
	ID       string
	Variant  games.Variant
	Start    game.Position // of turn 0; to be cloned
	Moves    []game.Move
	Turns    []int // to analyse, ascending, each once
	Priority int64 // the highest comes first

	Engine      EngineName
	MaxVisits   int
	MaxNodes    int
	MaxDepth    int           // of the classical search; 0: no bound
	Lines       int           // moves that the classical search judges
	Level       search.Level  // the zero value: none was asked for
	Seed        uint64        // of what a level or a book leaves to chance
	UseBook     bool          // the engines play from the book first
	UseEndgames bool          // the engines know solved endgames
	MaxTime     time.Duration // 0: no bound
	Play        bool          // the answer is a move in a game: on an empty board the centre
	Bars        bars
	Every       time.Duration // between answers on the way; 0: none

	Policy, PVVisits, Threats bool
	PVLength                  int
	tree                      search.TreeSettings
	classical                 players.Alphabeta

	openRule bool // beside what the field rules says
	job      *job // nil: the turns are analysed
	notation game.Notation
	bytes    int // that it is taken to hold
	left     int // tasks without a final answer; of the service's lock
}

// Ranges of numbers that KataGo's documentation names.
const (
	mostPriority = int64(1)<<62 - 1
	mostPVLength = 1000
	mostSeed     = 1<<63 - 1
	leastPeriod  = 0.001 // seconds
	mostPeriod   = 1_000_000
)

// parseQuery reads a query. The warnings stand beside a query that is good; a
// problem says why there is none.
func parseQuery(id string, of map[string]json.RawMessage, size int, o *Options) (*Query, []Problem, *Problem) {
	f := &fields{of: of}
	q := &Query{
		ID: id, Engine: o.Engine, MaxVisits: o.MaxVisits, MaxNodes: o.MaxNodes, Lines: 1, PVLength: o.PVLength,
		bytes: size + queryBytes,
	}
	q.readGame(f, o)
	if f.wrong == nil {
		q.readTurns(f)
	}
	warnings := q.readSettings(f, o)
	q.readSearch(f, o) // its fields go before settings of the same name
	q.readLevel(f, o)
	q.readPlay(f)
	if f.wrong == nil {
		q.readReports(f, o)
	}
	if f.wrong == nil {
		q.Bars = readBars(f, q)
	}
	if f.wrong != nil {
		f.wrong.ID = &id
		return nil, nil, f.wrong
	}
	warnings = append(warnings, q.unused(f, o)...)
	if more := len(warnings) - o.Limits.Warnings; more > 0 {
		warnings = append(warnings[:o.Limits.Warnings], Problem{Warning: "further warnings about this query are left out"})
	}
	for i := range warnings {
		warnings[i].ID = &id
	}
	return q, warnings, nil
}

// readTurns reads which turns are asked about, and how urgently.
func (q *Query) readTurns(f *fields) {
	turns := []int64{int64(len(q.Moves))}
	if f.has("analyzeTurns") {
		turns = f.wholes("analyzeTurns", 0, int64(len(q.Moves)))
	}
	whole(f, "priority", -mostPriority, mostPriority, &q.Priority)
	slices.Sort(turns)
	for _, turn := range slices.Compact(turns) {
		q.Turns = append(q.Turns, int(turn))
	}
}

// readSearch reads who searches, and how much.
func (q *Query) readSearch(f *fields, o *Options) {
	name := string(q.Engine)
	f.text("engine", &name)
	e, ok := ParseEngine(name)
	if !ok {
		f.fail("engine", "unknown engine %s: want mcts, alphabeta or each", shown(name))
	}
	q.Engine = e
	whole(f, "maxVisits", option.Visits.Min, int64(o.Limits.Visits), &q.MaxVisits)
	whole(f, "maxNodes", option.Nodes.Min, int64(o.Limits.Nodes), &q.MaxNodes)
	whole(f, "maxDepth", option.Depth.Min, option.Depth.Max, &q.MaxDepth)
	whole(f, "lines", option.Lines.Min, option.Lines.Max, &q.Lines)
}

// readLevel reads the level that is to play, and the seed of its choices.
func (q *Query) readLevel(f *fields, o *Options) {
	seed := int64(o.Seed)
	whole(f, "seed", 0, mostSeed, &seed)
	q.Seed = uint64(seed)
	if !f.has("level") {
		return
	}
	name := ""
	f.text("level", &name)
	level, err := search.ParseLevel(clip(name))
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

// readPlay reads whether a move in a game is wanted.
func (q *Query) readPlay(f *fields) {
	q.Play = q.Level != (search.Level{})
	f.truth("play", &q.Play)
}

// readReports reads what is to be told.
func (q *Query) readReports(f *fields, o *Options) {
	q.UseBook = true
	f.truth("useBook", &q.UseBook)
	q.UseEndgames = true
	f.truth("useEndgames", &q.UseEndgames)
	if q.Level != (search.Level{}) || !q.UseEndgames {
		q.tree.Endgames = nil
		q.classical.Endgames = nil
	}
	f.truth("includePolicy", &q.Policy)
	f.truth("includePVVisits", &q.PVVisits)
	f.truth("includeThreats", &q.Threats)
	whole(f, "analysisPVLen", 1, mostPVLength, &q.PVLength)
	period := 0.0
	f.decimal("reportDuringSearchEvery", "number of seconds", leastPeriod, mostPeriod, &period)
	if q.Every = time.Duration(math.Round(period * float64(time.Second))); q.Every > 0 {
		q.Every = max(q.Every, o.Limits.Every)
	}
	if q.Threats && f.wrong == nil && q.Variant.Lines() == nil {
		f.fail("includeThreats", "%s has no such points: leave it out", q.Variant.Game)
	}
}

// GameFields are those that say what a query's game is.
var GameFields = strings.Fields(`game rules boardXSize boardYSize initialStones initialPlayer initialPosition captured
	moves`)

// known are the other fields that a query may have.
var known = strings.Fields(`id action analyzeTurns priority level seed play useBook useEndgames engine
	maxVisits maxNodes maxDepth lines avoidMoves allowMoves
	overrideSettings reportDuringSearchEvery includePolicy includePVVisits includeThreats analysisPVLen`)

// unused returns a warning for every field that changes nothing.
func (q *Query) unused(f *fields, o *Options) (warnings []Problem) {
	warn := func(field, text string) { warnings = append(warnings, Problem{Warning: text, Field: field}) }
	for _, name := range sortedKeys(f.of) {
		if !slices.Contains(known, name) && !slices.Contains(GameFields, name) {
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
	if f.has("seed") && q.Level == (search.Level{}) && (o.Book == nil || !q.UseBook) {
		warn("seed", "it is of the choices of a level or a book, and neither is asked")
	}
	if q.Engine != MCTS && q.Bars.plies > 1 {
		warn(q.Bars.field, "the classical search bars moves of the turn's position only: untilDepth counts as 1 for it")
	}
	return warnings
}

// clip shortens the name of a field.
func clip(name string) string {
	const most = 64
	if len(name) > most {
		return strings.ToValidUTF8(name[:most], "") + "..."
	}
	return name
}

// sortedKeys returns the names of fields in order.
func sortedKeys(of map[string]json.RawMessage) []string {
	keys := make([]string, 0, len(of))
	for k := range of {
		keys = append(keys, k)
	}
	slices.Sort(keys)
	return keys
}

// Restricted reports whether moves are barred.
func (q *Query) Restricted() bool { return q.Bars.plies > 0 }

// At returns the position of a turn.
func (q *Query) At(turn int) game.Position {
	pos := q.Start.Clone()
	for _, m := range q.Moves[:turn] {
		pos.Play(m)
	}
	return pos
}

// Limits bound what one service takes from its peers. Zero stands for the default
// that each field names.
type Limits struct {
	Line  int // bytes of a line; zero means 256 KiB
	ID    int // bytes of an id; zero means 1024
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

	// Warnings bounds the warnings about one query; zero means 10.
	Warnings int
}

// queryBytes is what a query takes beside its text: positions and moves.
const queryBytes = 16 << 10

// taskBytes is what a task takes while it waits.
const taskBytes = 256

// withDefaults returns l with each zero replaced by what it stands for.
func (l Limits) withDefaults() Limits {
	l.Line = cmp.Or(l.Line, 256<<10)
	l.ID = cmp.Or(l.ID, 1024)
	l.Tasks = cmp.Or(l.Tasks, 100_000)
	l.Held = cmp.Or(l.Held, 256<<20)
	l.Unread = cmp.Or(l.Unread, 64<<20)
	l.Warnings = cmp.Or(l.Warnings, 10)
	l.Visits = min(cmp.Or(l.Visits, math.MaxInt), int(option.Visits.Max))
	l.Nodes = min(cmp.Or(l.Nodes, math.MaxInt), int(option.Nodes.Max))
	return l
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
	Tree      search.TreeSettings
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
	o.Engine = cmp.Or(o.Engine, MCTS)
	o.MaxVisits = cmp.Or(o.MaxVisits, 800)
	o.MaxNodes = cmp.Or(o.MaxNodes, 200_000)
	o.PVLength = cmp.Or(o.PVLength, 15)
	o.Workers = max(1, o.Workers)
	if o.Tree.Search.Memory == 0 {
		o.Tree = search.DefaultTreeSettings(treeMiB)
	}
	if o.Classical.Search.TableMiB == 0 {
		o.Classical = players.NewAlphabeta(tableMiB)
	}
	o.Limits = o.Limits.withDefaults()
	return o
}
