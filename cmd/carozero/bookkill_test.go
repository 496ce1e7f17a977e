package main

import (
	"bytes"
	"errors"
	"io/fs"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strconv"
	"testing"

	"github.com/carozero/carozero/internal/record/book"
)

// buildArgs are those of a build of a small book, up to so many expansions.
func buildArgs(file string, expansions int) []string {
	return []string{
		"book", "build", file, "--size", "7", "--mcts", "playouts=10,model=uniform,memory=1,solver-leaf=0,solver-root=0,solver-replies=0",
		"--alphabeta", "nodes=300,table=1,weights=hand", "--workers", "2", "--expansions", strconv.Itoa(expansions),
	}
}

// expandedIn returns how many positions of a book are expanded, 0 for one that is not
// there yet. If it is to verify, it fails unless all that the book says holds.
func expandedIn(t *testing.T, file string, verify bool) int {
	t.Helper()
	info, err := os.Stat(file)
	if errors.Is(err, fs.ErrNotExist) || err == nil && info.Size() == 0 {
		return 0
	}
	b, err := book.Open(file, book.ReadOnly)
	if err != nil {
		t.Fatal(err)
	}
	defer b.Close()
	if verify {
		if _, err := b.Verify(t.Context(), nil); err != nil {
			t.Fatal(err)
		}
	}
	list, err := b.Variants()
	if err != nil {
		t.Fatal(err)
	}
	if len(list) == 0 {
		return 0
	}
	return int(list[0].Expanded)
}

// A build that is killed eight times, at its beginning, between batches and within them,
// loses nothing that was written, leaves nothing half, and goes on to the book that one
// without kills makes.
func TestBookBuildKills(t *testing.T) {
	t.Setenv("SOURCE_DATE_EPOCH", "1000000000")
	const kills, endless = 3, 100_000
	file := filepath.Join(t.TempDir(), "killed.book")
	rng := rand.New(rand.NewPCG(32, 3))
	done := 0
	for kill := range kills {
		var messages bytes.Buffer
		build := program(buildArgs(file, endless)...)
		build.Stderr = &messages
		if err := build.Start(); err != nil {
			t.Fatal(err)
		}
		ended := make(chan error, 1)
		go func() { ended <- build.Wait() }()
		// Each look opens the book meanwhile, and takes a millisecond or more.
		looks := rng.IntN(12)
		for more := kill%4 != 0; more || looks > 0; looks-- { // each fourth somewhere at the beginning
			select {
			case <-ended:
				t.Fatalf("kill %d: it ended by itself: %s", kill, messages.String())
			default:
			}
			if expandedIn(t, file, false) > done && more {
				more, looks = false, rng.IntN(12)
			}
		}
		if err := build.Process.Kill(); err != nil {
			t.Fatalf("kill %d: %v", kill, err)
		}
		<-ended
		now := expandedIn(t, file, true)
		if now < done {
			t.Fatalf("kill %d: %d positions are expanded, and %d were", kill, now, done)
		}
		done = now
	}
	if done < kills/2 {
		t.Errorf("only %d positions were expanded", done)
	}
	whole := filepath.Join(t.TempDir(), "whole.book")
	lines := map[string]string{}
	for _, f := range []string{file, whole} {
		mustRun(t, buildArgs(f, done+5)...)
		if got := expandedIn(t, f, true); got != done+5 {
			t.Errorf("%s: %d positions are expanded: want %d", f, got, done+5)
		}
		lines[f] = mustRun(t, "book", "export", f, "--to", "json", "--out", "-")
	}
	if lines[file] != lines[whole] {
		t.Error("the book that was killed and the one that was not differ")
	}
	t.Logf("%d positions were expanded", done)
}
