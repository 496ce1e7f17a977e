package samples

import (
	"cmp"
	"math"
	"slices"

	"github.com/carozero/carozero/game"
)

// Statistics describes the content of one or more shards.
type Statistics struct {
	Shards   int   `json:"shards"`
	Bytes    int64 `json:"bytes"` // compressed
	Games    int   `json:"games"`
	Rows     int   `json:"rows"`
	FullRows int   `json:"full_rows"` // from full searches
	Results
	Reasons      map[string]int `json:"reasons"`         // games by reason
	MeanPlies    float64        `json:"mean_plies"`      // moves of a game
	MeanAbsQ     float64        `json:"mean_abs_root_q"` // over rows
	MeanError    float64        `json:"mean_abs_error"`  // |root_q - outcome| over rows
	MeanEntropy  float64        `json:"mean_entropy"`    // of the policy target, in nats
	MeanVisits   float64        `json:"mean_visits"`     // of the root's moves
	ProvenRows   int            `json:"proven_rows"`
	DistinctRows int            `json:"distinct_rows"` // by planes and globals, in all these shards together
	Audits
}

// Results counts games by their results.
type Results struct {
	First  int `json:"first"` // games won by the first player
	Second int `json:"second"`
	Draws  int `json:"draws"`
}

// Add counts a game.
func (r *Results) Add(g *Game) {
	switch g.Result {
	case game.FirstWins.String():
		r.First++
	case game.SecondWins.String():
		r.Second++
	default:
		r.Draws++
	}
}

// Audits counts the games that were played on to audit resignation, those of them that a side
// would have resigned, and of these the ones that it did not lose.
type Audits struct {
	Audited      int `json:"audited,omitempty"`
	WouldResign  int `json:"would_resign,omitempty"`
	FalseResigns int `json:"false_resigns,omitempty"`
}

// Add counts a game.
func (a *Audits) Add(g *Game) {
	if would, lost := g.Audit.Resigned(g.Result); g.Audit != nil {
		a.Audited++
		a.WouldResign += count(would)
		a.FalseResigns += count(would && !lost)
	}
}

// Tally adds up what Statistics takes means of.
type Tally struct {
	Statistics
	plies, absQ, absError, entropy, visits float64

	inputs []uint64 // hashes of the rows' inputs
}

// NewTally returns the tally of nothing.
func NewTally() *Tally { return &Tally{Statistics: Statistics{Reasons: map[string]int{}}} }

// Add counts a shard of so many bytes.
func (t *Tally) Add(s *Shard, size int64) {
	t.Shards++
	t.Bytes += size
	for i := range s.Header.Games {
		t.addGame(&s.Header.Games[i])
	}
	for i := range s.Columns.Rows {
		r := s.Columns.Row(i)
		t.addRow(&r)
		t.inputs = append(t.inputs, r.inputSum())
	}
}

func (t *Tally) addGame(g *Game) {
	t.Games++
	t.plies += float64(g.Plies)
	t.Reasons[string(g.Reason)]++
	t.Audits.Add(g)
	t.Results.Add(g)
}

func (t *Tally) addRow(r *Row) {
	t.Rows++
	t.FullRows += int(r.FullSearch)
	t.ProvenRows += count(r.Proven != ProvenUnknown)
	t.absQ += math.Abs(float64(r.RootQ))
	t.absError += math.Abs(float64(r.RootQ) - float64(r.Outcome))
	for _, p := range r.Target {
		if p > 0 {
			t.entropy -= float64(p) * math.Log(float64(p))
		}
	}
	for _, n := range r.Counts {
		t.visits += float64(n)
	}
}

// inputSum returns a 64-bit FNV-1a hash of the network's input.
func (r *Row) inputSum() uint64 {
	h := uint64(0xcbf29ce484222325)
	for _, b := range r.Planes {
		h = (h ^ uint64(b)) * 0x100000001b3
	}
	for _, g := range r.Globals {
		h = (h ^ uint64(math.Float32bits(g))) * 0x100000001b3
	}
	return h
}

// Means returns the counts and means. It is called once, when all is added.
func (t *Tally) Means() Statistics {
	s := t.Statistics
	slices.Sort(t.inputs)
	t.inputs = slices.Compact(t.inputs)
	s.DistinctRows = len(t.inputs)
	games, rows := float64(cmp.Or(t.Games, 1)), float64(cmp.Or(t.Rows, 1))
	s.MeanPlies, s.MeanAbsQ, s.MeanError = t.plies/games, t.absQ/rows, t.absError/rows
	s.MeanEntropy, s.MeanVisits = t.entropy/rows, t.visits/rows
	return s
}

func count(yes bool) int {
	if yes {
		return 1
	}
	return 0
}

// ColumnInfo is one column of a shard as a reader sees it.
type ColumnInfo struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// ShardInfo describes one shard: its statistics and its schema.
type ShardInfo struct {
	File    string       `json:"file"`
	Header  Header       `json:"header"` // games left out
	Columns []ColumnInfo `json:"columns"`
	Statistics
}

// Inspect reads the shards at the paths, each a run's directory or a shard's
// file, one at a time, and returns what is in each and in all together. The
// total's means are over all games and rows.
func Inspect(paths ...string) (Statistics, []ShardInfo, error) {
	sum := NewTally()
	var list []ShardInfo
	err := Shards(func(source Source, s *Shard, e Entry) error {
		one := NewTally()
		one.Add(s, e.Bytes)
		sum.Add(s, e.Bytes)
		s.Header.Games = nil
		info := ShardInfo{File: source.Path, Header: s.Header, Statistics: one.Means()}
		for _, col := range s.Columns.present() {
			shape := col.shape(s.Columns.Rows, len(s.Columns.VisitActions))
			info.Columns = append(info.Columns, ColumnInfo{col.name, col.dtype, shape})
		}
		list = append(list, info)
		return nil
	}, paths...)
	return sum.Means(), list, err
}
