package gomocup

import (
	"errors"
	"fmt"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
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
		k.block, k.ignored = nil, ""
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
