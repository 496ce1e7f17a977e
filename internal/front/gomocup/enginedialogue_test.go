package gomocup

import (
	"context"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/alphabeta"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/mcts"
)

// dialogues are what fuzzing begins with.
var dialogues = []string{
	"START 6\nINFO rule 4\nINFO show_detail 1\nBEGIN\nTURN 0,0\nYXNBEST 3\n",
	"START 7\nINFO pondering 1\nINFO max_depth 2\nBEGIN\nYXBALANCETWO 0\nTURN 1,1\nINFO timeout_turn 0\nTURN 2,2",
	"START 22\nSWAP2BOARD\n1,1\n2,2\n3,3\nDONE\nTAKEBACK 1,1\nINFO hash_size 99999999999\nBEGIN\nINFO thread_num 3\nYXHASHCLEAR",
	"START 5\nINFO timeout_match 9\nINFO time_left -3\nBEGIN\nBOARD\n1,1,1\n2,2,2\n3,3,1\nDONE\nYXSTOP",
	"info show_detail 3\nyxshowinfo\nSTART 5 5\nyxswap2step1\nyxsoosorvstep5 2\n1,1\n2,2\n3,3\n0,0\ndone\nyxblock\n1,1\ndone\nyxsearchdefend",
	"START 20\nINFO max_node -1\nINFO timeout_match 100000000\nINFO timeout_turn 2000000\nYXBOARD 1,1,1 2,2,2 DONE\nYXNBEST 2\nYXSTOP",
	"START 9\nINFO rule 9\nTURN 4,4\nTURN 3,3\nTAKEBACK 3,3\nINFO max_memory 1\nTURN 5,5\nINFO rule 1\nTURN 2,2",
}

// fuzzDialogue holds dialogues with the engines that open sets up: none crashes it,
// and whatever was said a new game works.
func fuzzDialogue(f *testing.F, open func() Open, o Options) {
	for _, text := range dialogues {
		f.Add(text)
	}
	o.Nodes, o.Quick, o.Time, o.Memory = 60, 20, hasty{}, 64<<20
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 400 || strings.Count(text, "\n") > 40 || largeTable.MatchString(text) {
			return // long dialogues only repeat themselves slowly
		}
		var out strings.Builder
		fresh := "\nDONE\nINFO timeout_turn 0\nINFO rule 0\nINFO show_detail 0\nINFO hash_size 1024\nINFO thread_num 1\nINFO max_node 20\nSTART 15\nBEGIN\n"
		in := strings.NewReader(strings.ReplaceAll(strings.ToUpper(text), "END", "") + fresh)
		if err := New(open(), o).Run(t.Context(), in, &out); err != nil {
			t.Fatal(err)
		}
		lines := strings.Split(strings.TrimSpace(out.String()), "\n")
		last := lines[len(lines)-1]
		if _, err := ParseCell(15, last); err != nil {
			t.Fatalf("after %q a new game begins with %q", text, last)
		}
	})
}

func FuzzClassicalDialogue(f *testing.F) {
	fuzzDialogue(f, func() Open {
		return NewClassicalSetup(search.ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}}).Open
	}, Options{})
}

func FuzzTreeDialogue(f *testing.F) {
	loader := networks.NewLoader(networks.LoaderOptions{Threads: 1})
	fuzzDialogue(f, func() Open {
		return NewTreeSetup(loader, networks.Uniform, search.TreeOptions{
			Search: mcts.Options{Memory: 1 << 20}, Solvers: games.SolverNodes{Leaf: 20, Root: 50, Replies: 10},
		}).Open
	}, Options{})
}

// largeTable matches numbers that could mean a table of many megabytes, but not
// those that no machine has memory for.
var largeTable = regexp.MustCompile(`(^|\D)0*\d{6,10}(\D|$)`)

// hasty is a time in which every deadline has passed, so that no clock that a
// client names takes any real time.
type hasty struct{}

func (hasty) Now() time.Time { return time.Unix(1000, 0) }

func (hasty) WithDeadline(ctx context.Context, _ time.Time) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	cancel()
	return ctx, cancel
}
