package selfplay

import (
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"go.uber.org/goleak"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
	"github.com/carozero/carozero/nn/nntest"
	"github.com/carozero/carozero/selfplay/samples"
)

func TestMain(m *testing.M) { goleak.VerifyTestMain(m) }

// gomokuSetup plays a rule set on a board of size cells a side with the mock.
func gomokuSetup(t testing.TB, rule string, size int) Setup {
	t.Helper()
	rules, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	codec, err := gomokuCodec(rules, size)
	if err != nil {
		t.Fatal(err)
	}
	fields, err := samples.FieldsOf(rules)
	if err != nil {
		t.Fatal(err)
	}
	return Setup{
		Start: gomokuStart(t, rules, size), Format: codec.Format, Encoder: codec.Encoder, Columns: size,
		Header: samples.Header{
			Game: "gomoku", Rule: fields, Size: size,
			Planes:  samples.Planes{Version: gomokunet.Version, Names: gomokunet.PlaneNames()},
			Globals: gomokunet.GlobalNames(), Model: "mock", Engine: samples.Engine{Version: "test"},
		},
		Evaluator: func(int, *nn.Turn) (nn.Evaluator, error) { return nn.NewMock(3), nil },
	}
}

func gomokuCodec(rules gomoku.Rules, size int) (samples.Codec, error) {
	n := gomoku.Notation{Size: size}
	enc, err := gomokunet.New(rules, size)
	return samples.Codec{
		Parse: func(text string) (game.Position, []game.Move, error) {
			moves, err := n.ParseMoves(text)
			if err != nil {
				return nil, nil, err
			}
			start, err := gomoku.New(rules, size)
			return start, moves, err
		},
		Format:   func(_ game.Position, moves []game.Move) string { return n.FormatMoves(moves) },
		Notation: n, Encoder: enc,
	}, err
}

func gomokuStart(t testing.TB, rules gomoku.Rules, size int) game.Position {
	t.Helper()
	board, err := gomoku.New(rules, size)
	if err != nil {
		t.Fatal(err)
	}
	return board
}

// gomokuCodecOf returns the codec that a header asks for.
func gomokuCodecOf(h *samples.Header) (samples.Codec, error) {
	name, _ := h.Rule.Get("name")
	rules, err := gomoku.Lookup(fmt.Sprint(name))
	if err != nil {
		return samples.Codec{}, err
	}
	return gomokuCodec(rules, h.Size)
}

// mnkSetup plays tic-tac-toe.
func mnkSetup() Setup {
	start := gametest.NewMNK(3, 3, 3)
	return Setup{
		Start: start, Format: mnkCodec().Format, Encoder: nntest.TicTacToe{}, Columns: 3,
		Header: samples.Header{Game: "mnk", Size: 3,
			Planes: samples.Planes{Version: "mnk-1", Names: []string{"own", "opp"}}, Model: "mock"},
		Evaluator: func(int, *nn.Turn) (nn.Evaluator, error) { return nn.NewMock(3), nil },
	}
}

func mnkCodecOf(*samples.Header) (samples.Codec, error) {
	return mnkCodec(), nil
}

// mnkKit replays games of tic-tac-toe.
func mnkCodec() samples.Codec {
	n := gametest.NewMNK(3, 3, 3).Notation()
	return samples.Codec{
		Parse: func(text string) (game.Position, []game.Move, error) {
			moves, err := n.ParseMoves(text)
			return gametest.NewMNK(3, 3, 3), moves, err
		},
		Format:   func(_ game.Position, moves []game.Move) string { return n.FormatMoves(moves) },
		Notation: n, Encoder: nntest.TicTacToe{},
	}
}

// contents returns the files of a directory by name.
func contents(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		b, err := os.ReadFile(filepath.Join(dir, e.Name()))
		if err != nil {
			t.Fatal(err)
		}
		files[e.Name()] = string(b)
	}
	return files
}

// sameFiles fails unless both directories hold the same bytes.
func sameFiles(t testing.TB, what string, got, want map[string]string) {
	t.Helper()
	if !maps.Equal(got, want) {
		for name := range want {
			if got[name] != want[name] {
				t.Errorf("%s: %s has other bytes", what, name)
			}
		}
		if len(got) != len(want) {
			t.Errorf("%s: %d files, want %d", what, len(got), len(want))
		}
	}
}

// fixedValue answers every position with one value and equal priors.
type fixedValue struct {
	*nn.Uniform
	win, loss float32
}

func (f fixedValue) Add(pos game.Position, tag nn.Tag, moves []game.Move, out *nn.Result) bool {
	f.Uniform.Add(pos, tag, moves, out)
	out.Win, out.Draw, out.Loss = f.win, 1-f.win-f.loss, f.loss
	return true
}

// ticks is a clock that goes on by a second each time it is asked.
func ticks() func() time.Time {
	now := time.Date(2020, 1, 1, 0, 0, 0, 0, time.UTC)
	return func() time.Time { now = now.Add(time.Second); return now }
}

func oneLine(err error) bool { return err != nil && !strings.Contains(err.Error(), "\n") }
