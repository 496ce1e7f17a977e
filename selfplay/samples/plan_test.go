package samples

import (
	"bytes"
	"errors"
	"fmt"
	"runtime"
	"slices"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// played returns the files of a run after the games of the ids were added.
func played(t testing.TB, games, perShard int, ids []int) *memFS {
	t.Helper()
	m := newMemFS()
	w, err := Create(m, "run", testRun(games, perShard), standStill)
	if err == nil {
		err = writeAll(w, ids)
	}
	if err != nil {
		t.Fatal(err)
	}
	w.Close()
	return m
}

func upTo(n int) (list []int) {
	for i := range n {
		list = append(list, i)
	}
	return list
}

// TestVerifyMissesLines takes lines out of a manifest: whatever is missing, the
// games that are left are counted against those that the run plans.
func TestVerifyMissesLines(t *testing.T) {
	whole := played(t, 47, 4, upTo(47))
	lines := strings.SplitAfter(string(whole.names["run/"+ManifestName].data), "\n")
	lines = lines[:len(lines)-1]
	if r := verify(t, whole, "run"); r.Bad != 0 || r.Planned != 47 || r.Games != 47 || r.Waiting != 0 {
		t.Fatalf("%+v", r)
	}
	rapid.Check(t, func(rt *rapid.T) {
		kept := rapid.SliceOfNDistinct(rapid.IntRange(0, len(lines)-1), 0, len(lines)-1, rapid.ID).Draw(rt, "kept")
		slices.Sort(kept)
		text, games := "", 0
		for _, k := range kept {
			text += lines[k]
			games += min(4, 47-4*k)
		}
		whole.names["run/"+ManifestName].data = []byte(text)
		r := verify(t, whole, "run")
		if r.Bad != 1 || r.Games != games || !strings.Contains(r.Problems[0].String(), fmt.Sprintf("run/%s: %d of 47 games: no line for shard-", ManifestName, games)) {
			rt.Fatalf("lines %v: %+v", kept, r)
		}
	})
}

// TestVerifyUnfinishedRuns: what an interruption leaves is no fault, and is
// counted.
func TestVerifyUnfinishedRuns(t *testing.T) {
	for _, c := range []struct {
		ids                     []int
		shards, games, waitings int
	}{
		{nil, 0, 0, 0}, {[]int{0, 1, 2, 3}, 1, 4, 0}, {[]int{0, 1, 2, 3, 9, 5}, 1, 4, 2}, {[]int{11}, 0, 0, 1},
	} {
		m := played(t, 12, 4, c.ids)
		r := verify(t, m, "run")
		if r.Bad != 0 || r.Shards != c.shards || r.Games != c.games || r.Waiting != c.waitings || r.Planned != 12 || r.UnderWay != nil {
			t.Errorf("games %v: %+v", c.ids, r)
		}
	}
	m := played(t, 12, 4, []int{0, 1, 2, 3})
	if _, err := m.Lock("run"); err != nil {
		t.Fatal(err)
	}
	if r := verify(t, m, "run"); r.Bad != 0 || len(r.UnderWay) != 1 || r.UnderWay[0] != "run: somebody" {
		t.Errorf("a run under way: %+v", r)
	}
}

// TestVerifyAtEveryStep verifies what each failure of a run leaves: every state
// of the files is an unfinished run, and none a damaged one.
func TestVerifyAtEveryStep(t *testing.T) {
	_, steps := undisturbed(t)
	for at := 1; at <= steps; at++ {
		m := newMemFS()
		m.failAt = at
		w, err := Create(m, "run", testRun(testGames, testPerShard), standStill)
		if err == nil {
			err = writeAll(w, []int{1, 3, 0, 2, 4})
		}
		if !errors.Is(err, errFault) {
			t.Fatalf("no failure at change %d: %v", at, err)
		}
		m.restart(keepAll)
		if m.names["run/"+ManifestName] == nil {
			continue
		}
		if r := verify(t, m, "run"); r.Bad != 0 || r.Planned != testGames {
			t.Errorf("failure at change %d: %+v", at, r)
		}
	}
}

// TestVerifyWrongPlaces: shards that are whole and true by themselves, but not
// those of this run.
func TestVerifyWrongPlaces(t *testing.T) {
	other := played(t, 20, 5, upTo(20))
	for name, c := range map[string]struct {
		change func(m *memFS)
		want   string
	}{
		"of another division": {func(m *memFS) {
			m.names["run/"+RunName] = other.names["run/"+RunName]
		}, "want the games 0 to 4"},
		"of a longer run": {func(m *memFS) {
			text := m.names["run/"+RunName].data
			m.names["run/"+RunName].data = bytes.Replace(text, []byte(`"games": 20`), []byte(`"games": 6`), 1)
		}, "the run has 2 shards only"},
		"other options": {func(m *memFS) {
			text := m.names["run/"+RunName].data
			m.names["run/"+RunName].data = bytes.Replace(text, []byte(`"seed": 99`), []byte(`"seed": 98`), 1)
		}, "header.seed is 98 there and 99 now"},
		"damaged run.json": {func(m *memFS) { m.names["run/"+RunName].data = []byte("{") }, "run.json is damaged"},
		"foreign run.json": {func(m *memFS) { m.names["run/"+RunName].data = []byte(`{"games": 20}`) }, `want "carozero-samples" version 1`},
		"damaged journal": {func(m *memFS) {
			m.names["run/"+journalName(6)] = &inode{data: []byte{1, 0, 0, 0, 0x51, 0x53, 0x7d, 0x52, 0}}
		}, "journal-000006.bin, record at byte 0"},
	} {
		m := played(t, 20, 4, upTo(20))
		c.change(m)
		r := verify(t, m, "run")
		if !slices.ContainsFunc(r.Problems, func(p Problem) bool { return strings.Contains(p.String(), c.want) }) {
			t.Errorf("%s: %v, want %q", name, r.Problems, c.want)
		}
	}
}

// FuzzRunFile reads any bytes as a run.json: it is this run's, or refused in
// one line, and a plan that is taken has shards that cover its games.
func FuzzRunFile(f *testing.F) {
	run := testRun(20, 8)
	text, err := run.text()
	if err != nil {
		f.Fatal(err)
	}
	f.Add(text)
	f.Add([]byte(`{"format":"carozero-samples","version":1,"games":9223372036854775807,"games_per_shard":1}`))
	f.Add([]byte(`{"header":{"search":[[[[]]]],"seed":1e999}}`))
	f.Add([]byte("\x1b[2J"))
	f.Add([]byte(`{"\u001b[2J":1,"a\nb":2}`))
	f.Fuzz(func(t *testing.T, data []byte) {
		for _, err := range []error{run.same(data), planError(t, data)} {
			if err != nil && (strings.ContainsAny(err.Error(), "\n\x1b\x00") || len(err.Error()) > 2000) {
				t.Fatalf("%q", err.Error())
			}
		}
		m := newMemFS()
		m.names["run/"+ManifestName] = &inode{}
		m.names["run/"+RunName] = &inode{data: data}
		if _, err := Verify(t.Context(), m, testCodecOf, 10, "run"); err != nil {
			t.Fatal(err)
		}
	})
}

func planError(t *testing.T, data []byte) error {
	p, err := parsePlan(data)
	if err != nil {
		return err
	}
	r := Run{Games: p.Games, GamesPerShard: p.GamesPerShard}
	last := p.shards() - 1
	if from, to := r.gamesOf(last); r.Shards() != p.shards() || from < 0 || from >= to || to != p.Games {
		t.Fatalf("%+v: the last shard has the games %d to %d", p, from, to)
	}
	return nil
}

// TestHostileRunFiles: a run.json of the largest size that is read takes little
// memory to refuse, however it is nested.
func TestHostileRunFiles(t *testing.T) {
	run := testRun(20, 8)
	half := strings.Repeat("x", maxRunFile/2-20)
	for name, text := range map[string]string{
		"deep":             strings.Repeat("[", 9000) + strings.Repeat("1,", 200_000) + "1" + strings.Repeat("]", 9000),
		"deep map":         strings.Repeat(`{"a":`, 9000) + "1" + strings.Repeat("}", 9000),
		"long key":         `{"` + half + `":[` + strings.Repeat("1,", maxRunFile/5) + "1]}",
		"long keys nested": `{"` + half + `":{"` + half[:len(half)/2] + `":[1,2]}}`,
	} {
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		err := run.same([]byte(text))
		runtime.ReadMemStats(&after)
		if taken := after.TotalAlloc - before.TotalAlloc; err == nil || len(err.Error()) > 1000 || taken > 128<<20 {
			t.Errorf("%s: %d MiB taken, error of %d bytes", name, taken>>20, len(fmt.Sprint(err)))
		}
	}
}
