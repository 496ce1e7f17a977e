package book

import (
	"bufio"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"os/exec"
	"strconv"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
)

// childVariable holds the path of the book that the test's own program writes, when it
// is started to be killed.
const childVariable = "CAROZERO_BOOK_TEST_CHILD"

func TestMain(m *testing.M) {
	if path := os.Getenv(childVariable); path != "" {
		if err := writeUntilKilled(path); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	os.Exit(m.Run())
}

// perBatch is how many positions a batch of the child has.
const perBatch = 7

// batch writes batch number n: its positions, each with a value and a comment.
func batch(w *Writer, n int) error {
	rng := rand.New(rand.NewPCG(uint64(n), 0))
	for range perBatch {
		pos := randomBoard(rng, "caro", 15, 14)
		v := Value{Source: Source{Engine: "e"}, Value: 0.5, Nodes: int64(n), Best: game.NoMove, Stamp: by}
		if err := w.SetValue(pos, v); err != nil {
			return err
		}
		if err := w.SetComment(pos, "batch", by); err != nil {
			return err
		}
	}
	return nil
}

// writeUntilKilled adds batch after batch and prints the number of each that is written.
func writeUntilKilled(path string) error {
	b, err := Open(path, ReadWrite)
	if err != nil {
		return err
	}
	n := 0
	list, err := b.Variants()
	if err != nil {
		return err
	}
	if len(list) > 0 {
		n = int(list[0].Positions) / perBatch
	}
	for ; ; n++ {
		if err := b.Update(ctx, func(w *Writer) error { return batch(w, n) }); err != nil {
			return err
		}
		fmt.Println(n)
	}
}

// Twenty kills at random moments lose nothing that was reported as written, and leave no
// half of a batch.
func TestKills(t *testing.T) {
	b := newBook(t, 1)
	path := b.Path()
	rng := rand.New(rand.NewPCG(20, 26))
	written := 0 // batches
	for kill := range 20 {
		child := exec.Command(os.Args[0])
		child.Env = append(os.Environ(), childVariable+"="+path)
		child.Stderr = os.Stderr
		out, err := child.StdoutPipe()
		if err != nil {
			t.Fatal(err)
		}
		if err := child.Start(); err != nil {
			t.Fatal(err)
		}
		reported := written
		lines := bufio.NewReader(out)
		// The moment: after some batches, and then some way into a later one.
		for range rng.IntN(6) + 1 {
			text, err := lines.ReadString('\n')
			if err != nil {
				t.Fatal(err)
			}
			n, err := strconv.Atoi(text[:len(text)-1])
			if err != nil {
				t.Fatal(err)
			}
			reported = n + 1
		}
		for until := time.Now().Add(time.Duration(rng.IntN(3000)) * time.Microsecond); time.Now().Before(until); {
		}
		if err := child.Process.Kill(); err != nil {
			t.Fatal(err)
		}
		rest, err := io.ReadAll(lines)
		if err != nil {
			t.Fatal(err)
		}
		for _, c := range rest {
			if c == '\n' {
				reported++
			}
		}
		_ = child.Wait() // killed
		sum, err := b.Verify(ctx, nil)
		if err != nil {
			t.Fatalf("after kill %d: %v", kill, err)
		}
		now := int(sum.Positions) / perBatch
		if sum.Positions%perBatch != 0 || sum.Values != sum.Positions || now < reported || now > reported+1 {
			t.Fatalf("after kill %d: %+v, and %d batches were reported", kill, sum, reported)
		}
		for n := written; n < now; n++ {
			rng := rand.New(rand.NewPCG(uint64(n), 0))
			for range perBatch {
				p, ok, err := b.Get(randomBoard(rng, "caro", 15, 14))
				if err != nil || !ok || p.Comment != "batch" || p.Values[0].Nodes != int64(n) {
					t.Fatalf("after kill %d: batch %d: %+v, %v, %v", kill, n, p, ok, err)
				}
			}
		}
		written = now
	}
	if written < 20 {
		t.Errorf("%d batches in all", written)
	}
}
