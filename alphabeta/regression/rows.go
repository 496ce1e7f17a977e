// Package regression finds weights that make results of games as probable as they can be:
// logistic regression over sparse rows of features, each with a weight for the beginning of
// a game and one for its end, under a normal [Prior]. The packages that fit evaluations of
// games share it.
package regression

import "math"

// Term is one feature of a position and how often it occurs, for the side to
// move less for its opponent.
type Term struct {
	Feature uint16
	Count   int16
}

// Row is one position. Its score under the weights w is
//
//	sum over terms of Count * ((1-Phase)*w[Feature] + Phase*w[features+Feature])
//
// so that a feature has two weights, one for the beginning of a game and one
// for its end.
type Row struct {
	Terms  []Term
	Phase  float32 // 0..1, how far the game is from its beginning to its end
	Target float32 // 0..1, the result for the side to move: 0 lost, 0.5 drawn, 1 won
}

// Rows hold positions in little memory, four bytes a term. The zero value has
// no rows.
type Rows struct {
	terms []Term
	ends  []uint32 // row i has the terms ends[i-1]..ends[i]
	phase []float32
	want  []float32
}

// Add appends a copy of a row.
func (r *Rows) Add(row Row) {
	r.terms = append(r.terms, row.Terms...)
	r.ends = append(r.ends, uint32(len(r.terms)))
	r.phase = append(r.phase, row.Phase)
	r.want = append(r.want, row.Target)
}

// Len returns the number of rows.
func (r *Rows) Len() int { return len(r.ends) }

// At returns row i as a view.
func (r *Rows) At(i int) Row {
	from := uint32(0)
	if i > 0 {
		from = r.ends[i-1]
	}
	return Row{Terms: r.terms[from:r.ends[i]], Phase: r.phase[i], Target: r.want[i]}
}

// SetTarget replaces the target of row i.
func (r *Rows) SetTarget(i int, target float32) { r.want[i] = target }

// Score returns the score of a row under weights [2*features].
func (row *Row) Score(w []float64) float64 {
	var begin, end float64
	half := len(w) / 2
	for _, t := range row.Terms {
		begin += float64(t.Count) * w[t.Feature]
		end += float64(t.Count) * w[half+int(t.Feature)]
	}
	p := float64(row.Phase)
	return (1-p)*begin + p*end
}

// AddGradient adds slope times the derivative of the score by each weight.
func (row *Row) AddGradient(slope float64, gradient []float64) {
	half := len(gradient) / 2
	p := float64(row.Phase)
	begin, end := slope*(1-p), slope*p
	for _, t := range row.Terms {
		gradient[t.Feature] += begin * float64(t.Count)
		gradient[half+int(t.Feature)] += end * float64(t.Count)
	}
}

// Scale is the score that makes a win e times as likely as a loss: a score s
// stands for the winning probability 1/(1+exp(-s/Scale)).
const Scale = 200

// Probability returns the winning probability that a score stands for.
func Probability(score float64) float64 { return 1 / (1 + math.Exp(-score/Scale)) }

// CrossEntropy returns -target*log(p) - (1-target)*log(1-p) for the
// probability p of a score, in nats, without losing digits where p is near to 0
// or 1.
func CrossEntropy(score, target float64) float64 {
	x := score / Scale
	return math.Max(x, 0) - target*x + math.Log1p(math.Exp(-math.Abs(x)))
}

// MeanLoss returns the mean cross-entropy of the rows under weights, in nats; 0
// without rows. Guessing 0.5 everywhere costs log 2 = 0.693.
func (r *Rows) MeanLoss(w []float64) float64 {
	if r.Len() == 0 {
		return 0
	}
	sum := 0.0
	for i := range r.ends {
		row := r.At(i)
		sum += CrossEntropy(row.Score(w), float64(row.Target))
	}
	return sum / float64(r.Len())
}

// Loss is the sum of the cross-entropies.
func (r *Rows) Loss(w []float64) float64 { return float64(r.Len()) * r.MeanLoss(w) }

// AddSlope adds the derivative of Loss by each weight.
func (r *Rows) AddSlope(w, gradient []float64) {
	for i := range r.ends {
		row := r.At(i)
		miss := Probability(row.Score(w)) - float64(row.Target)
		row.AddGradient(miss/Scale, gradient)
	}
}
