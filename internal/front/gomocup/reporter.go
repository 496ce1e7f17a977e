package gomocup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

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
