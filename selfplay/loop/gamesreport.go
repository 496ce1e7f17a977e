package loop

import (
	"context"
	"math"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/selfplay/samples"
)

// GamesReport describes the games of a round.
type GamesReport struct {
	Games     int     `json:"games"`
	Positions int     `json:"positions"`
	First     int     `json:"first"` // games won by the first player
	Second    int     `json:"second"`
	Draws     int     `json:"draws"`
	MeanPlies float64 `json:"mean_plies"`
	Shortest  int     `json:"shortest"`
	Longest   int     `json:"longest"`
	Entropy   float64 `json:"mean_entropy"` // of the policy targets, in nats
	Proven    int     `json:"proven"`       // positions

	SearchBrier float64 `json:"search_brier"` // mean squared error of the search's expected results
	NetBrier    float64 `json:"net_brier"`    // the same of the network's, or of a teacher's evaluation
	Calibration []Bin   `json:"calibration"`  // of the search
}

// DrawShare returns the share of drawn games.
func (g *GamesReport) DrawShare() float64 { return float64(g.Draws) / float64(max(1, g.Games)) }

// Bin counts the positions with an expected result, as a share of a win, in a range: bin i
// of n from i/n to (i+1)/n.
type Bin struct {
	N        int     `json:"n"`
	Expected float64 `json:"expected"` // mean; 0 without positions
	Result   float64 `json:"result"`   // mean; 0 without positions
}

// calibrationBins is the number of bins.
const calibrationBins = 10

// gamesReport reads the shards of runs, in their order.
func gamesReport(ctx context.Context, dirs []string) (*GamesReport, error) {
	g := &GamesReport{Calibration: make([]Bin, calibrationBins)}
	for _, dir := range dirs {
		paths, err := samples.ShardPaths(samples.Disk{}, dir)
		if err != nil {
			return nil, err
		}
		for _, path := range paths {
			if err := ctx.Err(); err != nil {
				return nil, err
			}
			shard, err := samples.ReadFile(samples.Disk{}, path)
			if err != nil {
				return nil, err
			}
			g.addShard(shard)
		}
	}
	g.finish()
	return g, nil
}

func (g *GamesReport) addShard(s *samples.Shard) {
	for i := range s.Header.Games {
		played := &s.Header.Games[i]
		g.Games++
		g.MeanPlies += float64(played.Plies)
		g.Longest = max(g.Longest, played.Plies)
		if g.Games == 1 || played.Plies < g.Shortest {
			g.Shortest = played.Plies
		}
		switch played.Result {
		case game.FirstWins.String():
			g.First++
		case game.SecondWins.String():
			g.Second++
		default:
			g.Draws++
		}
	}
	for i := range s.Columns.Rows {
		row := s.Columns.Row(i)
		g.addRow(&row)
	}
}

func (g *GamesReport) addRow(r *samples.Row) {
	g.Positions++
	if r.Proven != samples.ProvenUnknown {
		g.Proven++
	}
	for _, p := range r.Target {
		if p > 0 {
			g.Entropy -= float64(p) * math.Log(float64(p))
		}
	}
	result := float64(r.Outcome+1) / 2
	search, net := (float64(r.RootQ)+1)/2, (float64(r.NetQ)+1)/2
	g.SearchBrier += float64((search - result) * (search - result))
	g.NetBrier += float64((net - result) * (net - result))
	bin := &g.Calibration[min(max(int(search*calibrationBins), 0), calibrationBins-1)]
	bin.N++
	bin.Expected += search
	bin.Result += result
}

// finish turns sums into means.
func (g *GamesReport) finish() {
	g.MeanPlies = rounded(g.MeanPlies / float64(max(1, g.Games)))
	rows := float64(max(1, g.Positions))
	for _, sum := range []*float64{&g.Entropy, &g.SearchBrier, &g.NetBrier} {
		*sum = rounded(*sum / rows)
	}
	for i := range g.Calibration {
		b := &g.Calibration[i]
		b.Expected = rounded(b.Expected / float64(max(1, b.N)))
		b.Result = rounded(b.Result / float64(max(1, b.N)))
	}
}

// rounded keeps four decimals.
func rounded(x float64) float64 { return math.Round(x*1e4) / 1e4 }
