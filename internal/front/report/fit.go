package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/alphabeta/gomoku/fit"
	"github.com/carozero/carozero/game"
)

// Fit is what "fit" prints.
type Fit struct {
	Rule      string `json:"rule"`
	Method    string `json:"method"`
	Out       string `json:"out"`
	Games     int    `json:"games"`
	Skipped   int    `json:"skipped"` // games without a result on the board
	Positions int    `json:"positions"`
	Held      int    `json:"held_out"` // positions
	fit.Result
}

// Text implements [Report].
func (r *Fit) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d games, %d quiet positions and %d held out, %d games without a result; by %s; written to %s\n",
		r.Rule, r.Games, r.Positions, r.Held, r.Skipped, r.Method, r.Out)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "loss\tfitted to\theld out\t")
	fmt.Fprintf(t, "fitted\t%.4f\t%.4f\t\n", r.Loss[0], r.Loss[1])
	fmt.Fprintf(t, "by hand\t%.4f\t%.4f\t\n", r.HandLoss[0], r.HandLoss[1])
	fmt.Fprintf(t, "by hand, times %.2f\t%.4f\t%.4f\t\n", r.HandScale, r.HandScaled[0], r.HandScaled[1])
	t.Flush()
	fmt.Fprintf(w, "the fitted weights would be best on the games held out if multiplied by %.2f\n", r.Scale)
}

// FitOrder is what "fit order" prints.
type FitOrder struct {
	Rule    string `json:"rule"`
	Out     string `json:"out"`
	Games   int    `json:"games"`
	Choices int    `json:"choices"`
	Held    int    `json:"held_out"` // choices
	fit.OrderResult
}

// Text implements [Report].
func (r *FitOrder) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d games, %d choices and %d held out; written to %s\n", r.Rule, r.Games, r.Choices, r.Held, r.Out)
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "\tfitted to\theld out\t")
	fmt.Fprintf(t, "loss\t%.4f\t%.4f\t\n", r.Loss[0], r.Loss[1])
	fmt.Fprintf(t, "chosen move first\t%.1f%%\t%.1f%%\t\n", 100*r.First[0], 100*r.First[1])
	t.Flush()
}

// FitPlay is what "fit play" prints.
type FitPlay struct {
	Dir        string `json:"dir"`
	Rule       string `json:"rule"`
	Size       int    `json:"size"`
	Games      int    `json:"games"`
	FirstWins  int    `json:"first_wins"`
	SecondWins int    `json:"second_wins"`
	Draws      int    `json:"draws"`
	Plies      int    `json:"plies"`
	Next       int    `json:"next"` // --first of a run that goes on from here
}

// Add counts a game.
func (r *FitPlay) Add(g *fit.Game) {
	r.Games++
	r.Plies += len(g.Moves)
	switch g.Outcome {
	case game.FirstWins:
		r.FirstWins++
	case game.SecondWins:
		r.SecondWins++
	default:
		r.Draws++
	}
}

// Text implements [Report].
func (r *FitPlay) Text(w io.Writer) {
	fmt.Fprintf(w, "%s on %dx%d: %d games in %s, the next is number %d\n", r.Rule, r.Size, r.Size, r.Games, r.Dir, r.Next)
	fmt.Fprintf(w, "first %d, second %d, draws %d; mean length %.1f moves\n",
		r.FirstWins, r.SecondWins, r.Draws, float64(r.Plies)/float64(max(r.Games, 1)))
}

// FitScale is what "fit scale" prints.
type FitScale struct {
	Out    string            `json:"out"`
	Scales []fit.Calibration `json:"scales"`
}

// Text implements [Report].
func (r *FitScale) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprintln(t, "rule\tscale\tgames\tpositions\tloss\theld out\t")
	for _, s := range r.Scales {
		fmt.Fprintf(t, "%s\t%g\t%d\t%d\t%.4f\t%.4f\t\n", s.Rule, s.Units, s.Games, s.Positions+s.Held, s.Loss[0], s.Loss[1])
	}
	t.Flush()
	fmt.Fprintln(w, "\nheld out: points expected, and scored, by position")
	t = tabwriter.NewWriter(w, 0, 0, 2, ' ', tabwriter.AlignRight)
	for _, s := range r.Scales {
		fmt.Fprintf(t, "%s\t", s.Rule)
		for _, b := range s.Bins {
			if b.Positions == 0 {
				fmt.Fprint(t, "-\t")
				continue
			}
			fmt.Fprintf(t, "%.2f %.2f\t", b.Expected, b.Scored)
		}
		fmt.Fprintln(t)
	}
	t.Flush()
	fmt.Fprintf(w, "written to %s\n", r.Out)
}
