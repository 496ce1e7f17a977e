package web

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// played returns the folder of a small run of self-play.
func played(t *testing.T) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "run")
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle", Size: 7})
	if err != nil {
		t.Fatal(err)
	}
	net, err := networks.NewLoader(networks.LoaderOptions{}).Open(v, networks.Uniform)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := selfplay.Run{Options: selfplay.Options{Seed: 1}}.Setup(net, selfplay.Machine{})
	if err != nil {
		t.Fatal(err)
	}
	opts := selfplay.Options{
		Games: 3, GamesPerShard: 2, Seed: 1, Playouts: 16, MaxPlies: 20,
		Opening: selfplay.Opening{MinPlies: 2, MaxPlies: 2}, Search: mcts.Options{Memory: 1 << 20},
	}.WithDefaults()
	if _, err := selfplay.Play(context.Background(), setup, opts, selfplay.Host{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	return dir
}

// decoded reads the JSON of a reply, which must be a good one.
func decoded[T any](t *testing.T, r reply) (into T) {
	t.Helper()
	if err := json.Unmarshal([]byte(r.body), &into); err != nil || r.status != 200 {
		t.Fatalf("%d %.300s: %v", r.status, r.body, err)
	}
	return into
}

// Games of shards are those that the reader of samples finds, each row at its turn.
func TestReviewOfShards(t *testing.T) {
	dir := played(t)
	s := open(t, small(), Options{Paths: []string{dir}})
	config := decoded[board.Config](t, s.get("/api/config"))
	paths, err := gamefiles.Expand(dir)
	if err != nil || len(config.Review) != len(paths) || config.Review[0].Kind != "shard" || config.Review[0].Games != -1 {
		t.Fatalf("%+v, %v", config.Review, err)
	}
	for id, path := range paths {
		shard, err := samples.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		list := decoded[listing](t, s.get(fmt.Sprintf("/api/review/%d", id)))
		if list.Total != len(shard.Header.Games) {
			t.Fatalf("%d games, want %d", list.Total, len(shard.Header.Games))
		}
		for n, want := range shard.Header.Games {
			g := decoded[board.Game](t, s.get(fmt.Sprintf("/api/review/%d/%d", id, n)))
			if strings.Join(g.Moves, "") != want.Moves || g.Rules != "freestyle" || g.Size != 7 || g.Opening != 2 ||
				g.Reason != string(want.Reason) {
				t.Errorf("%+v, want %+v", g, want)
			}
			checkTurns(t, &g, shard.Columns, n)
		}
	}
	if again := decoded[board.Config](t, s.get("/api/config")); again.Review[0].Games != 2 {
		t.Errorf("%+v", again.Review)
	}
}

// checkTurns holds the turns of a game against its rows.
func checkTurns(t *testing.T, g *board.Game, c *samples.Columns, n int) {
	t.Helper()
	at := 0
	for i := range c.Rows {
		if int(c.Game[i]) != n {
			continue
		}
		row, turn := c.Row(i), g.Turns[at]
		at++
		visits, moves := 0.0, 0
		for k, count := range row.Counts {
			visits += float64(count)
			if count > 0 && row.Actions[k] == row.Played && turn.Played == "" {
				t.Errorf("turn %d: what was played is not told", row.Ply)
			}
		}
		for _, v := range turn.Visits {
			visits -= v[1].(float64)
			if moves++; moves > 1 && v[1].(float64) > turn.Visits[moves-2][1].(float64) {
				t.Errorf("turn %d: %v", row.Ply, turn.Visits)
			}
		}
		rate := (float64(row.RootQ) + 1) / 2
		if row.Ply%2 == 1 {
			rate = 1 - rate
		}
		if visits != 0 || turn.TurnNumber != int(row.Ply) || turn.Played != g.Moves[row.Ply] ||
			math.Abs(*g.Values[row.Ply]-rate) > 1e-6 || float32(*turn.NetQ) != row.NetQ {
			t.Errorf("turn %d: %+v, want %+v", row.Ply, turn, row)
		}
		if proven := row.Proven != samples.ProvenUnknown; proven != (turn.Proven != nil) || proven &&
			(turn.Proven.Result == "win") != (row.Proven == samples.ProvenWin) {
			t.Errorf("turn %d: proven %+v, want %d", row.Ply, turn.Proven, row.Proven)
		}
	}
	if at != len(g.Turns) || len(g.Values) != len(g.Moves)+1 {
		t.Errorf("%d turns, want %d", len(g.Turns), at)
	}
}

// rowsFile writes rows of a cross-check.
func rowsFile(t *testing.T, rows ...crosscheck.Row) string {
	t.Helper()
	var text strings.Builder
	for i, r := range rows {
		r.Format, r.Version, r.Run, r.Index = "carozero-crosscheck", 1, "x", i
		line, err := json.Marshal(r)
		if err != nil {
			t.Fatal(err)
		}
		fmt.Fprintf(&text, "%s\n", line)
	}
	return file(t, "rows.jsonl", text.String()+`{"format":"carozero-crosscheck","ver`)
}

// Rows of one game make one, with both moves, the verdict and its proof; a line that
// was cut off at the end is left out.
func TestReviewOfRows(t *testing.T) {
	row := func(source, position string, ply int, mcts, alpha string, value float64) crosscheck.Row {
		r := crosscheck.Row{
			Source: source, Rule: "caro", Size: 15, Position: position, Ply: ply, ToMove: []string{"first", "second"}[ply%2],
			Verdict: crosscheck.Differ,
		}
		r.MCTS, r.AlphaBeta = crosscheck.MCTSView{Move: mcts, Value: value,
			PV: []string{mcts}}, crosscheck.AlphaBetaView{Move: alpha, Value: -value, PV: []string{alpha}}
		if mcts == alpha {
			r.Verdict = crosscheck.Agree
		}
		return r
	}
	blunder := row("a.sgf:1", "h8i9i8", 3, "a1", "g8", 0.5)
	blunder.Verdict, blunder.MCTSBlunder = crosscheck.MCTSBlunder, crosscheck.Loses
	blunder.Proof = &crosscheck.ProofView{By: "vcf", Plies: 4, Line: []string{"a1", "j8"}}
	s := open(t, small(), Options{Paths: []string{rowsFile(t,
		row("a.sgf:1", "h8", 1, "i9", "i8", -0.2), blunder, row("a.sgf:2", "h8", 1, "i9", "i9", 0),
		row("list.txt:1", "a1b2", 2, "c3", "d4", 1), row("list.txt:2", "a1", 1, "c3", "d4", 1),
	)}})
	list := decoded[listing](t, s.get("/api/review/0"))
	if list.Total != 4 || !strings.Contains(list.Games[0].Title, "1 blunders") || list.Games[0].Plies != 3 {
		t.Fatalf("%+v", list)
	}
	g := decoded[board.Game](t, s.get("/api/review/0/0"))
	if strings.Join(g.Moves, "") != "h8i9i8" || len(g.Turns) != 2 || *g.Values[1] != 0.6 || *g.Values[3] != 0.25 ||
		g.Values[0] != nil {
		t.Errorf("%+v", g)
	}
	last := g.Turns[1]
	if last.TurnNumber != 3 || last.Verdict.Verdict != "mcts_blunder" || last.Verdict.MCTSBlunder != "loses" ||
		last.Verdict.Proof.Plies != 4 || last.AlphaBeta.Move != "g8" {
		t.Errorf("%+v", last)
	}
	if g := decoded[board.Game](t, s.get("/api/review/0/2")); strings.Join(g.Moves, "") != "a1b2" {
		t.Errorf("%+v", g)
	}
}

// Each game of a file of records is found by itself, whatever is wrong with another,
// and what follows a fault is told.
func TestReviewOfRecords(t *testing.T) {
	games := "(;GM[4]SZ[15]PB[one]RE[B+];B[hh]V[0.4];W[hi])\n" +
		"(;GM[4]SZ[15]RU[renju]PW[two];B[hh];W[hh])\n(;GM[4]SZ[9]GN[three];B[aa](;W[bb])(;W[cc]))"
	sgf, cut, text := file(t, "g.sgf", games), file(t, "cut.sgf", games[:40]+"(;GM[4]SZ[15];B["), file(t, "l.txt",
		"h8\n# x\nh8i9\n")
	cards := file(t, "c.txt", "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2\n")
	s := open(t, small(), Options{Paths: []string{sgf, cut, text, cards}})
	list := decoded[listing](t, s.get("/api/review/0?from=1&count=5"))
	if list.Total != 3 || len(list.Games) != 2 || list.Games[1].Title != "three" || list.Games[1].Size != 9 ||
		list.Games[0].Rules != "renju" {
		t.Fatalf("%+v", list)
	}
	if g := decoded[board.Game](t, s.get("/api/review/0/2")); len(g.Tree) != 3 || g.Moves[0] != "a9" {
		t.Errorf("%+v", g)
	}
	if got := s.get("/api/review/0/1"); got.status != 400 || !strings.Contains(got.body, "move 2, h8") {
		t.Errorf("%d %s", got.status, got.body)
	}
	if g := decoded[board.Game](t, s.get("/api/review/0/0")); g.Black != "one" || g.Result != "B+" || *g.Values[1] != 0.7 {
		t.Errorf("%+v", g)
	}
	if got := s.get("/api/review/1"); got.status != 400 {
		t.Errorf("%d %s", got.status, got.body)
	}
	if g := decoded[board.Game](t, s.get("/api/review/3/0")); g.Game != "onitama" || len(g.Moves) != 1 {
		t.Errorf("%+v", g)
	}
	if g := decoded[board.Game](t, s.get("/api/review/2/1")); strings.Join(g.Moves, "") != "h8i9" {
		t.Errorf("%+v", g)
	}
}

// The list of a file is that of the file as it is: it grows with it, comes back with it,
// and no other game is shown in place of the one that was listed.
func TestReviewOfFilesThatChange(t *testing.T) {
	const first, second = "(;GM[4]SZ[15]GN[one];B[hh])", "(;GM[4]SZ[15]GN[two];B[hh];W[hi])"
	const third = "(;GM[4]SZ[15]GN[three];B[ii])"
	path := file(t, "g.sgf", first)
	s := open(t, small(), Options{Paths: []string{path}})
	for i, c := range []struct {
		text     string // of the file from now on; "": there is none
		asked    string
		status   int
		contains string
	}{
		{first, "/api/review/0", 200, `"total":1`},
		{first + second, "/api/review/0", 200, `"total":2`},
		{first + second + third, "/api/review/0/1", 200, `"title":"two"`},
		{first + second + third, "/api/review/0/2", 200, `"title":"three"`},
		{first + third + second, "/api/review/0/1", 409, `"code":"changed"`},
		{first + third + second, "/api/review/0/1", 200, `"title":"three"`},
		{first, "/api/review/0/1", 409, `"code":"changed"`},
		{"", "/api/review/0", 400, "no such file"},
		{first + "(;GM[4", "/api/review/0", 200, `"error":"`},
		{second + first, "/api/review/0", 200, `"title":"two"`},
	} {
		err := os.Remove(path)
		if c.text != "" {
			err = os.WriteFile(path, []byte(c.text), 0o644)
		}
		if err != nil && !errors.Is(err, fs.ErrNotExist) {
			t.Fatal(err)
		}
		changed := time.Unix(int64(1_000_000+len(c.text)), 0) // as long as it has the same text
		if strings.HasPrefix(c.text, first+third) {
			changed = changed.Add(time.Second)
		}
		if c.text != "" {
			if err := os.Chtimes(path, changed, changed); err != nil {
				t.Fatal(err)
			}
		}
		if got := s.get(c.asked); got.status != c.status || !strings.Contains(got.body, c.contains) {
			t.Errorf("%d: %s of %q: %d %s", i, c.asked, c.text, got.status, got.body)
		}
	}
}

// What is no file of games is refused before anything is served.
func TestReviewOfNothing(t *testing.T) {
	caro := games.VariantOptions{Rule: "caro", Size: 15}
	dir := t.TempDir()
	for _, path := range []string{
		filepath.Join(dir, "none.sgf"), dir, file(t, "x.bin", "\x00\x01\x02\x03"), file(t, "empty.sgf", ""),
	} {
		if _, err := openReviews([]string{path}, caro); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", path, err)
		}
	}
	for name, text := range map[string]string{
		"cut.zst": "\x28\xb5\x2f\xfd\x00\x00", "rows.jsonl": `{"format":"carozero-crosscheck","version":7}` + "\n",
	} {
		r, err := openReviews([]string{file(t, name, text)}, caro)
		if err != nil {
			t.Fatal(err)
		}
		if list, err := r.list(r.files[0]); err == nil || len(list) > 0 {
			t.Errorf("%s: %v", name, list)
		}
	}
}
