package main

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/front/report"
)

func TestForbiddenPoints(t *testing.T) {
	var r report.Forbidden
	out := mustRun(t, "forbidden", "--rule", "renju", "--position", "h8h9i7i9h10i6i11i12", "--json")
	if err := json.Unmarshal([]byte(out), &r); err != nil {
		t.Fatal(err)
	}
	if len(r.Points) != 1 || r.Points[0] != "g9" {
		t.Errorf("points %v, want g9", r.Points)
	}
	if want := []report.ForbiddenPoint{{Point: "g9", Kind: "double-three"}}; !reflect.DeepEqual(r.Kinds, want) {
		t.Errorf("kinds %v, want %v", r.Kinds, want)
	}
	if out := mustRun(t, "forbidden", "--rule", "renju", "--position", "h8h9i7i9h10i6i11i12"); out != "g9 double-three\n" {
		t.Errorf("text %q", out)
	}
	if out := mustRun(t, "forbidden", "--position", "h8"); out != "" {
		t.Errorf("caro has forbidden points: %q", out)
	}
}

// A point can be of several kinds at once.
func TestForbiddenKinds(t *testing.T) {
	for _, c := range []struct{ args, diagram, want string }{
		{"--rule renju --to-move first", `
			. . . . . . . . .
			X . . X . . . . .
			. X . X . . . . .
			. . X X . . . . .
			X X X . X X X . .
			. . . . . . . . .
			. . . . . . . . .
			. . . . . . . . .
			. . . . . . . . .`, "d5 overline, double-four"},
		{"--rule school42", `
			O . . . . . O
			. . . X . . .
			. . . X . . O
			. X X . . . .
			. . . . . . .
			. . . . . . O
			. . . . . . .`, "d4 free-three"},
		{"--rule freestyle --open-rule", `
			. . . . .
			. . . . .
			. . X . .
			. . . . O
			. . . . .`, "a1 open-rule"},
	} {
		args := append([]string{"forbidden", "--board", "-"}, strings.Fields(c.args)...)
		status, out, message := runWith(t, c.diagram, args...)
		if status != 0 || !strings.Contains(out, c.want+"\n") {
			t.Errorf("%s: status %d, %q %s, want %q", c.args, status, out, message, c.want)
		}
	}
}
