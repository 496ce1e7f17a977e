package tactics

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

func still() time.Time { return time.Time{} }

func shipped(t *testing.T) []Problem {
	t.Helper()
	list, err := Suite()
	if err != nil {
		t.Fatal(err)
	}
	return list
}

func TestSuiteCoversEveryRule(t *testing.T) {
	list := shipped(t)
	wins, nones, seen := map[string]int{}, map[string]int{}, map[string]bool{}
	sizes := map[int]bool{}
	for _, p := range list {
		if seen[p.String()] {
			t.Errorf("twice: %v", p)
		}
		seen[p.String()] = true
		sizes[p.Size] = true
		if p.Outcome == vcf.Win {
			wins[p.Rule]++
		} else {
			nones[p.Rule]++
		}
	}
	for _, rule := range gomoku.Names() {
		if wins[rule] < 5 || nones[rule] < 2 {
			t.Errorf("%s: %d wins and %d positions without one", rule, wins[rule], nones[rule])
		}
	}
	if len(list) < 200 || len(sizes) < 4 {
		t.Errorf("%d problems on %d sizes, want 200 on 4", len(list), len(sizes))
	}
}

func TestSuiteIsSolved(t *testing.T) {
	list := shipped(t)
	scores, answers, err := Run(context.Background(), list, 2_000_000, still)
	if err != nil {
		t.Fatal(err)
	}
	for _, a := range answers {
		if !a.Solved() || a.Plies != a.Problem.Plies {
			t.Errorf("not solved: %v", a.Problem)
		}
	}
	total := 0
	for _, s := range scores {
		total += s.Problems
	}
	if total != len(list) {
		t.Errorf("%d problems in the scores, want %d", total, len(list))
	}
	// A budget of one node solves next to nothing, so the scores can fail.
	few, _, err := Run(context.Background(), list, 1, still)
	if err != nil {
		t.Fatal(err)
	}
	solved := 0
	for _, s := range few {
		solved += s.Solved
	}
	if solved > len(list)/2 {
		t.Errorf("one node solves %d of %d", solved, len(list))
	}
}

// Every fourth win of the suite is played against every legal defence.
func TestSuiteHoldsAgainstEveryDefence(t *testing.T) {
	solver := vcf.New(vcf.Options{})
	l := vcf.ProofLimits{Nodes: 2_000_000}
	checked := 0
	for i, p := range shipped(t) {
		if p.Outcome != vcf.Win || i%4 != 0 {
			continue
		}
		b, err := p.Board()
		if err != nil {
			t.Fatal(err)
		}
		w, ok := vcf.FindProof(context.Background(), solver, b, l, p.Kind)
		if !ok || w.Plies > p.Plies {
			t.Errorf("refuted, or in %d plies: %v", w.Plies, p)
		}
		_, err = vcf.Confirm(context.Background(), solver, b, p.Kind, p.Plies-2, l)
		if !errors.Is(err, certificate.ErrRefuted) {
			t.Errorf("in two plies less: %v: %v", err, p)
		}
		checked++
	}
	if checked < 20 {
		t.Errorf("only %d wins checked", checked)
	}
}

func TestReadRefuses(t *testing.T) {
	good := "freestyle 15 vct win 3 h8a1i8a3j8a15 g8f8k8"
	if list, err := Read(strings.NewReader("# a comment\n\n" + good + "\n")); err != nil || len(list) != 1 ||
		list[0].String() != good {
		t.Fatalf("%v, %v", list, err)
	}
	for text, want := range map[string]string{
		"freestyle 15 vct":                                "fields",
		"chess 15 vct win 3 h8a1i8a3j8a15 g8f8k8":         "chess",
		"freestyle x vct win 3 h8a1i8a3j8a15 g8f8k8":      "size",
		"freestyle 99 vct win 3 h8a1i8a3j8a15 g8f8k8":     "99",
		"freestyle 15 abc win 3 h8a1i8a3j8a15 g8f8k8":     "vcf or vct",
		"freestyle 15 vct win -3 h8a1i8a3j8a15 g8f8k8":    "plies",
		"freestyle 15 vct win 3 h8a1i8a3j8a15":            "result",
		"freestyle 15 vct none 3 h8a1i8a3j8a15":           "result",
		"freestyle 15 vct unknown 0 h8a1i8a3j8a15":        "result",
		"freestyle 15 vct win 3 h8h8 g8f8k8":              "move 2",
		"freestyle 15 vct win 3 h8a1i8a3j8a15 g8f8g8":     "not legal",
		"freestyle 15 vct win 3 h8a1i8a3j8a15 g8f8a2":     "does not win",
		"freestyle 15 vct win 1 h8a1i8a3j8a15 g8f8k8":     "plies",
		"freestyle 15 vct win 3 h8a1i8a3j8a15k8a5l8 a2a9": "over",
	} {
		_, err := Read(strings.NewReader("\n" + text))
		if err == nil || !strings.Contains(err.Error(), want) || !strings.Contains(err.Error(), "line 2") {
			t.Errorf("%s: %v, want line 2 and %q", text, err, want)
		}
	}
}

func FuzzRead(f *testing.F) {
	f.Add("freestyle 15 vct win 3 h8a1i8a3j8a15 g8f8k8")
	f.Add("renju 9 vcf none 0 a1")
	f.Fuzz(func(t *testing.T, text string) {
		list, err := Read(strings.NewReader(text))
		if err != nil {
			return
		}
		for _, p := range list {
			again, err := parse(p.String())
			if err != nil || again != p {
				t.Errorf("%q reads back as %v, %v", p.String(), again, err)
			}
		}
	})
}

// Every position with one holding move: all others lose to continuous fours.
func TestHoldsHold(t *testing.T) {
	list, err := Holds()
	if err != nil {
		t.Fatal(err)
	}
	solver := vcf.New(vcf.Options{})
	for _, h := range list {
		b, err := h.Board()
		if err != nil {
			t.Fatal(err)
		}
		board := pattern.FromBoard(b)
		for _, other := range board.Moves(nil) {
			board.Play(other)
			lost := board.Outcome() == game.WinFor(board.ToMove()) ||
				solver.Decide(t.Context(), board, vcf.VCF, 2_000).Outcome == vcf.Win
			if board.Undo(); lost != (other != h.Move) {
				t.Errorf("%v: %v loses to fours: %v", h, other, lost)
			}
		}
		board.Play(h.Move)
		if solver.Solve(t.Context(), board, vcf.VCT, 2_000).Outcome == vcf.Win {
			t.Errorf("%v: its move loses", h)
		}
	}
	if len(list) < 150 {
		t.Errorf("%d positions", len(list))
	}
}

// longOnes returns the suite of long wins.
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
		t.Errorf("%d problems of %d rule sets, %v of each kind, the longest of %d plies", len(list), len(rules), kinds,
			longest)
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
		w, ok := vcf.FindProof(context.Background(), solver, b, vcf.ProofLimits{Nodes: nodes}, p.Kind)
		if !ok || w.Plies > p.Plies {
			t.Errorf("refuted, or in %d plies: %v", w.Plies, p)
		}
	}
}
