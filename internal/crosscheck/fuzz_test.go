package crosscheck

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
)

// someRun is the run of the rows that fuzzing begins with.
const someRun = "0123456789abcdef"

// someRow returns a line of a rows file.
func someRow(t testing.TB, index int) string {
	t.Helper()
	line, err := json.Marshal(&Row{Format: rowsFormat, Version: rowsFileVersion, Run: someRun, Index: index,
		Ply: 3 * index})
	if err != nil {
		t.Fatal(err)
	}
	return string(line) + "\n"
}

// checkRows reads any bytes as a rows file. They are refused in one line, or the rows in
// order are whole lines from the start, numbered from 0; the file stays as it is. It
// returns how many rows are in order, -1 for a refused file.
func checkRows(t testing.TB, path string, data []byte) int {
	t.Helper()
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	next := 0
	j, err := rowsFile.Open(path, true)
	if err == nil {
		defer j.Close()
		err = loadRows(j, someRun, func(r *Row) error {
			if r.Index != next || r.Run != someRun {
				t.Fatalf("row %d of %q, want %d", r.Index, r.Run, next)
			}
			next++
			return nil
		})
	}
	after, readErr := os.ReadFile(path)
	if readErr != nil || !bytes.Equal(after, data) {
		t.Fatalf("reading changed %q to %q", data, after)
	}
	if err != nil {
		if !errors.Is(err, disk.ErrRefused) || strings.ContainsAny(err.Error(), "\n\x1b") {
			t.Fatalf("error %q", err)
		}
		return -1
	}
	if len(data) > 0 && !bytes.Contains(data, []byte(rowsFormat)) && !bytes.Contains(data, []byte(`\u`)) {
		t.Fatal("a file without a row is accepted")
	}
	if left := data[:j.End()]; bytes.Count(left, []byte("\n")) != next {
		t.Fatalf("%q is left of %q with %d rows", left, data, next)
	}
	return next
}

func FuzzRows(f *testing.F) {
	row := func(index int) string { return someRow(f, index) }
	f.Add([]byte(row(0) + row(1) + row(2)[:9]))
	f.Add([]byte(row(1) + row(0)))
	f.Add([]byte(row(0) + `{"run":"other","index":0}` + "\n"))
	f.Add([]byte(row(0) + "\n\n{}\n"))
	f.Add([]byte(row(0)[:len(row(0))-2]))
	f.Add([]byte("{}"))
	f.Fuzz(func(t *testing.T, data []byte) { checkRows(t, filepath.Join(t.TempDir(), "rows"), data) })
}

func variant(t testing.TB, rule string, size int) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Rule: rule, Size: size})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// script is an engine that says what a test tells it to, by position.
type script struct {
	v    games.Variant
	says map[string]engine.Answer // by position
	deep map[string]engine.Answer // by position, with more than the first budget
	most map[string]engine.Answer // by position, where a conviction is at stake
	any  func(pos game.Position) engine.Answer
}

func (s *script) Forget() {}

func (s *script) Ponder(context.Context, game.Position) {}

func (s *script) Close() error { return nil }

// plantedBudget is the first budget of both engines in tests with scripts.
const plantedBudget = 1000

func (s *script) Think(_ context.Context, pos game.Position, l engine.Limits) (*engine.Answer, error) {
	said := []map[string]engine.Answer{s.most, s.deep, s.says}
	switch {
	case l.Nodes <= plantedBudget:
		said = said[2:]
	case l.Nodes < leastDoubt:
		said = said[1:]
	}
	for _, list := range said {
		for text, a := range list {
			want, err := s.v.Parse(text)
			if err != nil {
				return nil, err
			}
			if want.Hash() == pos.Hash() {
				if len(a.Line) == 0 {
					a.Line = []game.Move{a.Move}
				}
				return &a, nil
			}
		}
	}
	a := s.any(pos)
	return &a, nil
}

// first is an answer without any knowledge: the first legal move.
func first(pos game.Position) engine.Answer {
	m := pos.Moves(nil)[0]
	return engine.Answer{Move: m, Line: []game.Move{m}}
}

// claims is an answer that claims a win in so many plies, or a loss if they are
// negative.
func claims(m game.Move, plies int) engine.Answer {
	p := game.Proof{Result: game.Won, Plies: plies, Claimed: true}
	if plies < 0 {
		p = game.Proof{Result: game.Lost, Plies: -plies, Claimed: true}
	}
	return engine.Answer{Move: m, Proof: p}
}

// drawn is an answer that is a function of the position alone: any legal move,
// any value.
func drawn(salt uint64) func(game.Position) engine.Answer {
	return func(pos game.Position) engine.Answer {
		moves := pos.Moves(nil)
		h := (pos.Hash() ^ salt) * 0x9e3779b97f4a7c15
		m := moves[(h>>20)%uint64(min(3, len(moves)))]
		return engine.Answer{
			Move: m, Line: []game.Move{m}, Value: float32(h>>44)/(1<<19) - 1, NetValue: float32(h>>45)/(1<<18) - 1,
			Stats: engine.Stats{Nodes: 7},
		}
	}
}

// move reads one move of the 15x15 board.
func move(t testing.TB, v games.Variant, text string) game.Move {
	t.Helper()
	moves, err := v.Notation().ParseMoves(text)
	if err != nil || len(moves) != 1 {
		t.Fatalf("%q: %v", text, err)
	}
	return moves[0]
}

// inputOf writes a file and returns what opens it.
func inputOf(t testing.TB, v games.Variant, name, text string) Source {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	return func() (*gamefiles.Reader, error) {
		return gamefiles.Open([]string{path}, gamefiles.Options{Variant: v})
	}
}
