package gomocup

import (
	"context"
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"pgregory.net/rapid"
)

func TestTheEngineIsToldTheSettings(t *testing.T) {
	k := newTalk()
	k.tell(t, "OK", "START 13")
	k.tell(t, "0,12", "INFO rule 9", "INFO max_memory 83886080", "INFO thread_num 3", "INFO max_node 123", "BEGIN")
	if want := (Settings{Rule: "caro", Size: 13, Memory: 80 << 20, Threads: 3}); k.engine.settings != want {
		t.Errorf("settings %+v, want %+v", k.engine.settings, want)
	}
	if got := k.engine.limits[0]; got.Nodes != 123 || got.Report != nil {
		t.Errorf("limits %+v", got)
	}
	k.tell(t, "1,12", "INFO hash_size 2048", "TURN 5,5")
	if s := k.engine.settings; s.Table != 2<<20 || s.Memory != 80<<20 {
		t.Errorf("table %d and memory %d after hash_size 2048", s.Table, s.Memory)
	}
	forgot := k.engine.forgot
	k.say("YXHASHCLEAR")
	k.say("RESTART")
	if k.engine.forgot != forgot+2 {
		t.Errorf("forgot %d times, want %d", k.engine.forgot, forgot+2)
	}
}

// The position that the engine sees is the one that was told.
func TestTheEngineSeesThePosition(t *testing.T) {
	for _, c := range []struct {
		name  string
		lines []string
		want  string // as moves; the side to move follows
	}{
		{"begin", []string{"BEGIN"}, ""},
		{"turn", []string{"TURN 7,7"}, "h8"},
		{"turns", []string{"TURN 7,7", "TURN 8,7"}, "h8a1i8"},
		{"own first", []string{"BEGIN", "TURN 8,7"}, "a1i8"},
		{"board", []string{"BOARD", "7,7,1", "8,7,2", "9,7,1", "0,0,2", "DONE"}, "h8i8j8a15"},
		{"board of second", []string{"BOARD", "8,7,2", "7,7,1", "9,7,2", "DONE"}, "i8h8j8"},
		{"board and turn", []string{"BOARD", "8,7,2", "DONE", "TURN 5,5"}, "i8a1f10"},
		{"yxboard", []string{"YXBOARD", "8,7,2", "DONE", "YXNBEST 1"}, "i8"},
		{"take back", []string{"TURN 7,7", "TAKEBACK 0,14", "TAKEBACK 7,7", "TURN 1,1"}, "b14"},
		{"take back and begin", []string{"TURN 7,7", "TAKEBACK 0,14", "TAKEBACK 7,7", "BEGIN"}, ""},
		{"take back and analyse", []string{"TURN 7,7", "TAKEBACK 0,14", "TAKEBACK 7,7", "YXNBEST 1"}, ""},
		{"play", []string{"PLAY 3,3", "TURN 4,4"}, "d12e11"},
	} {
		k := newTalk()
		k.say("START 15")
		for _, l := range c.lines {
			k.say(l)
		}
		rules, _ := gomoku.Lookup("freestyle")
		want, err := gomoku.ParsePosition(rules, 15, c.want)
		if err != nil {
			t.Fatal(err)
		}
		if got := k.engine.boards[len(k.engine.boards)-1]; got.Key() != want.Key() || got.Ply() != want.Ply() {
			t.Errorf("%s: the engine sees\n%vwant\n%v", c.name, got, want)
		}
	}
}

func TestAnEngineWithoutANetwork(t *testing.T) {
	k := newTalk()
	k.engine.missing = errors.New("no network\nfor this rule")
	k.tell(t, "ERROR no network for this rule", "START 15")
	k.tell(t, "ERROR no game was started; send START 15 first", "BEGIN")
	k.engine.missing = nil
	k.tell(t, "OK", "START 15")
	k.tell(t, "0,14", "BEGIN")
	k.engine.missing = errors.New("not on this size")
	k.tell(t, "ERROR not on this size", "START 20")
	k.engine.missing = nil
	k.tell(t, "1,14", "TURN 7,7") // the game in progress is still there
	k.tell(t, "OK", "TAKEBACK 7,7")
	k.tell(t, "OK", "TAKEBACK 1,14")
	k.engine.missing = errors.New("gone")
	k.tell(t, "ERROR gone", "TURN 7,7")
	k.engine.missing = nil
	k.tell(t, "1,14", "TURN 7,7")
}

// Under swap2 the engine takes the side that stands better.
func TestSwap2(t *testing.T) {
	k := newTalk()
	k.say("START 15")
	stones := []string{"SWAP2BOARD", "7,7", "8,7", "9,9", "DONE"}
	k.engine.values = []float32{-0.2}
	k.tell(t, "SWAP", stones...)
	k.tell(t, "0,14", "TURN 1,1")
	if b := k.engine.boards[len(k.engine.boards)-1]; b.ToMove() != game.First || b.At(0) != gomoku.Empty {
		t.Errorf("after the swap %v is to move", b.ToMove())
	}
	k.engine.values = []float32{0.2}
	k.tell(t, "0,14", stones...)
	k.engine.values = []float32{0.9, -0.5, -0.1, 0.3, 0.2, 0.4}
	k.tell(t, "7,7 9,8 5,9", "SWAP2BOARD", "DONE")
}

// lines draws commands, good and bad ones alike.
func lines() *rapid.Generator[string] {
	point := rapid.Custom(func(t *rapid.T) string {
		return fmt.Sprintf("%d,%d", rapid.IntRange(-1, 6).Draw(t, "x"), rapid.IntRange(-1, 6).Draw(t, "y"))
	})
	return rapid.Custom(func(t *rapid.T) string {
		switch rapid.IntRange(0, 9).Draw(t, "kind") {
		case 0, 1, 2:
			return "TURN " + point.Draw(t, "point")
		case 3:
			return point.Draw(t, "point") + rapid.SampledFrom([]string{"", ",1", ",2", ",3", ",x"}).Draw(t, "field")
		case 4:
			verb := rapid.SampledFrom([]string{"TAKEBACK ", "PLAY "}).Draw(t, "verb")
			return verb + point.Draw(t, "point")
		case 5:
			key := rapid.SampledFrom([]string{"rule", "timeout_turn", "max_node", "time_left", "show_detail", "x"}).Draw(t,
				"key")
			return fmt.Sprintf("INFO %s %s", key,
				rapid.SampledFrom([]string{"0", "1", "2", "4", "9", "-1", "y", ""}).Draw(t, "value"))
		case 6:
			return rapid.String().Draw(t, "garbage")
		}
		return rapid.SampledFrom([]string{
			"START 6", "START 5", "START 99", "RECTSTART 6,6", "RESTART", "BEGIN", "BOARD", "YXBOARD", "SWAP2BOARD", "DONE",
			"ABOUT",
			"YXSTOP", "YXSHOWFORBID", "YXHASHCLEAR", "YXNBEST 2", "YXSHOWINFO", "TURN",
			"INFO",
		}).Draw(t, "command")
	})
}

// Whatever is said, a command that is refused changes neither the game nor the
// settings, an answer is a legal move, and a new game works.
func TestNoDialogueLosesTheState(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		k := newTalk()
		k.say("START 6")
		for _, l := range rapid.SliceOfN(lines(), 0, 40).Draw(t, "lines") {
			checkLine(t, k, l)
		}
		checkFresh(t, k)
	})
}

// checkLine sends one line and checks what it did.
func checkLine(t interface{ Fatalf(string, ...any) }, k *talk, l string) {
	before, settings, block := k.record, k.settings, k.block
	thoughts := len(k.engine.boards)
	answers := k.say(l)
	for _, a := range answers {
		refused := strings.HasPrefix(a, "ERROR ") || strings.HasPrefix(a, "UNKNOWN ")
		if refused && len(answers) == 1 && block == nil && (!reflect.DeepEqual(k.record, before) ||
			thoughts == len(k.engine.boards) && k.settings != settings) {
			t.Fatalf("%q was refused (%s) but changed %+v to %+v", l, a, before, k.record)
		}
	}
	if len(k.engine.boards) == thoughts+1 && len(answers) == 1 {
		last := k.engine.boards[thoughts]
		if m, err := ParseCell(last.Size(), answers[0]); err == nil && !last.Legal(m) {
			t.Fatalf("%q is answered with the illegal %s", l, answers[0])
		}
	}
}

// checkFresh plays the beginning of a game.
func checkFresh(t interface{ Fatalf(string, ...any) }, k *talk) {
	k.settings.detail = 0
	if _, err := k.rules(); err != nil {
		k.block, k.ignoring = nil, false
		k.say("INFO rule 0")
	}
	if got := k.say("START 15"); len(got) != 1 || got[0] != "OK" {
		t.Fatalf("START is answered %q", got)
	}
	if got := k.say("BEGIN"); len(got) != 1 || got[0] != "0,14" {
		t.Fatalf("BEGIN is answered %q", got)
	}
	if got := k.say("TURN 7,7"); len(got) != 1 || got[0] != "1,14" {
		t.Fatalf("TURN is answered %q", got)
	}
}

func FuzzSession(f *testing.F) {
	f.Add("START 6\nINFO rule 4\nBEGIN\nTURN 0,0\n")
	f.Add("BOARD\n1,1,1\nBOARD\n2,2,2\nDONE\nDONE")
	f.Add("START 22\nSWAP2BOARD\n1,1\n2,2\n3,3\nDONE\nYXNBEST 3\nTAKEBACK 1,1")
	f.Add("INFO timeout_turn \x00\xff\nRECTSTART 5,5\n\n\nEND 7")
	f.Fuzz(func(t *testing.T, text string) {
		k := newTalk()
		for _, l := range strings.FieldsFunc(text, func(r rune) bool { return r == '\n' || r == '\r' }) {
			checkLine(t, k, l)
		}
		checkFresh(t, k)
	})
}

func TestBounds(t *testing.T) {
	const fallback, quick = 800, 16
	ms := time.Millisecond
	for _, c := range []struct {
		info  string // INFO lines without the word, separated by semicolons
		nodes int64
		after time.Duration // 0: no end
	}{
		{"", fallback, 0},
		{"max_node 300", 300, 0},
		{"max_node -1", fallback, 0},
		{"timeout_turn 1000", 0, 920 * ms},
		{"timeout_turn 1000;max_node 300", 300, 920 * ms},
		{"timeout_turn 40", 0, 20 * ms},
		{"timeout_turn 1", 1, 0},
		{"timeout_turn 0", quick, 0},
		{"timeout_turn 0;max_node 300;timeout_match 100000", 300, 4000 * ms},
		{"timeout_match 100000", 0, 4000 * ms},
		{"timeout_match 100000;time_left 50000", 0, 2000 * ms},
		{"timeout_match 100000;time_left 50000;time_increment 400", 0, 2300 * ms},
		{"timeout_turn 30000;timeout_match 100000;time_left 50000", 0, 2000 * ms},
		{"timeout_turn 30000;timeout_match 100000;time_left 30", 1, 0},
		{"timeout_turn 30000;timeout_match 100000;time_left 0", 1, 0},
		{"timeout_turn 1000;timeout_match 0;time_left 0", 0, 920 * ms},
		{"timeout_turn 2000000;timeout_match 100000000", fallback, 0},
		{"timeout_turn 2000000;timeout_match 100000000;max_node 60000", 60000, 0},
		{"timeout_turn 2000000;timeout_match 100000000;max_node -1", 0, 0},
		{"max_node -1;timeout_match 100000000;time_left 100000000;timeout_turn 2000000", 0, 0},
		{"timeout_turn -1;timeout_match -1;time_left 1", 0, 0},
		{"timeout_turn -1;timeout_match -1;max_node 70;time_left 1", 70, 0},
		{"timeout_turn 2000000", 0, 1899970 * ms},
		{"timeout_turn soon", fallback, 0},
	} {
		s := settings{timing: newTiming()}
		for _, l := range strings.Split(c.info, ";") {
			key, value, _ := strings.Cut(l, " ")
			_ = s.set(key, value)
		}
		arrival := time.Unix(1000, 0)
		limits, end := s.bounds(arrival, &Options{Nodes: fallback, Quick: quick})
		nodes := limits.Nodes
		var after time.Duration
		if !end.IsZero() {
			after = end.Sub(arrival)
		}
		if nodes != c.nodes || after != c.after {
			t.Errorf("%s: %d nodes, %v; want %d, %v", c.info, nodes, after, c.nodes, c.after)
		}
		if s.turn != unlimited && s.turn > 0 && after > s.turn ||
			s.left > 0 && s.left != unlimited && s.match != unlimited && after > s.left {
			t.Errorf("%s: the limit is overstepped", c.info)
		}
	}
}

// A client that sends no time_left gets its moves counted; time_left corrects.
func TestTheClockRuns(t *testing.T) {
	k := newTalk()
	clock := k.opts.Time.(*hand)
	start := clock.at
	k.tell(t, "OK", "START 15")
	k.tell(t, "0,14", "INFO timeout_match 100000", "BEGIN")
	j := k.handle(line{text: "TURN 7,7", arrival: start})
	k.engine.think = func(context.Context) { clock.at = start.Add(50 * time.Second) }
	j.run(t.Context())()
	if given := k.given(); given != 4*time.Second {
		t.Errorf("the second move gets %v", given)
	}
	if k.settings.left != 50*time.Second {
		t.Errorf("%v left after 50 of 100 s", k.settings.left)
	}
	k.tell(t, "OK", "INFO time_left 3000", "RESTART")
	if k.settings.left != 100*time.Second {
		t.Errorf("%v left in a new game", k.settings.left)
	}
	k.tell(t, "0,14", "INFO time_left 3000", "BEGIN")
	if given := k.given(); given != 120*time.Millisecond {
		t.Errorf("a move with 3 s left gets %v", given)
	}
}

// given returns the time that a search which can end at any moment takes from the
// clock that the engine was told last.
func (k *talk) given() time.Duration {
	return k.engine.limits[len(k.engine.limits)-1].Clock.Anytime().Hard
}

// The engine gets what is left of the clock when it begins, and is stopped
// when that has all but run out.
func TestTheEnginesClock(t *testing.T) {
	const ms = time.Millisecond
	for _, c := range []struct {
		info   string
		passed time.Duration // between the arrival and the search
		want   engine.Clock
		after  time.Duration // the end, from the arrival; 0: none
	}{
		{"", 0, engine.Clock{}, 0},
		{"max_node 300", 0, engine.Clock{}, 0},
		{"timeout_turn 0", 0, engine.Clock{}, 0},
		{"timeout_turn 1000", 0, engine.Clock{Turn: 1000 * ms}, 970 * ms},
		{"timeout_turn 1000", 300 * ms, engine.Clock{Turn: 700 * ms}, 970 * ms},
		{"timeout_turn 1000", 3000 * ms, engine.Clock{Turn: 1}, 970 * ms},
		{"timeout_match 100000", 0, engine.Clock{Left: 100_000 * ms}, 99_970 * ms},
		{"timeout_turn 5000;timeout_match 100000;time_left 4000;time_increment 500", 0,
			engine.Clock{Turn: 5000 * ms, Left: 4000 * ms, Increment: 500 * ms}, 3970 * ms},
		{"timeout_turn 5000;timeout_match 100000;time_left -10", 0, engine.Clock{}, 0},
		{"timeout_turn 2000000;timeout_match 100000000", 0, engine.Clock{}, 0},
	} {
		k := newTalk()
		k.say("START 15")
		for _, l := range strings.Split(c.info, ";") {
			key, value, _ := strings.Cut(l, " ")
			_ = k.settings.set(key, value)
		}
		arrival := k.opts.Time.Now().Add(-c.passed)
		j := k.handle(line{text: "TURN 7,7", arrival: arrival})
		j.run(t.Context())()
		var after time.Duration
		if !j.end.IsZero() {
			after = j.end.Sub(arrival)
		}
		if c.want != (engine.Clock{}) {
			c.want.Timekeeper = engine.Manager
		}
		got := k.engine.limits[0]
		if got.Clock != c.want || after != c.after {
			t.Errorf("%q after %v: clock %+v, end after %v; want %+v, %v", c.info, c.passed, got.Clock, after, c.want, c.after)
		}
		if got.Clock.Limited() && got.Nodes != 0 {
			t.Errorf("%q: %d nodes under a clock", c.info, got.Nodes)
		}
	}
}
