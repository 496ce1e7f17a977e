package players

import (
	"os"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/arena"
)

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
