package crosscheck

import (
	"fmt"
	"math"
	"strings"
)

// Size of the calibration plot and of its margins.
const (
	plotSide   = 320
	plotMargin = 44
)

// plot is the calibration plot: result against prediction.
type plot struct {
	Width, Height int
	Low, High     int // the axes' ends in x; in y they are High and Low of the flipped axis
	Ticks         []tick
	Series        []series
}

type tick struct {
	X, Y int
	Text string
}

// series is one predictor.
type series struct {
	Name, Class string
	Brier       float64
	N           int
	Path        string // of the line through its dots
	Dots        []dot
}

type dot struct {
	X, Y, R float64
	Title   string
}

// labels names the predictors for people.
var labels = map[string]string{"network": "network", nameMCTS: "MCTS", nameAlphaBeta: "alpha-beta", nameThird: "third player"}

func newPlot(list []Calibration) plot {
	p := plot{Width: plotSide + 2*plotMargin, Height: plotSide + 2*plotMargin, Low: plotMargin, High: plotMargin + plotSide}
	for i := 0; i <= 10; i += 2 {
		x, y := place(float64(i)/10, float64(i)/10)
		p.Ticks = append(p.Ticks, tick{int(x), int(y), fmt.Sprintf("%d%%", i*10)})
	}
	for _, c := range list {
		s := series{Name: labels[c.Of], Class: c.Of, Brier: c.Brier, N: c.N}
		var path []string
		for _, b := range c.Bins {
			if b.N == 0 {
				continue
			}
			x, y := place(b.Predicted, b.Result)
			path = append(path, fmt.Sprintf("%.1f,%.1f", x, y))
			s.Dots = append(s.Dots, dot{X: x, Y: y, R: 2.5 + 7*math.Sqrt(float64(b.N)/float64(c.N)),
				Title: fmt.Sprintf("%s: %d positions, predicted %.1f%%, won %.1f%%", s.Name, b.N, 100*b.Predicted, 100*b.Result)})
		}
		s.Path = strings.Join(path, " ")
		p.Series = append(p.Series, s)
	}
	return p
}

// place returns where a prediction and a result are drawn.
func place(predicted, result float64) (x, y float64) {
	return plotMargin + predicted*plotSide, plotMargin + (1-result)*plotSide
}
