package crosscheck

// calibrationBins is the number of equal intervals of predicted win rates.
const calibrationBins = 10

// Calibration compares predicted win rates with results, over positions whose
// game has one. A draw counts as half a win.
type Calibration struct {
	Of    string  `json:"of"`    // "network", "mcts" or "alphabeta"
	N     int     `json:"n"`     // positions
	Brier float64 `json:"brier"` // mean squared difference of prediction and result: 0 is perfect, 0.25 is what 50% everywhere gets without draws
	Bins  []Bin   `json:"bins"`  // by predicted win rate, ascending, all of them
}

// Bin is an interval of predictions. The last one includes 1.
type Bin struct {
	From      float64 `json:"from"` // up to From + 1/len(Bins)
	N         int     `json:"n"`
	Predicted float64 `json:"predicted"` // mean; 0 without positions
	Result    float64 `json:"result"`    // mean; 0 without positions
}

// calibrator gathers one Calibration.
type calibrator struct {
	of      string
	squares float64
	bins    [calibrationBins]struct {
		n                 int
		predicted, result float64
	}
}

// resultOf returns a row's outcome as a share of a win; ok is false if it is
// unknown.
func resultOf(outcome string) (result float64, ok bool) {
	switch outcome {
	case "win":
		return 1, true
	case "draw":
		return 0.5, true
	case "loss":
		return 0, true
	}
	return 0, false
}

// add takes in a value in -1..1 and the result that came of it.
func (c *calibrator) add(value, result float64) {
	p := (value + 1) / 2
	bin := &c.bins[min(max(int(p*calibrationBins), 0), calibrationBins-1)]
	bin.n++
	bin.predicted += p
	bin.result += result
	c.squares += (p - result) * (p - result)
}

func (c *calibrator) calibration() Calibration {
	out := Calibration{Of: c.of}
	for i, b := range c.bins {
		bin := Bin{From: float64(i) / calibrationBins, N: b.n}
		if b.n > 0 {
			bin.Predicted, bin.Result = rounded(b.predicted/float64(b.n)), rounded(b.result/float64(b.n))
		}
		out.N += b.n
		out.Bins = append(out.Bins, bin)
	}
	if out.N > 0 {
		out.Brier = rounded(c.squares / float64(out.N))
	}
	return out
}
