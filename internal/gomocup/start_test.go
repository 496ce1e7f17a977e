package gomocup

import (
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
)

// fake is an engine that plays the first legal move in the order of the cells,
// which is the bottom row from the left, and remembers what it was asked.
type fake struct {
	settings Settings
	limits   []engine.Limits
	boards   []*gomoku.Board
	forgot   int
	values   []float32 // of the next searches; then 0
	missing  error     // what open says
	think    func(ctx context.Context)
	pondered chan *gomoku.Board // what Ponder was asked about
}

func (f *fake) open(s Settings) (engine.Engine, error) {
	f.settings = s
	return f, f.missing
}

func (f *fake) Close() error { return nil }

func (f *fake) Forget() { f.forgot++ }

func (f *fake) Ponder(ctx context.Context, pos game.Position) {
	f.pondered <- pos.(*gomoku.Board)
	<-ctx.Done()
}

func (f *fake) Think(ctx context.Context, pos game.Position, limits engine.Limits) (*engine.Answer, error) {
	f.limits = append(f.limits, limits)
	f.boards = append(f.boards, pos.Clone().(*gomoku.Board))
	if f.think != nil {
		f.think(ctx)
	}
	a := &engine.Answer{Stats: engine.Stats{Nodes: limits.Nodes, Depth: 1, SelDepth: 2}}
	if len(f.values) > 0 {
		a.Value, f.values = f.values[0], f.values[1:]
	}
	for i, m := range pos.Moves(nil) {
		a.Moves = append(a.Moves, engine.Opinion{Move: m, Value: a.Value - float32(i)/4, Visits: 9 - min(i, 9)})
	}
	if len(a.Moves) == 0 {
		return nil, errors.New("asked about a game that is over")
	}
	a.Move = a.Moves[0].Move
	a.Line = []game.Move{a.Move}
	if limits.Report != nil {
		limits.Report(a)
	}
	return a, nil
}

// talk drives a session line by line without goroutines.
type talk struct {
	*session
	engine *fake
	out    bytes.Buffer
	ends   []time.Time // of the jobs
}

func newTalk() *talk {
	k := &talk{engine: &fake{}}
	opts := Options{Threads: 4, Memory: 4 << 30, Version: "1", Time: newHand()}
	k.session = newSession(k.engine.open, opts.withDefaults(), &output{w: &k.out})
	return k
}

// say sends a line and returns the lines that answer it.
func (k *talk) say(text string) []string {
	k.out.Reset()
	k.prepare()
	if j := k.handle(line{text: text, arrival: k.opts.Time.Now()}); j != nil {
		k.ends = append(k.ends, j.end)
		j.run(context.Background())()
	}
	if k.out.Len() == 0 {
		return nil
	}
	return strings.Split(strings.TrimSuffix(k.out.String(), "\n"), "\n")
}

// tell sends lines and demands the last one's answer.
func (k *talk) tell(t *testing.T, want string, lines ...string) {
	t.Helper()
	var got []string
	for _, l := range lines {
		got = k.say(l)
	}
	if text := strings.Join(got, "\n"); text != want {
		t.Fatalf("%q is answered %q, want %q", lines[len(lines)-1], text, want)
	}
}
