package crosscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/game"
)

// TestReportStandsAlone: the page has every number and every disagreement,
// loads nothing, and lets no text of the input become part of it.
func TestReportStandsAlone(t *testing.T) {
	h := host(t, 1, "")
	f, err := Run(context.Background(), testOptions, h)
	if err != nil {
		t.Fatal(err)
	}
	const hostile = `</script><script>alert("x")</script>`
	path := filepath.Join(t.TempDir(), "report.html")
	if err := CheckReport(path); err != nil {
		t.Fatal(err)
	}
	if err := f.SaveReport(path, Heading{Variant: variant(t, "freestyle", 7), Model: hostile,
		Input: "games.sgf"}); err != nil {
		t.Fatal(err)
	}
	page := string(read(t, path))
	s := f.Summary()
	if got := strings.Count(page, "<article "); got != s.Positions-s.Agree {
		t.Errorf("%d boards, want %d", got, s.Positions-s.Agree)
	}
	for _, want := range []string{fmt.Sprintf("<b>%d</b><span>positions</span>", s.Positions), "Brier",
		"freestyle 7&times;7"} {
		if !strings.Contains(page, want) {
			t.Errorf("no %q", want)
		}
	}
	if strings.Contains(page, hostile) || strings.Contains(page, "ZgotmplZ") {
		t.Error("text was not escaped, or was refused")
	}
	loads := regexp.MustCompile(`(?i)src="[^#"]|href="([^#d"]|d[^a"]|data:[^a])|@import|url\(|fetch\(|XMLHttp`)
	if m := loads.FindString(page); m != "" {
		t.Errorf("the page loads something: %q", m)
	}
	data := regexp.MustCompile(`(?s)<script type="application/json">(.*?)</script>`).FindAllStringSubmatch(page, -1)
	for _, d := range data {
		var lines []line
		if err := json.Unmarshal([]byte(d[1]), &lines); err != nil || len(lines) == 0 {
			t.Fatalf("lines %q: %v", d[1], err)
		}
	}
	if len(data) != s.Positions-s.Agree {
		t.Errorf("%d boards with lines", len(data))
	}
}

// TestSampling: positions are undecided, behind the opening, as many as asked
// for, and the same for the same seed.
func TestSampling(t *testing.T) {
	v := variant(t, "freestyle", 7)
	open := inputOf(t, v, "games.sgf", gamesOf(t, v, 20))
	rapid.Check(t, func(t *rapid.T) {
		rules := Sampling{
			Every: rapid.IntRange(1, 5).Draw(t, "every"), PerGame: rapid.IntRange(0, 4).Draw(t, "per game"),
			Limit: rapid.IntRange(0, 30).Draw(t, "limit"), Seed: rapid.Uint64().Draw(t, "seed"),
		}
		var texts [2]bytes.Buffer
		for i := range texts {
			games, err := open()
			if err != nil {
				t.Fatal(err)
			}
			s := sampler{games: games, rules: rules}
			perGame := map[string]int{}
			for n := 0; ; n++ {
				one, err := s.next()
				if err != nil {
					break
				}
				pos, err := one.game.At(one.plies)
				if err != nil || pos.Outcome() != game.Undecided || one.index != n {
					t.Fatalf("sample %d: %v, %v, index %d", n, err, pos.Outcome(), one.index)
				}
				if perGame[one.game.Source]++; rules.PerGame > 0 && perGame[one.game.Source] > rules.PerGame {
					t.Fatal("too many of one game")
				}
				fmt.Fprintln(&texts[i], one.game.Source, one.plies)
			}
			games.Close()
			if rules.Limit > 0 && s.given > rules.Limit {
				t.Fatal("over the limit")
			}
		}
		if texts[0].String() != texts[1].String() {
			t.Fatal("not repeatable")
		}
	})
}

// A report replaces an earlier one or an empty file, and no other.
func TestReportsReplaceReports(t *testing.T) {
	f := &Findings{options: testOptions, tally: newTally(1)}
	h := Heading{Variant: variant(t, "freestyle", 7), Model: "none", Input: "nothing"}
	path := filepath.Join(t.TempDir(), "report.html")
	for _, c := range []struct {
		text string
		ours bool
	}{{"", true}, {"<html><title>My page</title></html>", false}, {"notes",
		false}, {strings.Repeat(" ", 5000) + reportMark, false}} {
		if err := os.WriteFile(path, []byte(c.text), 0o644); err != nil {
			t.Fatal(err)
		}
		checked, saved := CheckReport(path), f.SaveReport(path, h)
		after, err := os.ReadFile(path)
		if (checked == nil) != c.ours || (saved == nil) != c.ours || err != nil || (string(after) == c.text) == c.ours {
			t.Errorf("%.20q: %v, %v, then %.40q", c.text, checked, saved, after)
		}
		if c.ours {
			if err := f.SaveReport(path, h); err != nil {
				t.Errorf("a report over a report: %v", err)
			}
		}
	}
	if f.SaveReport(t.TempDir(), h) == nil || f.SaveReport(os.DevNull, h) == nil {
		t.Error("a folder or a device is replaced")
	}
}
