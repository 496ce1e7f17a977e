package players

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"pgregory.net/rapid"
)

func TestParseSpec(t *testing.T) {
	for _, c := range []struct {
		text string
		want Spec
	}{
		{"mcts", Spec{Kind: MCTS}},
		{"mcts:playouts=400,model=caro15", Spec{Kind: MCTS, Args: Args{{"playouts", "400"}, {"model", "caro15"}}}},
		{`mcts:model="a, b.onnx"`, Spec{Kind: MCTS, Args: Args{{"model", "a, b.onnx"}}}},
		{`mcts:model=C:\nets\a.onnx`, Spec{Kind: MCTS, Args: Args{{"model", `C:\nets\a.onnx`}}}},
		{"alphabeta:time=200ms", Spec{
			Kind: AlphaBeta, Args: Args{{"time", "200ms"}}, Control: arena.TimeControl{Turn: 200 * time.Millisecond},
		}},
		{"alphabeta:tc=60+0.5", Spec{
			Kind: AlphaBeta, Args: Args{{"tc", "60+0.5"}}, Control: arena.TimeControl{
				Base: time.Minute, Increment: 500 * time.Millisecond,
			},
		}},
		{"exec:./engine", Spec{Kind: Exec, Command: []string{"./engine"}}},
		{"exec:./engine  --a  b", Spec{Kind: Exec, Command: []string{"./engine", "--a", "b"}}},
		{`exec:"/opt/my engine/e" "say \"x\" \\" ""`, Spec{
			Kind: Exec, Command: []string{"/opt/my engine/e", `say "x" \`, ""},
		}},
		{`exec:C:\e.exe -c d:e`, Spec{Kind: Exec, Command: []string{`C:\e.exe`, "-c", "d:e"}}},
		{"exec:e x:tc=60,nodes=1000", Spec{
			Kind: Exec, Command: []string{"e", "x"}, Args: Args{{"tc", "60"}, {"nodes", "1000"}},
			Control: arena.TimeControl{Base: time.Minute},
		}},
		{`exec:e "x:tc=60"`, Spec{Kind: Exec, Command: []string{"e", "x:tc=60"}}},
	} {
		got, err := ParseSpec(c.text)
		if err != nil || !reflect.DeepEqual(got, c.want) {
			t.Errorf("%s: %+v, %v, want %+v", c.text, got, err, c.want)
			continue
		}
		again, err := ParseSpec(got.String())
		if err != nil || !reflect.DeepEqual(again, got) {
			t.Errorf("%s is written %s and read as %+v, %v", c.text, got, again, err)
		}
	}
}

func TestParseSpecErrors(t *testing.T) {
	for text, part := range map[string]string{
		"":                   "unknown kind",
		"human":              `unknown kind "human"`,
		"mcts:playouts":      `argument "playouts": want key=value`,
		"mcts:=4":            "want key=value",
		"mcts:a=1,a=2":       `"a" is given twice`,
		"mcts:a=1,":          `argument ""`,
		`mcts:a="b`:          "quote is not closed",
		"alphabeta:tc=60+":   "time control",
		"alphabeta:time=5":   "1us",
		"alphabeta:time=-5s": "time=-5s: want 1us..277h46m40s",
		"exec:":              "no program",
		"exec::tc=5":         "no program",
		`exec:"" a`:          "no program",
		`exec:"a`:            "quote is not closed",
		"mcts:a=\n":          "control characters",
	} {
		spec, err := ParseSpec(text)
		if err == nil || !strings.Contains(err.Error(), part) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %+v, error %v, want one line with %q", text, spec, err, part)
		}
	}
}

func TestQuoteIsUndone(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.StringOf(rapid.SampledFrom([]rune(`ab ",:=\`))).Draw(t, "text")
		if got := unquote(quote(text)); got != text {
			t.Fatalf("%q is quoted %s and read as %q", text, quote(text), got)
		}
	})
}

// The parts of a foreign engine are its program, the script of an interpreter,
// and what else may be executed; files that it may write are none.
func TestProgramsOfACommand(t *testing.T) {
	dir := t.TempDir()
	write := func(name string, mode os.FileMode) string {
		path := filepath.Join(dir, name)
		if err := os.WriteFile(path, []byte(name), mode); err != nil {
			t.Fatal(err)
		}
		return path
	}
	engine, script, tool, log := write("engine", 0o755), write("brain.py", 0o644), write("tool", 0o755), write("out.log",
		0o644)
	part := func(path string) arena.Part {
		sum := sha256.Sum256([]byte(filepath.Base(path)))
		return arena.Part{What: "program", Name: path, SHA256: hex.EncodeToString(sum[:])}
	}
	for _, c := range []struct {
		command []string
		want    []arena.Part
	}{
		{[]string{engine}, []arena.Part{part(engine)}},
		{[]string{engine, "--log", log, "12"}, []arena.Part{part(engine)}},
		{[]string{engine, script, log}, []arena.Part{part(engine), part(script)}},
		{[]string{engine, "-n", "10", tool, dir}, []arena.Part{part(engine), part(tool)}},
	} {
		got, err := programs(c.command)
		if err != nil || len(got) != len(c.want) {
			t.Errorf("%v: %v (%v), want %v", c.command, got, err, c.want)
			continue
		}
		for i := range got {
			if got[i] != c.want[i] {
				t.Errorf("%v: part %d is %v, want %v", c.command, i, got[i], c.want[i])
			}
		}
	}
	if _, err := programs([]string{filepath.Join(dir, "none")}); err == nil {
		t.Error("a program that is not there has a digest")
	}
}

func TestExecEntrants(t *testing.T) {
	for _, c := range []struct{ rule, spec, want string }{
		{"caro", "exec:" + os.Args[0] + " -x:nodes=5,memory=64,name=other,time=1s", ""},
		{"freestyle", "exec:" + os.Args[0], ""},
		{"caro", "exec:./no-such-program", "no such program"},
		{"school42", "exec:" + os.Args[0], "not school42"},
		{"caro-edge", "exec:" + os.Args[0], "not caro-edge"},
		{"caro", "exec:" + os.Args[0] + ":nodes=0", "nodes=0"},
		{"caro", "exec:" + os.Args[0] + ":memory=many", "memory=many"},
	} {
		v, err := games.NewVariant(games.VariantOptions{Rule: c.rule})
		if err != nil {
			t.Fatal(err)
		}
		spec, err := parsePlayer(c.spec)
		var e arena.Entrant
		if err == nil {
			e, err = NewPlayers(networks.NewLoader(networks.LoaderOptions{}), v, 1, 0).Entrant(spec)
		}
		switch {
		case c.want == "" && (err != nil || e.Name != spec.Name() || e.Control != spec.Control):
			t.Errorf("%s %s: %+v, %v", c.rule, c.spec, e, err)
		case c.want != "" && (err == nil || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s %s: error %v, want %q", c.rule, c.spec, err, c.want)
		}
	}
}
