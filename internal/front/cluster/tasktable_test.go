package cluster

import (
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"
)

// Every game is in one task, which has games of one shard alone, no more than asked
// for; only tasks with open games are handed out, each once.
func TestBook(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		games, perShard := rapid.IntRange(1, 40).Draw(t, "games"), rapid.IntRange(1, 12).Draw(t, "per shard")
		perTask := rapid.IntRange(1, 14).Draw(t, "per task")
		done := rapid.SliceOfN(rapid.Bool(), games, games).Draw(t, "done")
		b := newTaskTable(games, perShard, perTask, func(id int) bool { return done[id] })
		most := min(perTask, perShard)
		inShard := (perShard + most - 1) / most
		shards := (games + perShard - 1) / perShard
		if got := b.waiting(); got != shards*inShard {
			t.Fatalf("%d tasks of %d shards, want %d of each", got, shards, inShard)
		}
		stores := 0
		open := map[int][]int{} // by task
		for id, is := range done {
			if is {
				stores++
				continue
			}
			open[b.task(id)] = append(open[b.task(id)], id)
		}
		if b.count[stored] != stores {
			t.Errorf("%d games are stored, want %d", b.count[stored], stores)
		}
		b.refill()
		if got := b.waiting(); got != len(open) {
			t.Errorf("%d tasks wait, want %d", got, len(open))
		}
		handed := map[int]bool{}
		for {
			list := b.next(2)
			if len(list) == 0 {
				break
			}
			if len(list) > 2 {
				t.Errorf("%d tasks, want at most 2", len(list))
			}
			for _, task := range list {
				ids := b.openGames(task)
				if handed[task] || fmt.Sprint(ids) != fmt.Sprint(open[task]) || len(ids) > most || ids[0]/perShard != ids[len(ids)-1]/perShard {
					t.Errorf("task %d: %v, want %v", task, ids, open[task])
				}
				handed[task] = true
			}
		}
		if len(handed) != len(open) {
			t.Errorf("%d tasks are handed out, want %d", len(handed), len(open))
		}
	})
}

// A part that says that the result ends before it does is refused, and its room is
// given back with it.
func TestAssemblerRefuses(t *testing.T) {
	a := &assembler{now: func() time.Time { return time.Time{} }, most: 100, by: map[string]*partial{}}
	if _, _, _, err := a.add("a", append(appendPart(nil, 1, make([]byte, 10), 8), 1)); err == nil || a.taken != 0 {
		t.Errorf("bytes 8 to 11 of 10: %v, %d bytes are taken", err, a.taken)
	}
	part := appendPart(nil, 1, make([]byte, 60), 0)
	if whole, have, busy, err := a.add("a", part); len(whole) != 60 || have != 60 || busy || err != nil || a.taken != 60 {
		t.Errorf("%d bytes of %d, busy %t, %v; %d are taken", len(whole), have, busy, err, a.taken)
	}
	if _, _, busy, err := a.add("b", part); !busy || err != nil || a.taken != 60 {
		t.Errorf("beside it: busy %t, %v, %d are taken", busy, err, a.taken)
	}
	if a.forget("a"); a.taken != 0 {
		t.Errorf("%d are taken of nothing", a.taken)
	}
}

// Only so many sessions are banned at once, the last ones.
func TestBansAreBounded(t *testing.T) {
	s := &Server{banned: map[string]bool{}, peers: map[string]guest{}}
	for i := range mostBanned + 5 {
		s.Ban(fmt.Sprint(i))
		s.Ban(fmt.Sprint(i)) // once more is no other
	}
	if len(s.banned) != mostBanned || len(s.bans) != mostBanned {
		t.Errorf("%d are banned, of %d", len(s.banned), len(s.bans))
	}
	if s.banned["4"] || !s.banned["5"] || !s.banned[fmt.Sprint(mostBanned+4)] {
		t.Error("not the last ones are banned")
	}
}

// Nothing is dealt, and it is said why, while more games wait for audits than may, or
// the disk has less room than it must.
func TestCrowded(t *testing.T) {
	free := int64(100)
	c := &Coordinator{m: NewMetrics(), table: &taskTable{}, o: CoordinatorOptions{
		MostHeld: 3, MinFree: 50 << 20, Free: func(string) (int64, error) { return free << 20, nil }, Log: slog.New(slog.DiscardHandler),
	}}
	for _, step := range []struct {
		held int
		free int64
		want string
	}{
		{3, 100, ""}, {4, 100, "4 games wait to be audited, more than 3"}, {3, 50, ""},
		{4, 49, "the coordinator's disk has 49 MiB left, fewer than 50"}, {0, 50, ""},
	} {
		c.table.count[held], free = step.held, step.free
		if err := c.look(); err != nil || c.crowded != step.want {
			t.Errorf("%d games, %d MiB: %q, %v, want %q", step.held, step.free, c.crowded, err, step.want)
		}
	}
}

// A task that two sessions share goes back once none of them has a game of it to play, also where
// games of the one that has gone are open again.
func TestSharedTaskGoesBack(t *testing.T) {
	for name, c := range map[string]struct {
		leaves, reopens, again bool
	}{
		"both have played":               {},
		"the first has left":             {leaves: true},
		"the first was caught":           {leaves: true, reopens: true, again: true},
		"the first was caught and stays": {reopens: true},
	} {
		co := &Coordinator{
			m: NewMetrics(), leases: map[int]*lease{}, table: newTaskTable(4, 4, 4, func(int) bool { return false }),
			o: CoordinatorOptions{Now: time.Now},
		}
		slow, quick := &session{tasks: map[int]bool{}}, &session{tasks: map[int]bool{}}
		co.claim(slow, []holding{{0, []int{0, 1, 2, 3}}})
		co.table.set(0, held)
		co.table.set(1, held)
		co.claim(quick, []holding{{0, []int{2, 3}}})
		if c.reopens {
			co.table.set(0, open)
			co.table.set(1, open)
		}
		if c.leaves {
			co.leave(slow)
		}
		co.table.set(2, held)
		co.table.set(3, held)
		co.settle(0)
		wantState := complete
		switch {
		case c.again:
			wantState = idle
		case c.reopens:
			wantState = leased
		}
		if got := co.table.tasks[0]; got != wantState || quick.tasks[0] != (wantState == leased) {
			t.Errorf("%s: the task is in state %d, the quick worker has it: %t; want state %d", name, got, quick.tasks[0], wantState)
		}
	}
}

// The names of windows' files are read back, and no others are.
func TestNamesOfWindows(t *testing.T) {
	for _, worker := range []string{"w", "w@token", "a-b"} {
		if number, got, ok := parseHeld(heldName(37, worker)); !ok || number != 37 || got != worker {
			t.Errorf("%s: %d, %q, %t", worker, number, got, ok)
		}
	}
	for _, name := range []string{"", "held-1-w.bin", "held-000000001-.bin", "held-000000001-w.bin.tmp", "held-000000001-a b.bin", "held-000000001-w@.bin"} {
		if number, worker, ok := parseHeld(name); ok || number != 0 || worker != "" {
			t.Errorf("%q: %d, %q, %t", name, number, worker, ok)
		}
	}
}

// A log that keeps one old file has that one and itself, neither too large.
func TestLogOfTwoFiles(t *testing.T) {
	path := filepath.Join(t.TempDir(), "log")
	l, err := OpenLog(path, 20, 1)
	if err != nil {
		t.Fatal(err)
	}
	for range 9 {
		if _, err := fmt.Fprintln(l, "some line"); err != nil {
			t.Fatal(err)
		}
	}
	if err := l.Close(); err != nil {
		t.Fatal(err)
	}
	names, err := filepath.Glob(path + "*")
	if err != nil || len(names) != 2 {
		t.Errorf("%q, %v, want the log and one before it", names, err)
	}
	for _, name := range names {
		if info, err := os.Stat(name); err != nil || info.Size() > 20 {
			t.Errorf("%s: %v, %v", name, info.Size(), err)
		}
	}
}
