// Command weigh fits the rule by which an engine of both searches chooses between the
// halves' moves (internal/engine/search, decide.go).
//
//	weigh gather -rule caro -openings FILE -games 20 -playouts 5000 -seed 1 >> ROWS
//	weigh fit ROWS...
//
// gather plays games of the engine against itself. In every position whose check leaves two
// moves to choose from it lets both searches judge the position after each, with twenty times
// the budget that the engine had, and prints a row; then it plays one of the two at random.
// fit prints the weights for the rows, and what the rule gains per choice on games that it
// was not fitted to.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"math/rand/v2"
	"os"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/nn"
)

func main() {
	if err := run(os.Args[1:], os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "weigh:", err)
		os.Exit(1)
	}
}

func run(args []string, out io.Writer) error {
	switch {
	case len(args) > 0 && args[0] == "gather":
		return gather(args[1:], out)
	case len(args) > 1 && args[0] == "fit":
		return fit(args[1:], out)
	}
	return errors.New("want gather, or fit with files of rows")
}

// row is a position in which the halves disagree. Values are the side to move's; T is the
// tree's move, C the classical half's.
type row struct {
	Rule     string
	Game     int // games of one opening are numbered in a row
	Ply      int
	Share    float64
	Position string

	MeanT, MeanC     float64 // the tree's
	VisitsT, VisitsC int
	ValueT, ValueC   float64 // the classical half's
	Depth            int

	// What the judges say of both moves: the tree search and the classical search.
	JudgedT, JudgedC [2]float64
}

// judging is how many times the engine's budget the judges have for each move.
const judging = 20

type gathering struct {
	variant   games.Variant
	playouts  int64
	both      *search.Both
	tree      *search.Tree
	classical *search.Classical
	rng       *rand.Rand
	settings  search.BothSettings
	rule      string
	encode    *json.Encoder
}

func gather(args []string, out io.Writer) error {
	flags := flag.NewFlagSet("gather", flag.ContinueOnError)
	flags.SetOutput(io.Discard)
	rule := flags.String("rule", "caro", "rule set")
	file := flags.String("openings", "", "file of openings, a line each")
	from := flags.Int("from", 0, "first opening")
	count := flags.Int("games", 10, "games, one an opening")
	playouts := flags.Int64("playouts", 5000, "budget of the engine")
	share := flags.Float64("share", 0, "part of the classical half; 0: the rule set's")
	most := flags.Int("plies", 60, "plies of a game")
	seed := flags.Uint64("seed", 1, "of the random choices")
	if err := flags.Parse(args); err != nil {
		return err
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: *rule, Size: 15})
	if err != nil {
		return err
	}
	text, err := os.ReadFile(*file)
	if err != nil {
		return err
	}
	net, err := networks.NewLoader(networks.LoaderOptions{Threads: 1}).Open(v, "")
	if err != nil {
		return err
	}
	defer net.Close()
	g := &gathering{variant: v, playouts: *playouts, rng: rand.New(rand.NewPCG(*seed, 0)), rule: *rule, encode: json.NewEncoder(out)}
	g.settings = search.DefaultBothSettings()
	g.settings.Share = *share
	if err := g.open(net); err != nil {
		return err
	}
	openings := strings.Fields(string(text))
	for i := *from; i < *from+*count && i < len(openings); i++ {
		pos, err := v.Parse(openings[i])
		if err != nil {
			return err
		}
		if err := g.game(i, pos, *most); err != nil {
			return err
		}
	}
	return nil
}

// open sets up the engine and its judges.
func (g *gathering) open(net *networks.Net) error {
	settings := search.DefaultTreeSettings(1024)
	trees := [2]*search.Tree{}
	classicals := [2]*search.Classical{}
	for i := range trees {
		o := settings.Options(nn.EvaluatorOptions{Threads: 1, Seed: 1})
		o.Reuse = i == 0
		var err error
		if trees[i], err = search.NewTree(net, o); err != nil {
			return err
		}
		if classicals[i], err = search.NewClassical(g.variant, search.ClassicalOptions{}); err != nil {
			return err
		}
	}
	g.both = search.NewBoth(trees[0], classicals[0], g.settings)
	g.tree, g.classical = trees[1], classicals[1]
	return nil
}

// game plays a game and prints its rows.
func (g *gathering) game(number int, pos game.Position, most int) error {
	g.both.Forget()
	for pos.Ply() < most && pos.Outcome() == game.Undecided {
		a, err := g.both.Think(context.Background(), pos, engine.Limits{Nodes: g.playouts})
		if err != nil {
			return err
		}
		m := a.Move
		if h := a.Halves; h.Reason == engine.Weighed && h.Checked.Move == h.Tree.Move {
			if err := g.judge(number, pos, a); err != nil {
				return err
			}
			if m = h.Tree.Move; g.rng.IntN(2) == 0 {
				m = h.Other.Move
			}
		}
		pos.Play(m)
	}
	return nil
}

// judge prints the row of a position.
func (g *gathering) judge(number int, pos game.Position, a *engine.Answer) error {
	h := a.Halves
	r := row{
		Rule: g.rule, Game: number, Ply: pos.Ply(), Share: g.both.Settings().Share, Position: g.variant.Text(pos),
		MeanT: float64(h.Tree.Value), VisitsT: h.Tree.Visits, VisitsC: h.Other.Visits,
		ValueT: float64(h.Checked.Value), ValueC: float64(h.Other.Value), Depth: h.Other.Depth,
	}
	for _, o := range a.Moves {
		switch o.Move {
		case h.Tree.Move:
			r.MeanT = float64(o.Value)
		case h.Other.Move:
			r.MeanC = float64(o.Value)
		}
	}
	var err error
	if r.JudgedT, err = g.value(pos, h.Tree.Move); err != nil {
		return err
	}
	if r.JudgedC, err = g.value(pos, h.Other.Move); err != nil {
		return err
	}
	return g.encode.Encode(r)
}

// value returns what both judges say of a move.
func (g *gathering) value(pos game.Position, m game.Move) (v [2]float64, err error) {
	after := pos.Clone()
	after.Play(m)
	if after.Outcome() != game.Undecided {
		return v, nil
	}
	n := judging * g.playouts / 2
	g.tree.Forget()
	t, err := g.tree.Think(context.Background(), after, engine.Limits{Nodes: n})
	if err != nil {
		return v, err
	}
	g.classical.Forget()
	c, err := g.classical.Think(context.Background(), after, engine.Limits{Nodes: int64(float64(n) * g.settings.Rate)})
	if err != nil {
		return v, err
	}
	return [2]float64{-float64(t.Value), -float64(c.Value)}, nil
}

// read returns the rows of files.
func read(files []string) ([]row, error) {
	var rows []row
	for _, name := range files {
		f, err := os.Open(name)
		if err != nil {
			return nil, err
		}
		d := json.NewDecoder(bufio.NewReader(f))
		for {
			var r row
			if err = d.Decode(&r); err != nil {
				break
			}
			rows = append(rows, r)
		}
		_ = f.Close()
		if !errors.Is(err, io.EOF) {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
	}
	return rows, nil
}
