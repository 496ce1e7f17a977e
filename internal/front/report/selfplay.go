package report

import (
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/selfplay"
)

// Selfplay is what "selfplay" prints.
type Selfplay struct {
	Dir           string  `json:"dir"`
	Rule          string  `json:"rule"`
	Size          int     `json:"size"`
	Model         string  `json:"model"`
	Games         int     `json:"games"`
	GamesOnDisk   int     `json:"games_on_disk"`
	GamesWanted   int     `json:"games_wanted"`
	Lost          int     `json:"games_lost,omitempty"` // in progress when the run was interrupted
	Shards        int     `json:"shards"`
	Positions     int     `json:"positions"`
	FirstWins     int     `json:"first_wins"`
	SecondWins    int     `json:"second_wins"`
	Draws         int     `json:"draws"`
	Resigned      int     `json:"resigned,omitempty"`
	Audited       int     `json:"audited,omitempty"`       // played on to audit resignation
	WouldResign   int     `json:"would_resign,omitempty"`  // of these
	FalseResigns  int     `json:"false_resigns,omitempty"` // of these, by a side that did not lose
	MeanLength    float64 `json:"mean_length"`
	PositionsPerS float64 `json:"positions_per_s"`
	EvalsPerS     float64 `json:"evals_per_s"`
	CacheHits     float64 `json:"cache_hits"`
	NodesPerS     float64 `json:"nodes_per_s,omitempty"` // of a teacher
	Seconds       float64 `json:"seconds"`
}

// NewSelfplay returns the report of a run.
func NewSelfplay(v games.Variant, model, dir string, s selfplay.Summary) *Selfplay {
	return &Selfplay{
		Dir: dir, Rule: v.Rule(), Size: v.Size, Model: model,
		Games: s.Games, GamesOnDisk: s.OnDisk, GamesWanted: s.Of, Lost: s.Lost, Shards: s.Shards, Positions: s.Positions,
		Resigned: s.Resigned, Audited: s.Audited, WouldResign: s.WouldResign, FalseResigns: s.FalseResigns,
		FirstWins: s.First, SecondWins: s.Second, Draws: s.Draws,
		MeanLength: s.MeanLength(), PositionsPerS: s.PositionsPerSecond(), EvalsPerS: s.EvalsPerSecond(),
		CacheHits: s.Stats.HitRate(), NodesPerS: s.NodesPerSecond(), Seconds: s.Elapsed.Seconds(),
	}
}

// Text implements [Report].
func (r *Selfplay) Text(w io.Writer) {
	fmt.Fprintf(w, "%s on %dx%d with %s: %d games, %d positions in %.1f s, %d of %d games on disk, %d shards in %s\n",
		r.Rule, r.Size, r.Size, r.Model, r.Games, r.Positions, r.Seconds, r.GamesOnDisk, r.GamesWanted, r.Shards, r.Dir)
	fmt.Fprintf(w, "first %d, second %d, draws %d; mean length %.1f moves\n", r.FirstWins, r.SecondWins, r.Draws, r.MeanLength)
	if r.Audited > 0 {
		auditLine(w, r.Resigned, r.Audited, r.WouldResign, r.FalseResigns)
	}
	if r.NodesPerS > 0 {
		fmt.Fprintf(w, "%.1f positions/s, %.0f nodes/s\n", r.PositionsPerS, r.NodesPerS)
		return
	}
	fmt.Fprintf(w, "%.1f positions/s, %.0f evals/s, %.1f%% cache hits\n", r.PositionsPerS, r.EvalsPerS, 100*r.CacheHits)
}
