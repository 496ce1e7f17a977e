package gomocup

import (
	"context"
	"fmt"
	"math"
	"runtime/debug"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/search"
)

// ClassicalSetup sets up classical searches for what clients of the Gomocup
// protocol ask for.
type ClassicalSetup struct {
	opts     search.ClassicalOptions // Threads and TableMiB where the client names none
	settings Settings                // of engine
	engine   *search.Classical       // nil: none was set up
}

// Budgets of the classical search in a dialogue.
const (
	quickNodes = 10_000  // for a move that is wanted as fast as possible: a few hundredths of a second
	endless    = 1 << 40 // bounds nothing, where only clocks or a depth were given
)

// ClassicalBudget returns the options of a dialogue with the classical search whose
// clients give the clocks.
func ClassicalBudget() Options {
	return Options{Nodes: endless, Quick: quickNodes}
}

// defaultTableMiB is the size of a table where nothing names one.
const defaultTableMiB = 64

// NewClassicalSetup returns a ClassicalSetup.
func NewClassicalSetup(o search.ClassicalOptions) *ClassicalSetup {
	if o.Search.TableMiB == 0 {
		o.Search.TableMiB = defaultTableMiB
	}
	return &ClassicalSetup{opts: o}
}

// Open is a [Open]. A table for which there is no memory is an error. A
// table that changes its size keeps what it knows if there is room for both; in a
// hurry the memory for it is left to Settle. The first call for a size of board makes ready for
// all rules that a client may name, since many name theirs with the first move.
func (g *ClassicalSetup) Open(s Settings) (engine.Engine, error) {
	hurry := s.Hurry
	s.Hurry = false
	if g.engine != nil && s == g.settings {
		if !hurry {
			g.engine.Settle(context.Background())
		}
		return g.engine, nil
	}
	v, err := games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return nil, err
	}
	if g.engine != nil && s.Threads == g.settings.Threads && g.adapt(v, s, hurry) {
		g.settings = s
		return g.engine, nil
	}
	o := g.opts
	o.Search.TableMiB = g.tableMiB(s)
	if s.Threads > 0 {
		o.Search.Threads = min(s.Threads, int(option.SearchThreads.Max))
	}
	g.engine = nil // its table need not stand beside the new one
	e, err := search.NewClassical(v, o)
	if err != nil {
		return nil, err
	}
	if err := prepareRules(e, g.opts); err != nil {
		return nil, err
	}
	g.engine, g.settings = e, s
	return e, nil
}

// prepareRules readies e for the rules that clients may name on boards of the size
// that it is for, its own last.
func prepareRules(e *search.Classical, o search.ClassicalOptions) error {
	own := e.Variant()
	for _, name := range Rules() {
		v, err := games.NewVariant(games.VariantOptions{Rule: name, Size: own.Size})
		if err != nil || name == own.Rule() {
			continue // not played here
		}
		if err := e.Adopt(v, o); err != nil {
			return err
		}
		if err := e.Prepare(); err != nil {
			return err
		}
	}
	if err := e.Adopt(own, o); err != nil {
		return err
	}
	return e.Prepare()
}

// adapt makes the engine one for other settings that name the same threads, for a
// variant, and reports whether it could.
func (g *ClassicalSetup) adapt(v games.Variant, s Settings, hurry bool) bool {
	other := s.Rule != g.settings.Rule
	if s.Size != g.settings.Size {
		other = true
		if g.engine.Adopt(v, g.opts) != nil || prepareRules(g.engine, g.opts) != nil {
			return false
		}
	} else if other && g.engine.Adopt(v, g.opts) != nil {
		return false
	}
	if mib := g.tableMiB(s); hurry {
		g.engine.ResizeLater(mib)
		return true
	} else if mib != g.engine.TableMiB() {
		return g.engine.Resize(mib) == nil
	}
	g.engine.Settle(context.Background())
	return true
}

// tableMiB returns the size of the table: what the client named, or half of the
// memory that the program may use, up to mostTableMiB.
func (g *ClassicalSetup) tableMiB(s Settings) int {
	const mostTableMiB = 1024
	switch {
	case s.Table > 0:
		return int(max(s.Table>>20, 1))
	case s.Memory > 0:
		return int(max(min(s.Memory/2>>20, mostTableMiB), 1))
	}
	return g.opts.Search.TableMiB
}

// TreeSetup sets up tree searches for what clients of the Gomocup protocol ask
// for. Close it in the end.
type TreeSetup struct {
	loader *networks.Loader
	model  string
	opts   search.TreeOptions

	settings Settings      // of net and tree
	net      *networks.Net // nil: none was loaded
	tree     *search.Tree  // nil: none was set up
}

// NewTreeSetup returns a TreeSetup whose networks loader opens; model is as
// in [networks.Loader.Open].
func NewTreeSetup(loader *networks.Loader, model string, o search.TreeOptions) *TreeSetup {
	o.Reuse = true
	return &TreeSetup{loader: loader, model: model, opts: o}
}

// Close frees the network.
func (g *TreeSetup) Close() error {
	net := g.net
	g.net, g.tree = nil, nil
	if net == nil {
		return nil
	}
	return net.Close()
}

// Open is a [Open]. The first call for a size of board makes ready for all
// rules that a client may name, since many name theirs with the first move. In a
// hurry nothing is evaluated beforehand.
func (g *TreeSetup) Open(s Settings) (engine.Engine, error) {
	hurry := s.Hurry
	s.Hurry = false
	if g.tree != nil && s == g.settings {
		return g.tree, nil
	}
	g.tree = nil
	if s.Size != g.settings.Size {
		g.prepareRules(s.Size)
	}
	if g.net == nil || s.Rule != g.settings.Rule || s.Size != g.settings.Size {
		if err := g.load(s); err != nil {
			return nil, err
		}
	}
	g.settings = s
	limitMemory(s.Memory)
	o := g.opts
	o.Eval.Threads = s.Threads
	switch {
	case s.Table > 0:
		o.Search.Memory = max(s.Table, smallestTree)
	case s.Memory > 0:
		o.Search.Memory = treeMemory(s.Memory)
	}
	tree, err := search.NewTree(g.net, o)
	if err != nil {
		return nil, err
	}
	if !hurry {
		if err := tree.Prepare(); err != nil {
			return nil, err
		}
	}
	g.tree = tree
	return tree, nil
}

// prepareRules makes what all rules that clients may name have in common with other
// searches: tables of their lines, and the networks that many searches share. An error
// shows when such a rule is named.
func (g *TreeSetup) prepareRules(size int) {
	for _, name := range Rules() {
		v, err := games.NewVariant(games.VariantOptions{Rule: name, Size: size})
		if err != nil {
			continue
		}
		if start, err := v.Start(); err == nil {
			v.Searchable(start)
		}
		model := g.model
		if model == "" {
			model, err = g.loader.DefaultModel(v)
		}
		if err == nil {
			g.loader.Ready(model)
		}
	}
}

// load opens the network for a rule and size in place of the last one, or takes
// that over.
func (g *TreeSetup) load(s Settings) error {
	v, err := games.NewVariant(games.VariantOptions{Rule: s.Rule, Size: s.Size})
	if err != nil {
		return err
	}
	last := g.net
	g.net = nil
	net, err := g.loader.Reopen(last, v, g.model)
	if err != nil {
		return fmt.Errorf("no network for %s %dx%d: %w", s.Rule, s.Size, s.Size, err)
	}
	g.net = net
	return nil
}

// smallestTree is the least memory that a tree gets, in bytes.
const smallestTree = 16 << 20

// treeMemory returns the tree's part of a program's memory: a third, since a slab
// that grows stands beside the larger one for a while; the rest is for the
// network and the runtime.
func treeMemory(total int64) int64 { return max(total/3, smallestTree) }

// limitMemory has garbage collected before the program takes more memory than a
// client allows, of which the network takes some outside of Go; 0 is no limit.
func limitMemory(total int64) {
	limit := int64(math.MaxInt64)
	if total > 0 {
		limit = max(total/4*3, 2*smallestTree)
	}
	debug.SetMemoryLimit(limit)
}

// detail is what a board wants to be shown of a search: INFO show_detail, whose
// bits are as Rapfi reads them.
type detail uint8

const (
	realtime detail = 1 << iota // MESSAGE REALTIME lines, and what they say as text
	fields                      // INFO lines, one for each figure; Yixin-Board 3 asks for both
)

// reporter shows a search to boards that asked for it, in the lines that they
// know. A board that did not ask for fields must not get them: Yixin-Board takes
// every line that it does not know for a move.
type reporter struct {
	out     *output
	detail  detail
	size    int
	choices int // moves to show
	time    engine.Time
	began   time.Time
	best    game.Move // shown as such; the board's corner until shown is set
	shown   bool
}

// report shows what a search knows.
func (r *reporter) report(a *engine.Answer) {
	if r.detail&realtime != 0 && (!r.shown || a.Move != r.best) {
		if !r.shown {
			r.out.printf("MESSAGE REALTIME REFRESH")
		}
		r.out.printf("MESSAGE REALTIME BEST %s", FormatCell(r.size, a.Move))
	}
	r.best, r.shown = a.Move, true
	for i, o := range r.variations(a) {
		if r.detail&fields != 0 {
			r.fields(a, i, o)
		}
		if r.detail&realtime != 0 {
			r.text(a, i, o)
		}
	}
}

// variations returns what is to be shown of each move, the best first.
func (r *reporter) variations(a *engine.Answer) []engine.Opinion {
	list := []engine.Opinion{{Move: a.Move, Value: a.Value, Proof: a.Proof, Line: a.Line}}
	for i := 1; i < min(r.choices, len(a.Moves)); i++ {
		list = append(list, a.Moves[i])
	}
	for i := range list {
		if len(list[i].Line) == 0 {
			list[i].Line = []game.Move{list[i].Move}
		}
	}
	return list
}

// elapsed returns the time since the search began.
func (r *reporter) elapsed() time.Duration { return max(r.time.Now().Sub(r.began), 0) }

// fields shows one move with its line, a figure a line.
func (r *reporter) fields(a *engine.Answer, index int, o engine.Opinion) {
	speed := 0
	if d := r.elapsed(); d > 0 {
		speed = int(min(float64(a.Stats.Nodes)/d.Seconds(), math.MaxInt32))
	}
	for _, field := range []string{
		fmt.Sprintf("PV %d", index),
		fmt.Sprintf("NUMPV %d", max(1, min(r.choices, len(a.Moves)))),
		fmt.Sprintf("DEPTH %d", a.Stats.Depth),
		fmt.Sprintf("SELDEPTH %d", a.Stats.SelDepth),
		fmt.Sprintf("NODES %d", a.Stats.Nodes),
		fmt.Sprintf("TOTALNODES %d", a.Stats.Nodes),
		fmt.Sprintf("TOTALTIME %d", r.elapsed().Milliseconds()),
		fmt.Sprintf("SPEED %d", speed),
		"EVAL " + evaluation(o),
		fmt.Sprintf("WINRATE %.4f", winRate(o.Value)),
		"BESTLINE " + r.points(o.Line),
		"PV DONE",
	} {
		r.out.printf("INFO %s", field)
	}
}

// longestText is how many moves of a line are shown as text: boards keep it in
// buffers of a fixed size.
const longestText = 40

// text shows one move with its line to a person, and the best one to Yixin-Board,
// which keeps value and line for its user.
func (r *reporter) text(a *engine.Answer, index int, o engine.Opinion) {
	line := r.points(o.Line[:min(len(o.Line), longestText)])
	if index == 0 {
		r.out.printf("MESSAGE REALTIME VAL %d", score(o))
		r.out.printf("MESSAGE REALTIME PV %s", line)
	}
	r.out.printf("MESSAGE (%d) depth %d-%d, value %s, win rate %.1f%%, %d nodes, %.1f s: %s",
		index+1, a.Stats.Depth, a.Stats.SelDepth, evaluation(o), 100*winRate(o.Value), a.Stats.Nodes, r.elapsed().Seconds(), line)
}

// end says that the search is over.
func (r *reporter) end() {
	if r.detail&realtime != 0 {
		r.out.printf("MESSAGE REALTIME DONE %s", FormatCell(r.size, r.best))
	}
}

func (r *reporter) points(moves []game.Move) string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = FormatCell(r.size, m)
	}
	return strings.Join(texts, " ")
}

func winRate(value float32) float64 { return max(0, min(1, (float64(value)+1)/2)) }

// Scale and bound of an evaluation.
const (
	evalScale = 200
	mostEval  = 9999
)

// evaluation returns a value as boards show it: a score, or the length of a
// proof.
func evaluation(o engine.Opinion) string {
	switch plies := o.Proof.Signed(); {
	case plies > 0:
		return fmt.Sprintf("+M%d", plies)
	case plies < 0:
		return fmt.Sprintf("-M%d", -plies)
	}
	return strconv.Itoa(score(o))
}

// score returns a value as the logarithm of the odds of winning, in the units
// that classical engines use; a proof is worth the most there is.
func score(o engine.Opinion) int {
	switch o.Proof.Result {
	case engine.Win:
		return mostEval
	case engine.Loss:
		return -mostEval
	}
	w := winRate(o.Value)
	return int(max(-mostEval, min(mostEval, math.Round(evalScale*math.Log(w/(1-w))))))
}
