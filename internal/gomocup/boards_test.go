package gomocup

import (
	"fmt"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"pgregory.net/rapid"
)

// The grammars below restate what each program accepts from an engine, read off
// its source: they say what becomes of a line, as "move", "shown" and so on, and
// fail on lines that would do harm.

var point = regexp.MustCompile(`^\d{1,2},\d{1,2}$`)

// yixinBoard: lines are known by their beginning; one that is not known is read
// as a move, whatever it says.
func yixinBoard(line string) (kind string, err error) {
	upper := strings.ToUpper(line)
	word := func(prefix string) (string, bool) { return strings.CutPrefix(upper, prefix) }
	if _, ok := word("OK"); ok {
		return "ok", nil
	}
	if rest, ok := word("MESSAGE SWAP2 "); ok {
		return "opening", want(rest, `^(MOVE[1-5] \d+ \d+|SWAP[12] (YES|NO))$`)
	}
	if rest, ok := word("MESSAGE DATABASE "); ok {
		return "database", want(rest, `^(REFRESH|DONE|ONE -?\d+ -?\d+ -?\d+)$`)
	}
	if rest, ok := word("MESSAGE REALTIME "); ok {
		const longest = 22*22*5 + 1
		if len(rest) >= longest {
			return "", fmt.Errorf("a line of %d bytes into a buffer of %d", len(rest), longest)
		}
		return "realtime", want(rest, `^((BEST|LOSE|POS|DONE) \d+,\d+|REFRESH|VAL -?\d{1,9}|PV .*)$`)
	}
	if rest, ok := word("MESSAGE INFO "); ok {
		return "limits", want(rest, `^(MAX_THREAD_NUM|MAX_HASH_SIZE) \d{1,9}$`) // all else is swallowed unseen
	}
	for _, shown := range []string{"MESSAGE", "DETAIL", "DEBUG", "ERROR", "UNKNOWN"} {
		if _, ok := word(shown); ok {
			if len(line) >= 8000 {
				return "", fmt.Errorf("a line of %d bytes into a buffer of 8192", len(line))
			}
			return "shown", nil
		}
	}
	if rest, ok := word("FORBID "); ok {
		return "forbidden", want(rest, `^(\d{4})*\.$`)
	}
	return "move", want(line, `^\d+,\d+$`)
}

// yixinBoard3 is Yixin-Board 3.0, which asks for text and fields alike, and reads a
// field's value without a look whether there is one.
func yixinBoard3(line string) (kind string, err error) {
	if rest, ok := strings.CutPrefix(line, "INFO "); ok {
		key, value, spaced := strings.Cut(rest, " ")
		if !spaced || value == "" {
			return "", fmt.Errorf("no value")
		}
		return "INFO " + key, calculatorField(key, value)
	}
	if rest, ok := strings.CutPrefix(line, "MESSAGE DATABASE TEXT "); ok {
		return "database", want(rest, `^"[^"]*"$`)
	}
	return yixinBoard(line)
}

// calculator is gomoku-calculator: a line without a space is OK, SWAP or a move.
func calculator(line string) (kind string, err error) {
	head, tail, spaced := strings.Cut(line, " ")
	switch {
	case line == "OK":
		return "ok", nil
	case line == "SWAP":
		return "swap", nil
	case !spaced:
		return "move", want(line, point.String())
	case head == "MESSAGE" && strings.HasPrefix(tail, "REALTIME"):
		if f := strings.Fields(tail); len(f) == 3 && (f[1] == "BEST" || f[1] == "LOST") {
			return "realtime", want(f[2], point.String())
		}
		return "realtime", nil
	case head == "MESSAGE":
		return "shown", nil
	case head == "INFO":
		key, value, _ := strings.Cut(tail, " ")
		return "INFO " + key, calculatorField(key, value)
	case head == "FORBID":
		return "forbidden", want(tail, `^(\d{4})*\.$`)
	case head == "ERROR":
		return "shown", nil
	case strings.Contains(head, ","):
		return "two", want(line, `^\d+,\d+ \d+,\d+$`)
	}
	return "", fmt.Errorf("unknown to the board")
}

func calculatorField(key, value string) error {
	switch key {
	case "PV":
		return want(value, `^(DONE|\d+)$`)
	case "NUMPV", "DEPTH", "SELDEPTH", "NODES", "TOTALNODES", "TOTALTIME", "SPEED":
		return want(value, `^\d+$`)
	case "EVAL":
		return want(value, `^([+-]M\d+|-?\d+)$`)
	case "WINRATE":
		v, err := strconv.ParseFloat(value, 64)
		if err == nil && (v < 0 || v > 1) {
			err = fmt.Errorf("a win rate of %v", v)
		}
		return err
	case "BESTLINE":
		return want(value, `^\d+,\d+( \d+,\d+)*$`) // an empty one is an exception in the board
	}
	return fmt.Errorf("unknown key %s", key)
}

func want(text, form string) error {
	if !regexp.MustCompile(form).MatchString(text) {
		return fmt.Errorf("%q is not of the form %s", text, form)
	}
	return nil
}

// read demands that a program understands all lines and returns their kinds.
func read(t interface{ Fatalf(string, ...any) }, grammar func(string) (string, error), lines []string) []string {
	var kinds []string
	for _, l := range lines {
		kind, err := grammar(l)
		if err != nil {
			t.Fatalf("%q: %v", l, err)
		}
		kinds = append(kinds, kind)
	}
	return kinds
}

// answers draws what a search may report.
func answers(size int) *rapid.Generator[*engine.Answer] {
	return rapid.Custom(func(t *rapid.T) *engine.Answer {
		move := rapid.Map(rapid.IntRange(0, size*size-1), func(i int) game.Move { return game.Move(i) })
		value := rapid.Float32Range(-1, 1)
		line := rapid.SliceOfN(move, 0, 200)
		proof := rapid.SampledFrom([]game.Proof{
			{}, {}, {}, {Result: game.Won, Plies: 1}, {Result: game.Won, Plies: 17, Claimed: true},
			{Result: game.Lost, Plies: 2},
			{Result: game.Lost, Plies: 30, Claimed: true}, {Result: game.Drawn, Plies: 9},
		})
		found := &engine.Answer{
			Move: move.Draw(t, "move"), Value: value.Draw(t, "value"), Proof: proof.Draw(t, "proof"), Line: line.Draw(t, "line"),
			Stats: engine.Stats{Nodes: rapid.Int64Range(0, 1<<40).Draw(t, "nodes"),
				Depth: rapid.IntRange(0, 300).Draw(t, "depth"), SelDepth: 400},
		}
		for range rapid.IntRange(0, 5).Draw(t, "choices") {
			found.Moves = append(found.Moves, engine.Opinion{Move: move.Draw(t, "m"), Value: value.Draw(t, "v"),
				Proof: proof.Draw(t, "n"), Line: line.Draw(t, "l")})
		}
		return found
	})
}

// Whatever a search reports, the board that asked for that detail understands
// every line, sees depth, value, win rate and line, and gets no move too many.
func TestBoardsUnderstandReports(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(5, 22).Draw(t, "size")
		for _, c := range []struct {
			detail  detail
			grammar func(string) (string, error)
			wanted  []string
		}{
			{realtime, yixinBoard, []string{"realtime", "shown"}},
			{fields, calculator, []string{"INFO DEPTH", "INFO EVAL", "INFO WINRATE", "INFO BESTLINE", "INFO TOTALNODES",
				"INFO TOTALTIME", "INFO SPEED"}},
			{realtime | fields, yixinBoard3, []string{"realtime", "shown", "INFO PV", "INFO NUMPV", "INFO DEPTH", "INFO EVAL",
				"INFO WINRATE", "INFO BESTLINE"}},
			{realtime | fields, calculator, []string{"realtime", "INFO DEPTH", "INFO EVAL", "INFO WINRATE", "INFO BESTLINE"}},
		} {
			var text strings.Builder
			clock := newHand()
			r := &reporter{
				out: &output{w: &text}, detail: c.detail, size: size, choices: rapid.IntRange(1, 9).Draw(t, "n"), time: clock,
				began: clock.at.Add(-time.Duration(rapid.IntRange(0, 1<<45).Draw(t, "elapsed"))),
			}
			r.report(answers(size).Draw(t, "thought"))
			r.report(answers(size).Draw(t, "thought"))
			r.end()
			kinds := read(t, c.grammar, strings.Split(strings.TrimSpace(text.String()), "\n"))
			for _, kind := range c.wanted {
				if !slices.Contains(kinds, kind) {
					t.Fatalf("detail %d: no %s in %q", c.detail, kind, kinds)
				}
			}
			if slices.Contains(kinds, "move") {
				t.Fatalf("detail %d: a report is taken for a move", c.detail)
			}
		}
	})
}

// Each client gets exactly the answers that it waits for, in words that it knows,
// whatever detail and pondering were asked for.
func TestBoardsUnderstandGames(t *testing.T) {
	game := []string{"START 15", "BOARD", "7,7,2", "DONE", "TURN 8,8"}
	for _, c := range []struct {
		name    string
		grammar func(string) (string, error)
		said    []string
		moves   int
	}{
		{"Yixin-Board", yixinBoard, slices.Concat([]string{"info show_detail 1", "yxshowinfo", "START 15 15",
			"INFO pondering 1"}, game,
			[]string{"yxquerydatabaseall", "7,7", "done", "yxshowforbid", "YXNBEST 3", "yxblock", "1,1", "done",
				"yxshowhashusage",
				"yxhashdump", "x", "yxquerydatabaseone", "done", "yxswap2step1", "yxunheardof", "3,3", "done"}),
			3},
		{"Yixin-Board 3", yixinBoard3, slices.Concat([]string{"info show_detail 3", "yxshowinfo", "START 15",
			"INFO time_increment 0", "INFO vcthread 0"}, game,
			[]string{"start 15", "yxboard", "done", "yxquerydatabaseallt", "7,7", "done", "info usedatabase 1", "yxshowforbid",
				"YXNBEST 3"}), 3},
		{"Yixin-Board, silent", yixinBoard, slices.Concat([]string{"INFO show_detail 0", "yxshowinfo"}, game), 2},
		{"calculator", calculator, slices.Concat([]string{"INFO RULE 0", "INFO SHOW_DETAIL 3", "INFO PONDERING 1",
			"INFO SWAPABLE 1", "INFO STRENGTH 100"}, game,
			[]string{"YXBOARD 7,7,1 8,8,2 DONE", "YXNBEST 2", "YXSHOWFORBID"}), 3},
		{"calculator, fields alone", calculator, slices.Concat([]string{"INFO SHOW_DETAIL 2"}, game), 2},
	} {
		k := newTalk()
		k.engine.pondered = nil
		var lines []string
		for _, l := range c.said {
			lines = append(lines, k.say(l)...)
		}
		kinds := read(t, c.grammar, lines)
		moves := 0
		for _, kind := range kinds {
			if kind == "move" {
				moves++
			}
		}
		if moves != c.moves {
			t.Errorf("%s: %d moves, want %d: %q", c.name, moves, c.moves, lines)
		}
	}
}

func TestCoordinatesRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		size := rapid.IntRange(gomoku.MinSize, gomoku.MaxSize).Draw(t, "size")
		m := game.Move(rapid.IntRange(0, size*size-1).Draw(t, "cell"))
		if got, err := ParseCell(size, FormatCell(size, m)); got != m || err != nil {
			t.Fatalf("%d came back as %d, %v", m, got, err)
		}
		x, y := rapid.IntRange(-3, 30).Draw(t, "x"), rapid.IntRange(-3, 30).Draw(t, "y")
		_, err := Cell(size, x, y)
		if inside := x >= 0 && y >= 0 && x < size && y < size; inside != (err == nil) {
			t.Fatalf("%d,%d on %d: %v", x, y, size, err)
		}
	})
}

func TestRuleMasks(t *testing.T) {
	known := 0
	for mask := range 64 {
		name, err := ruleName(mask, false)
		if err != nil {
			continue
		}
		known++
		if back, ok := RuleMask(name); !ok || back != mask {
			t.Errorf("rule %d is %s, whose number is %d", mask, name, back)
		}
	}
	if known != 5 {
		t.Errorf("%d rules are known, want 5", known)
	}
}
