package tactics

import (
	"context"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/alphabeta/vcf/proof"
	"github.com/carozero/carozero/game/gomoku"
)

func longOnes(t *testing.T) []Problem {
	t.Helper()
	list, err := Long()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestLongCovers(t *testing.T) {
	list := longOnes(t)
	rules, kinds, longest := map[string]bool{}, map[vcf.Kind]int{}, 0
	for _, p := range list {
		rules[p.Rule] = true
		kinds[p.Kind]++
		longest = max(longest, p.Plies)
		if p.Outcome != vcf.Win {
			t.Errorf("no win: %v", p)
		}
	}
	if len(list) < 30 || len(rules) < 6 || kinds[vcf.VCF] < 10 || kinds[vcf.VCT] < 10 || longest < 61 {
		t.Errorf("%d problems of %d rule sets, %v of each kind, the longest of %d plies", len(list), len(rules), kinds, longest)
	}
}

func TestLongIsSolved(t *testing.T) {
	_, answers, err := Run(context.Background(), longOnes(t), 2_000_000, still)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if !a.Solved() {
			t.Errorf("not solved: %v", a.Problem)
		}
	}
}

// Every third win is played against every legal defence.
func TestLongHoldsAgainstEveryDefence(t *testing.T) {
	const nodes = 2_000_000
	solver := vcf.New(vcf.Options{TableBytes: vcf.TableBytesFor(nodes)})
	for i, p := range longOnes(t) {
		if i%3 != 0 {
			continue
		}
		b, err := p.Board()
		if err != nil {
			t.Fatal(err)
		}
		w, ok := proof.Find(context.Background(), solver, b, proof.Limits{Nodes: nodes}, p.Kind)
		if !ok || w.Plies > p.Plies {
			t.Errorf("refuted, or in %d plies: %v", w.Plies, p)
		}
	}
}

func TestCompose(t *testing.T) {
	rules, err := gomoku.Lookup("freestyle")
	if err != nil {
		t.Fatal(err)
	}
	compose := func() []Problem {
		c := Composer{Rules: rules, Size: 11, Kind: vcf.VCF, Stones: 30, Steps: 40, Nodes: 3000, MinPlies: 5, Seed: 3}
		found, err := c.Compose(context.Background(), 3)
		if err != nil {
			t.Fatal(err)
		}
		return found
	}
	found := compose()
	if len(found) == 0 {
		t.Fatal("nothing was composed")
	}
	for i, p := range compose() {
		if p != found[i] {
			t.Errorf("the same seed gave %v, then %v", found[i], p)
		}
		if again, err := parse(p.String()); err != nil || again != p {
			t.Errorf("%v reads back as %v, %v", p, again, err)
		}
	}
	for _, c := range []Composer{{Rules: rules, Size: 11}, {Rules: rules, Size: 11, Stones: 61}, {Rules: rules, Size: 11, Stones: 10, Margin: 4}} {
		if _, err := c.Compose(context.Background(), 1); err == nil {
			t.Errorf("%d stones within %d were laid", c.Stones, c.Margin)
		}
	}
}
