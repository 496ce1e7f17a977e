package analysis

import (
	"cmp"
	"math"

	"time"

	"github.com/carozero/carozero/internal/engine/bookplay"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/option"
)

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

	// Ponder is how long an engine may think on after its answer to a query that asks for
	// that. It stops at once when its worker is needed. Zero: such queries are refused.
	Ponder time.Duration

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

// Options are what a service answers by where a query says nothing else. The zero
// value works.
type Options struct {
	Game, Rules string // zero: gomoku, caro
	Size        int    // zero: the game's usual
	OpenRule    bool

	Engine    EngineName // zero: mcts
	MaxVisits int        // of the root, tree search; zero means 800
	MaxNodes  int        // moves played, classical search; zero means 200,000
	PVLength  int        // of a line beside its first move; zero means 15

	Dialect    Dialect
	WinratesAs Perspective // zero: the side to move, and Black in KataGo's dialect

	// Tree and Classical are the settings of the engines; zero: their defaults.
	Tree      search.TreeSettings
	Classical players.ClassicalSettings

	// Book is what the engines play from first; nil: none. BookStats counts what it is
	// asked; nil: nobody wants to know.
	Book      *book.Book
	BookStats *bookplay.Stats

	Seed     uint64 // of the networks' symmetries
	CacheMiB int    // of the networks' results; zero: none
	Workers  int    // tasks at once; zero means 1
	Unwarned bool   // no warnings about unknown fields

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
	if o.BookStats == nil {
		o.BookStats = new(bookplay.Stats)
	}
	if o.Tree.Search.Memory == 0 {
		o.Tree = search.DefaultTreeSettings(treeMiB)
	}
	if o.Classical.TableMiB() == 0 {
		o.Classical = players.DefaultClassicalSettings(tableMiB)
	}
	if o.WinratesAs == "" {
		o.WinratesAs = SideToMove
		if o.Dialect == KataGo {
			o.WinratesAs = AsBlack
		}
	}
	o.Limits = o.Limits.withDefaults()
	return o
}

// Done tells of a task whose answer was given.
type Done struct {
	What         string        // the engine that was asked, or the action
	Waited, Took time.Duration // in the queue and after it
	Evals        int           // positions given to a network, answers from a cache included
	Nodes        int64         // playouts and moves played
	Shortened    bool
}
