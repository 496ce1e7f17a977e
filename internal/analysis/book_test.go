package analysis

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
	"github.com/carozero/carozero/internal/book"
)

// booked returns options with a book of caro in which h8i9 and h8a2 are worth as much for
// White, and h8o15 is bad.
func booked(t *testing.T) Options {
	t.Helper()
	b, err := book.Create(filepath.Join(t.TempDir(), "b.book"), rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	by := book.Stamp{Author: "t", Time: time.Unix(1e9, 0)}
	if err := b.Update(context.Background(), func(w *book.Writer) error {
		for moves, value := range map[string]float64{"h8": -0.25, "h8i9": -0.25, "h8a2": -0.24, "h8o15": 0.9} {
			v := book.Value{Source: book.Source{Engine: "mcts", Network: "net"}, Value: value, Nodes: 400, Best: game.NoMove,
				Stamp: by}
			if err := w.SetValue(boardAt(t, moves), v); err != nil {
				return err
			}
		}
		return w.SetComment(boardAt(t, "h8i9"), `wide <b>"&`, by)
	}); err != nil {
		t.Fatal(err)
	}
	o := small()
	o.Book = b
	return o
}

func boardAt(t *testing.T, moves string) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup("caro")
	if err != nil {
		t.Fatal(err)
	}
	b, err := gomoku.ParsePosition(r, 15, moves)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

// The engines play from the book and say so; the same seed plays the same, and a query
// may leave the book out.
func TestBookIsPlayed(t *testing.T) {
	o := booked(t)
	good := []string{"i9", "g9", "i7", "g7", "a2", "b1", "o2", "n1", "a14", "b15", "o14", "n15"}
	met := map[string]bool{}
	for _, who := range []string{`"engine":"mcts"`, `"engine":"alphabeta"`, `"engine":"each"`, `"level":"easy"`} {
		for seed := range 12 {
			line := fmt.Sprintf(`{"id":"a","moves":["h8"],%s,"seed":%d}`, who, seed)
			m, again := one(t, o, line), one(t, o, line)
			move := m.MoveInfos[0].Move
			if !m.RootInfo.Book || m.RootInfo.Nodes != 0 || !slices.Contains(good, move) ||
				m.RootInfo.RawWinrate != nil || m.Verdict != nil ||
				again.MoveInfos[0].Move != move {
				t.Errorf("%s: %s", line, m.text)
			}
			if m.AlphaBeta != nil && (!m.AlphaBeta.RootInfo.Book || m.AlphaBeta.MoveInfos[0].Move != move) {
				t.Errorf("%s: %s", line, m.text)
			}
			met[move] = true
		}
	}
	if len(met) < 4 {
		t.Errorf("only %v were drawn", met)
	}
	for _, line := range []string{
		`{"id":"a","moves":["h8"],"useBook":false}`, `{"id":"a","moves":["h8"],"allowMoves":[{"player":"W",` +
			`"moves":["i8"],"untilDepth":1}]}`,
		`{"id":"a","moves":["h8","i9","j9"]}`, `{"id":"a","moves":["h8"],"rules":"freestyle"}`, `{"id":"a","boardXSize":9,` +
			`"moves":["e5"]}`,
		`{"id":"a","moves":["h8"],"engine":"alphabeta","lines":3}`, `{"id":"a","game":"onitama"}`,
	} {
		if m := one(t, o, line); m.RootInfo.Book || m.RootInfo.Nodes == 0 {
			t.Errorf("%s: %s", line, m.text)
		}
	}
}

// bookOf returns what query_book tells.
func bookOf(t *testing.T, o Options, line string) (v book.View) {
	t.Helper()
	if err := conforms(lineSchema, line); err != nil {
		t.Fatal(err)
	}
	said := talk(t, o, line)
	var m struct{ Book *book.View }
	if err := json.Unmarshal([]byte(said[0].text), &m); err != nil || len(said) != 1 || m.Book == nil {
		t.Fatalf("%s: %v, %v", line, said, err)
	}
	return *m.Book
}

// query_book tells what the book says, seen by who moves, in the caller's orientation.
func TestQueryBook(t *testing.T) {
	o := booked(t)
	v := bookOf(t, o, `{"id":"b","action":"query_book","moves":["h8","g9"],"turnNumber":1}`)
	if !v.Found || *v.Here.Value != -0.25 || len(v.Moves) != 4+8+4 {
		t.Fatalf("%+v", v)
	}
	best, worst := v.Moves[0], v.Moves[len(v.Moves)-1]
	if *best.Value != 0.25 || best.Comment != `wide <b>"&` ||
		best.Values[0].Nodes != 400 || *worst.Value != -0.9 {
		t.Errorf("%+v, %+v", best, worst)
	}
	if v := bookOf(t, o, `{"id":"b","action":"query_book","moves":["h8","g9"]}`); !v.Found || len(v.Moves) != 0 ||
		v.Here.Comment == "" {
		t.Errorf("%+v", v)
	}
	for _, line := range []string{
		`{"id":"b","action":"query_book","rules":"renju","moves":["h8"]}`, `{"id":"b","action":"query_book",` +
			`"game":"onitama","initialPosition":"Monkey,Crane/Tiger,Crab/Dragon"}`,
		`{"id":"b","action":"query_book","moves":["h8","a1","i8","a2","j8","a3","k8","a4","l8"]}`,
	} {
		if v := bookOf(t, o, line); v.Found || len(v.Moves) != 0 {
			t.Errorf("%s: %+v", line, v)
		}
	}
	if m := talk(t, small(), `{"id":"b","action":"query_book"}`); m[0].Code != Failed {
		t.Errorf("without a book: %s", m[0].text)
	}
}

// A won turn has a certificate that its checker believes, whoever is to move and whether
// or not the winner is named; another side's win is not found.
func TestCertificates(t *testing.T) {
	const won = `"rules":"freestyle","moves":["h8","a1","i8","a3","j8","a5","k8"]`
	said := finals(t, small(),
		`{"id":"lost","action":"query_certificate",`+won+`}`,
		`{"id":"won","action":"query_certificate","turnNumber":6,"winner":"black",`+won+`}`,
		`{"id":"other","action":"query_certificate","turnNumber":6,"winner":"W","maxNodes":2000,`+won+`}`,
	)
	for id, plies := range map[string]int{"lost": 2, "won": 3} {
		var c Certificate
		if err := json.Unmarshal(said[id]["certificate"], &c); err != nil || c.Winner != "B" || c.Plies != plies {
			t.Errorf("%s: %s, %v", id, said[id], err)
			continue
		}
		proof, err := certificate.Decode(c.File)
		if err == nil {
			err = proof.Check(t.Context())
		}
		if err != nil || c.SHA256 != fmt.Sprintf("%x", certificate.Digest(c.File)) || len(proof.Moves) != c.Nodes {
			t.Errorf("%s: %+v: %v", id, c, err)
		}
	}
	if string(said["other"]["code"]) != `"failed"` || said["other"]["certificate"] != nil {
		t.Errorf("%s", said["other"])
	}
}
