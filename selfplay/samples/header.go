package samples

import (
	"github.com/vmihailenco/msgpack/v5"

	"github.com/carozero/carozero/game"
)

// Format and Version stand at the start of every shard.
const (
	Format  = "carozero-samples"
	Version = 1
)

// Header says what a shard holds. Nothing in it depends on the number of
// workers or threads, on the provider, or on the time.
type Header struct {
	Game        string   `json:"game"`
	Rule        Fields   `json:"rule"` // name and every parameter
	Size        int      `json:"size"`
	Planes      Planes   `json:"planes"`
	Globals     []string `json:"globals"` // names
	Model       string   `json:"model"`
	ModelSHA256 string   `json:"model_sha256"`
	Engine      Engine   `json:"engine"`
	Search      Fields   `json:"search"`           // every option that can change a result
	Filter      string   `json:"filter,omitempty"` // the Where that left these rows, "" for all rows
	Seed        uint64   `json:"seed"`
	Rows        int      `json:"-"`
	Games       []Game   `json:"-"`
}

// Planes names the input planes.
type Planes struct {
	Version string   `json:"version"` // as nn.Encoder.Version
	Names   []string `json:"names"`
}

// Engine names the program that played.
type Engine struct {
	Version string `json:"version"`
	Commit  string `json:"commit"`
}

// Game is one game of a shard. From and Moves are position strings: all moves
// from the start, one after the other.
type Game struct {
	ID     uint64
	Seed   uint64      // GameSeed(Header.Seed, ID)
	From   string      // the moves before the game's first row; all moves if it has none
	Moves  string      // all moves
	Result string      // "first", "second" or "draw"
	Reason game.Reason // why the game ended
	Plies  int         // number of moves

	Audit *Audit // nil: resignation was not audited
}

// GameSeed derives the seed of game id from the run's seed, by the output
// function of splitmix64 (Steele, Lea, Flood: Fast splittable pseudorandom
// number generators, OOPSLA 2014).
func GameSeed(seed, id uint64) uint64 {
	z := seed + (id+1)*0x9e3779b97f4a7c15
	z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
	z = (z ^ z>>27) * 0x94d049bb133111eb
	return z ^ z>>31
}

// encode writes the header as a msgpack map, its keys in the contract's order.
func (h *Header) encode(e *mapEncoder) {
	keys := 14
	if h.Filter != "" {
		keys++
	}
	e.mapLen(keys)
	e.key("format")
	e.str(Format)
	e.key("version")
	e.int(Version)
	e.key("game")
	e.str(h.Game)
	e.key("rule")
	e.fields(h.Rule)
	e.key("size")
	e.int(h.Size)
	e.key("planes")
	e.mapLen(2)
	e.key("version")
	e.str(h.Planes.Version)
	e.key("names")
	e.strs(h.Planes.Names)
	e.key("globals")
	e.strs(h.Globals)
	e.key("model")
	e.str(h.Model)
	e.key("model_sha256")
	e.str(h.ModelSHA256)
	e.key("engine")
	e.mapLen(2)
	e.key("version")
	e.str(h.Engine.Version)
	e.key("commit")
	e.str(h.Engine.Commit)
	e.key("search")
	e.fields(h.Search)
	if h.Filter != "" {
		e.key("filter")
		e.str(h.Filter)
	}
	e.key("seed")
	e.uint(h.Seed)
	e.key("rows")
	e.int(h.Rows)
	e.key("games")
	e.arrayLen(len(h.Games))
	for i := range h.Games {
		h.Games[i].encode(e)
	}
}

func (g *Game) encode(e *mapEncoder) {
	keys := 7
	if g.Audit != nil {
		keys++
	}
	e.mapLen(keys)
	e.key("id")
	e.uint(g.ID)
	e.key("seed")
	e.uint(g.Seed)
	e.key("from")
	e.str(g.From)
	e.key("moves")
	e.str(g.Moves)
	e.key("result")
	e.str(g.Result)
	e.key("reason")
	e.str(string(g.Reason))
	e.key("plies")
	e.int(g.Plies)
	if g.Audit != nil {
		e.key("audit")
		e.mapLen(2)
		e.key("resigns")
		e.str(g.Audit.Resigns)
		e.key("ply")
		e.int(g.Audit.Ply)
	}
}

// mapEncoder is a msgpack encoder that keeps its first error.
type mapEncoder struct {
	*msgpack.Encoder
	err error
}

func (e *mapEncoder) do(err error) {
	if e.err == nil {
		e.err = err
	}
}

func (e *mapEncoder) mapLen(n int)    { e.do(e.EncodeMapLen(n)) }
func (e *mapEncoder) arrayLen(n int)  { e.do(e.EncodeArrayLen(n)) }
func (e *mapEncoder) key(k string)    { e.do(e.EncodeString(k)) }
func (e *mapEncoder) str(s string)    { e.do(e.EncodeString(s)) }
func (e *mapEncoder) int(n int)       { e.do(e.EncodeInt(int64(n))) }
func (e *mapEncoder) uint(n uint64)   { e.do(e.EncodeUint(n)) }
func (e *mapEncoder) fields(f Fields) { e.do(f.EncodeMsgpack(e.Encoder)) }

func (e *mapEncoder) strs(list []string) {
	e.arrayLen(len(list))
	for _, s := range list {
		e.str(s)
	}
}
