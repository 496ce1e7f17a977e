package book

import (
	"flag"
	"math/rand/v2"
	"os"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

var benchPositions = flag.Int("positions", 20_000, "positions of the book that benchmarks read")

// benchBook returns a book of positions with two values and a result each, and some of
// them.
func benchBook(b *testing.B) (*Book, []*gomoku.Board) {
	book := newBook(b, 1)
	rng := rand.New(rand.NewPCG(5, 5))
	var some []*gomoku.Board
	for done := 0; done < *benchPositions; done += 1000 {
		update(b, book, func(w *Writer) error {
			for i := range 1000 {
				pos := randomBoard(rng, "caro", 15, 12)
				if i%50 == 0 {
					some = append(some, pos)
				}
				for _, e := range []string{"mcts", "alphabeta"} {
					v := Value{Source: Source{e, "net", "v1"}, Value: rng.Float64(), Nodes: rng.Int64N(1 << 18), Depth: 12, Best: game.Move(rng.IntN(225)), Stamp: by}
					if err := w.SetValue(pos, v); err != nil {
						return err
					}
				}
				if err := w.AddResult(pos, "g", game.Draw, by); err != nil {
					return err
				}
			}
			return nil
		})
	}
	return book, some
}

// BenchmarkGet reads one position with its values by its key.
func BenchmarkGet(b *testing.B) {
	book, some := benchBook(b)
	if err := book.Compact(); err != nil {
		b.Fatal(err)
	}
	if _, err := book.writer.Exec("PRAGMA wal_checkpoint(TRUNCATE)"); err != nil {
		b.Fatal(err)
	}
	info, err := os.Stat(book.Path())
	if err != nil {
		b.Fatal(err)
	}
	began, i := cpuTime(), 0
	for b.Loop() {
		i++
		if p, ok, err := book.Get(some[i%len(some)]); err != nil || !ok || len(p.Values) != 2 {
			b.Fatal(p, ok, err)
		}
	}
	b.ReportMetric(float64(cpuTime()-began)/float64(b.N), "cpu-ns/op")
	b.ReportMetric(float64(info.Size())/float64(*benchPositions), "bytes/position")
}

// BenchmarkAbsent looks up positions that are not in the book.
func BenchmarkAbsent(b *testing.B) {
	book, some := benchBook(b)
	for _, pos := range some {
		pos.Undo()
	}
	i := 0
	for b.Loop() {
		i++
		if _, ok, err := book.Get(some[i%len(some)]); err != nil || ok {
			b.Fatal(ok, err)
		}
	}
}

// BenchmarkMoves looks up all successors of a position.
func BenchmarkMoves(b *testing.B) {
	book, some := benchBook(b)
	for _, pos := range some {
		pos.Undo()
	}
	i := 0
	for b.Loop() {
		i++
		if list, err := book.Moves(some[i%len(some)]); err != nil || len(list) == 0 {
			b.Fatal(list, err)
		}
	}
}

// BenchmarkKey computes the place of a position.
func BenchmarkKey(b *testing.B) {
	pos := randomBoard(rand.New(rand.NewPCG(5, 5)), "caro", 15, 12)
	for b.Loop() {
		placeOf(pos)
	}
}
