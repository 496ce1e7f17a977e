package samples

import (
	"fmt"
	"math"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// Each condition, and what it means in plain words of Go.
var meanings = map[string]func(h *Header, g *Game, r *Row) bool{
	"ply>=4":        func(_ *Header, _ *Game, r *Row) bool { return r.Ply >= 4 },
	"ply < 7":       func(_ *Header, _ *Game, r *Row) bool { return r.Ply < 7 },
	"plies_left!=1": func(_ *Header, _ *Game, r *Row) bool { return r.PliesLeft != 1 },
	"length<=9":     func(_ *Header, g *Game, _ *Row) bool { return g.Plies <= 9 },
	"id=2":          func(_ *Header, g *Game, _ *Row) bool { return g.ID == 2 },
	"weight>1":      func(_ *Header, _ *Game, r *Row) bool { return r.Weight > 1 },
	"surprise>=0.5": func(_ *Header, _ *Game, r *Row) bool { return math.Abs(float64(r.RootQ-r.NetQ)) >= 0.5 },
	"error<1": func(_ *Header, _ *Game,
		r *Row) bool {
		return math.Abs(float64(r.RootQ)-float64(r.Outcome)) < 1
	},
	"visits>=9":         func(_ *Header, _ *Game, r *Row) bool { return total(r) >= 9 },
	"moves<6":           func(_ *Header, _ *Game, r *Row) bool { return len(r.Actions) < 6 },
	"full_search":       func(_ *Header, _ *Game, r *Row) bool { return r.FullSearch == 1 },
	"full_search=no":    func(_ *Header, _ *Game, r *Row) bool { return r.FullSearch == 0 },
	"result=first|draw": func(_ *Header, g *Game, _ *Row) bool { return g.Result != "second" },
	"reason!=full":      func(_ *Header, g *Game, _ *Row) bool { return g.Reason != "full" },
	"proven=win":        func(_ *Header, _ *Game, r *Row) bool { return r.Proven == ProvenWin },
	"proven != unknown | win": func(_ *Header, _ *Game, r *Row) bool {
		return r.Proven == ProvenDraw ||
			r.Proven == ProvenLoss
	},
	"outcome=loss":    func(_ *Header, _ *Game, r *Row) bool { return r.Outcome == -1 },
	"rule=three":      func(*Header, *Game, *Row) bool { return true },
	"rule!=three":     func(*Header, *Game, *Row) bool { return false },
	"model=none|some": func(*Header, *Game, *Row) bool { return true },
	"audit":           func(*Header, *Game, *Row) bool { return false },
	"entropy>=0":      func(*Header, *Game, *Row) bool { return true },
	"regret<=1":       func(*Header, *Game, *Row) bool { return true },
}

func total(r *Row) (n int) {
	for _, c := range r.Counts {
		n += int(c)
	}
	return n
}

// Conditions mean what they say, alone and together.
func TestWhereMeansWhatItSays(t *testing.T) {
	s := testShard(12)
	var texts []string
	for text := range meanings {
		texts = append(texts, text)
	}
	hits := map[string]int{}
	rapid.Check(t, func(t *rapid.T) {
		picked := rapid.SliceOfN(rapid.SampledFrom(texts), 1, 3).Draw(t, "conditions")
		w, err := ParseWhere(strings.Join(picked, " , "))
		if err != nil {
			t.Fatal(err)
		}
		again, err := ParseWhere(w.String())
		if err != nil || again.String() != w.String() {
			t.Fatalf("%q is read as %v, %v", w, again, err)
		}
		for i := range s.Columns.Rows {
			r := s.Columns.Row(i)
			g := &s.Header.Games[r.Game]
			want := true
			for _, text := range picked {
				fits := meanings[text](&s.Header, g, &r)
				want = want && fits
				if fits {
					hits[text]++
				}
			}
			if got := w.Match(&s.Header, g, &r); got != want || again.Match(&s.Header, g, &r) != want {
				t.Fatalf("row %d: %v, want %v", i, got, want)
			}
		}
	})
}

// Shares split games and rows into parts without overlap, of about the right
// size.
func TestShares(t *testing.T) {
	for _, key := range []string{"games", "share"} {
		low, err := ParseWhere(key + "=0.3")
		high, err2 := ParseWhere(key + "=0.3..1")
		if err != nil || err2 != nil {
			t.Fatal(err, err2)
		}
		h, n, in := testHeader(), 4000, 0
		for id := range n {
			g := &Game{ID: uint64(id), Seed: GameSeed(h.Seed, uint64(id))}
			r := &Row{Ply: uint16(id % 50)}
			a, b := low.Match(&h, g, r), high.Match(&h, g, r)
			if a == b {
				t.Fatalf("%s: row %d is in both parts or in none", key, id)
			}
			if a {
				in++
			}
		}
		if in < n*27/100 || in > n*33/100 {
			t.Errorf("%s: %d of %d", key, in, n)
		}
	}
}

// The counter keeps the first rows of each position.
func TestRepeats(t *testing.T) {
	s := testShard(40) // all begin on the same board
	for _, text := range []string{"unique", "repeats<=3", "repeats<=9,repeats<=2"} {
		w, err := ParseWhere(text)
		if err != nil {
			t.Fatal(err)
		}
		most := map[string]int{"unique": 1, "repeats<=3": 3}[text]
		if most == 0 {
			most = 2
		}
		c, seen, kept := w.NewCounter(), map[string]int{}, 0
		for i := range s.Columns.Rows {
			r := s.Columns.Row(i)
			input := fmt.Sprint(r.Planes, r.Globals)
			want := seen[input] < most
			if got := c.Keep(&r); got != want {
				t.Fatalf("%s: row %d: %v", text, i, got)
			}
			if want {
				seen[input]++
				kept++
			}
		}
		if kept == s.Columns.Rows {
			t.Errorf("%s: no position repeats", text)
		}
	}
}

// What is wrong with a condition is said in one line.
func TestWhereRefuses(t *testing.T) {
	for _, text := range []string{
		"", ",", "ply", "ply>=", "ply>=x", "ply>=NaN", "ply~3", "plyy=3", "result", "result=third", "result<first",
		"full_search=maybe",
		"share", "share=0", "share=2", "share=0.5..0.5", "share>0.5", "unique=1", "repeats=2", "repeats<=0",
		"repeats<=99999", "rule=",
		"ply>=1,,ply<9", strings.Repeat("ply>=1,", 1000) + "ply>=1",
	} {
		if w, err := ParseWhere(text); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%.40q: %v, %v", text, w, err)
		}
	}
}

func FuzzParseWhere(f *testing.F) {
	for text := range meanings {
		f.Add(text)
	}
	f.Add("share=0.1, games=0.5..1, repeats<=2, unique")
	f.Fuzz(func(t *testing.T, text string) {
		w, err := ParseWhere(text)
		if err != nil {
			return
		}
		again, err := ParseWhere(w.String())
		if err != nil || again.String() != w.String() || len(again.tests) != len(w.tests) || again.repeats != w.repeats {
			t.Fatalf("%q becomes %q: %v", text, w, err)
		}
	})
}
