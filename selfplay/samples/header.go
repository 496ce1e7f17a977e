package samples

import (
	"bytes"

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
	Game        string     `json:"game" msgpack:"game"`
	Rule        OrderedMap `json:"rule" msgpack:"rule"` // name and every parameter
	Size        int        `json:"size" msgpack:"size"`
	Planes      Planes     `json:"planes" msgpack:"planes"`
	Globals     []string   `json:"globals" msgpack:"globals"` // names
	Model       string     `json:"model" msgpack:"model"`
	ModelSHA256 string     `json:"model_sha256" msgpack:"model_sha256"`
	Engine      Engine     `json:"engine" msgpack:"engine"`
	Search      OrderedMap `json:"search" msgpack:"search"` // every option that can change a result
	// of older versions, which could leave rows out: the conditions that these rows meet; "": all rows
	Filter string `json:"filter,omitempty" msgpack:"filter,omitempty"`
	Seed   uint64 `json:"seed" msgpack:"seed"`
	Rows   int    `json:"-" msgpack:"rows"`
	Games  []Game `json:"-" msgpack:"games"`
}

// Planes names the input planes.
type Planes struct {
	Version string   `json:"version" msgpack:"version"` // as nn.Encoder.Version
	Names   []string `json:"names" msgpack:"names"`
}

// Engine names the program that played.
type Engine struct {
	Version string `json:"version" msgpack:"version"`
	Commit  string `json:"commit" msgpack:"commit"`
}

// Game is one game of a shard. From and Moves are position strings: all moves
// from the start, one after the other.
type Game struct {
	ID     uint64      `json:"id" msgpack:"id"`
	Seed   uint64      `json:"seed" msgpack:"seed"`     // GameSeed(Header.Seed, ID)
	From   string      `json:"from" msgpack:"from"`     // the moves before the game's first row; all moves if it has none
	Moves  string      `json:"moves" msgpack:"moves"`   // all moves
	Result string      `json:"result" msgpack:"result"` // "first", "second" or "draw"
	Reason game.Reason `json:"reason" msgpack:"reason"` // why the game ended
	Plies  int         `json:"plies" msgpack:"plies"`   // number of moves

	Audit *Audit `json:"-" msgpack:"audit,omitempty"` // nil: resignation was not audited
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

// Audit says what resignation would have done to a game that was played on.
type Audit struct {
	Resigns string `json:"audit_resigns" msgpack:"resigns"` // "first", "second", or Nobody
	Ply     int    `json:"audit_ply" msgpack:"ply"`         // moves before the resignation; 0 for Nobody
}

// Resigned reports whether a side would have resigned a game with the given result,
// and whether it has lost it. A nil Audit says no.
func (a *Audit) Resigned(result string) (would, lost bool) {
	if a == nil || a.Resigns == Nobody {
		return false, false
	}
	return true, result != game.Draw.String() && result != a.Resigns
}

// Nobody stands in Audit.Resigns where no side would have resigned.
const Nobody = "none"

// Keys of the header's search map about resignation.
const (
	AuditKey  = "resign_audit" // share of the games that are played on
	resignKey = "resign_at"
)

// auditStream separates the choice of audited games from other uses of a seed.
const auditStream = 0x6175646974

// Audited reports whether the game with a seed is one of the share that is played on
// where a side would resign.
func Audited(seed uint64, share float64) bool {
	return float64(GameSeed(seed^auditStream, 0)>>11)/(1<<53) < share
}

// The header's search map names the rule that made the policy target.
const (
	TargetKey    = "policy_target"
	TargetVisits = "visits" // VisitTarget
	TargetScores = "scores" // a softmax over the scores of a search that counts no visits

	// TargetPruned and TargetImproved are those of full searches; rows of cheap ones
	// have VisitTarget.
	TargetPruned   = "pruned"   // shares of the visits without the forced ones
	TargetImproved = "improved" // of completed values, over all moves
)

// VisitTarget writes the share of each count in their sum to target.
// With no visits at all the single entry is the proven move and gets 1.
func VisitTarget(target []float32, counts []uint32) {
	var sum uint64
	for _, n := range counts {
		sum += uint64(n)
	}
	for i, n := range counts {
		if sum == 0 {
			target[i] = 1
		} else {
			target[i] = float32(float64(n) / float64(sum))
		}
	}
}

// Options returns the header as a shard has it, without rows and games.
func (h Header) Options() ([]byte, error) {
	h.Rows, h.Games = 0, nil
	var b bytes.Buffer
	err := h.encode(newEncoder(&b))
	return b.Bytes(), err
}

// ParseOptions reads the output of Options.
func ParseOptions(data []byte) (h Header, err error) {
	d := msgpack.NewDecoder(bytes.NewReader(data))
	if err = h.decode(d); err == nil {
		err = decodeEnd(d)
	}
	return h, err
}
