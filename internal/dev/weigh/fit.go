package main

import (
	"fmt"
	"io"
	"math"
)

// terms are the rule's: a bias, the classical half's difference, the tree's, and the
// logarithm of the visits' ratio, so that a positive sum speaks for the classical half.
const terms = 4

func (r *row) terms() [terms]float64 {
	return [terms]float64{1, r.ValueC - r.ValueT, r.MeanC - r.MeanT, -math.Log(float64(1+r.VisitsT) / float64(1+r.VisitsC))}
}

// gain returns what the classical half's move is worth more than the tree's by the judges.
func (r *row) gain() float64 {
	return (r.JudgedC[0]+r.JudgedC[1])/2 - (r.JudgedT[0]+r.JudgedT[1])/2
}

// fit prints the weights of each rule set's rows, and the gain by weights of one half of
// the games on the other.
func fit(files []string, out io.Writer) error {
	all, err := read(files)
	if err != nil {
		return err
	}
	byRule := map[string][]row{}
	var order []string
	for _, r := range all {
		if byRule[r.Rule] == nil {
			order = append(order, r.Rule)
		}
		byRule[r.Rule] = append(byRule[r.Rule], r)
	}
	for _, rule := range append(order, "all") {
		rows := byRule[rule]
		if rule == "all" {
			rows = all
		}
		w := weigh(rows)
		fmt.Fprintf(out, "%s: %d rows; bias %.3f, value %.3f, mean %.3f, visits %.3f\n", rule, len(rows), w[0], w[1], w[2], w[3])
		var halves [2][]row
		for _, r := range rows {
			halves[r.Game%2] = append(halves[r.Game%2], r)
		}
		var held, other, best float64
		for i := range halves {
			w := weigh(halves[1-i])
			for _, r := range halves[i] {
				if r.sum(w) > 0 {
					held += r.gain()
				}
				other += r.gain()
				best += max(0, r.gain())
			}
		}
		n := float64(len(rows))
		fmt.Fprintf(out, "  gain a choice over the tree's move, held out: rule %+.4f, always the classical half's %+.4f, the better one %+.4f\n", held/n, other/n, best/n)
	}
	return nil
}

// sum returns the weighted sum of a row.
func (r *row) sum(w [terms]float64) float64 {
	s := 0.0
	for i, x := range r.terms() {
		s += w[i] * x
	}
	return s
}

// weigh returns the weights under which the better move is likeliest, each row counted by
// what is at stake, by gradient descent with a weak pull to 0.
func weigh(rows []row) (w [terms]float64) {
	const steps, rate, pull = 20_000, 0.5, 0.002
	total := 0.0
	for i := range rows {
		total += math.Abs(rows[i].gain())
	}
	if total == 0 {
		return w
	}
	for range steps {
		var slope [terms]float64
		for i := range rows {
			r := &rows[i]
			g := r.gain()
			want := 0.0
			if g > 0 {
				want = 1
			}
			p := 1 / (1 + math.Exp(-r.sum(w)))
			for j, x := range r.terms() {
				slope[j] += math.Abs(g) / total * (want - p) * x
			}
		}
		for j := range w {
			w[j] += rate * (slope[j] - pull*w[j])
		}
	}
	return w
}
