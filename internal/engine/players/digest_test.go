package players

import (
	"crypto/sha256"
	"encoding/hex"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/internal/front/arena"
)

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
	engine, script, tool, log := write("engine", 0o755), write("brain.py", 0o644), write("tool", 0o755), write("out.log", 0o644)
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
