package main

import (
	"context"
	"fmt"
	"io"
	"maps"
	"path"
	"slices"
	"strings"
)

// campaign judges one mutant after the other.
type campaign struct {
	judge    *judge
	journal  *Journal
	pack     *pack
	named    map[Key]string // equivalents
	tests    string         // digest of the tests
	progress io.Writer
}

// run judges mutants in their order until so many count, or all for 0.
func (c *campaign) run(ctx context.Context, mutants []Mutant, count int) (*summary, error) {
	sum := &summary{}
	for i := range mutants {
		if count > 0 && sum.counted() == count {
			break
		}
		m := &mutants[i]
		e, err := c.settle(ctx, m)
		if err != nil {
			return nil, err
		}
		sum.add(m, e)
		if e.Verdict != Uncompilable {
			by := ""
			if e.By != "" {
				by = " by " + e.By
			}
			fmt.Fprintf(c.progress, "%d: %s%s: %s\n", sum.counted(), e.Verdict, by, m)
		}
	}
	return sum, nil
}

// settle returns the verdict on a mutant: as the list of equivalents has it, or the
// journal, or the tests.
func (c *campaign) settle(ctx context.Context, m *Mutant) (entry, error) {
	e := entry{Key: m.Key, Line: m.Line, Source: c.pack.digest, Tests: c.tests}
	if c.named[m.Key] != "" {
		e.Verdict = Equivalent
		return e, nil
	}
	if e, ok := c.journal.Find(m, c.pack.digest, c.tests); ok {
		return e, nil
	}
	var err error
	if e.Verdict, e.By, err = c.judge.Try(ctx, m, c.pack.files[m.File]); err != nil {
		return e, err
	}
	return e, c.journal.Add(e)
}

// summary is the result of a run.
type summary struct {
	what      string
	of        int // mutants of the package, whether drawn or not
	verdicts  map[Verdict]int
	survivors []string
	stale     []string // equivalents of no mutant
}

func (s *summary) add(m *Mutant, e entry) {
	if s.verdicts == nil {
		s.verdicts = map[Verdict]int{}
	}
	s.verdicts[e.Verdict]++
	if e.Verdict == Survived {
		s.survivors = append(s.survivors, m.String())
	}
}

// counted returns the number of mutants that compile.
func (s *summary) counted() int {
	return s.verdicts[Killed] + s.verdicts[Survived] + s.verdicts[Equivalent]
}

// percent returns the share of the mutants that were killed, among those that tests
// could see: 100 if there are none.
func (s *summary) percent() float64 {
	seen := s.verdicts[Killed] + s.verdicts[Survived]
	if seen == 0 {
		return 100
	}
	return 100 * float64(s.verdicts[Killed]) / float64(seen)
}

func (s *summary) print(w io.Writer) {
	fmt.Fprintf(w, "%s: %d of %d mutants: %d killed, %d survived, %d equivalent: %.1f%% killed; %d more did not compile\n",
		s.what, s.counted(), s.of, s.verdicts[Killed], s.verdicts[Survived], s.verdicts[Equivalent], s.percent(), s.verdicts[Uncompilable])
	for _, m := range s.survivors {
		fmt.Fprintln(w, "survived", m)
	}
	for _, k := range s.stale {
		fmt.Fprintln(w, "equivalent.txt names no mutant:", k)
	}
}

// stale returns the equivalents of a package's files that no mutant is.
func stale(p *pack, named map[Key]string) []string {
	there := map[Key]bool{}
	for i := range p.mutants {
		there[p.mutants[i].Key] = true
	}
	var gone []string
	for k := range maps.Keys(named) {
		if path.Dir(k.File) == p.path && !there[k] {
			gone = append(gone, strings.Join([]string{k.File, k.Func, k.Before, k.After}, "; "))
		}
	}
	return slices.Sorted(slices.Values(gone))
}
