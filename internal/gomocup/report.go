package gomocup

import (
	"fmt"
	"math"
	"strconv"
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

// report shows what a search knows: its moves, the best first.
func (r *reporter) report(a *engine.Answer) {
	if r.detail&realtime != 0 && (!r.shown || a.Move != r.best) {
		if !r.shown {
			r.out.printf("MESSAGE REALTIME REFRESH")
		}
		r.out.printf("MESSAGE REALTIME BEST %s", FormatCell(r.size, a.Move))
	}
	r.best, r.shown = a.Move, true
	elapsed := max(r.time.Now().Sub(r.began), 0)
	for i := range max(1, min(r.choices, len(a.Moves))) {
		o := engine.Opinion{Move: a.Move, Value: a.Value, Proof: a.Proof, Line: a.Line}
		if i > 0 {
			o = a.Moves[i]
		}
		if len(o.Line) == 0 {
			o.Line = []game.Move{o.Move}
		}
		if r.detail&fields != 0 {
			r.fields(a, i, &o, elapsed)
		}
		if r.detail&realtime != 0 {
			r.text(a, i, &o, elapsed)
		}
	}
}

// fields shows one move with its line, a figure a line.
func (r *reporter) fields(a *engine.Answer, index int, o *engine.Opinion, elapsed time.Duration) {
	speed := 0
	if elapsed > 0 {
		speed = int(min(float64(a.Stats.Nodes)/elapsed.Seconds(), math.MaxInt32))
	}
	for _, field := range []struct {
		key   string
		value any
	}{
		{"PV", index}, {"NUMPV", max(1, min(r.choices, len(a.Moves)))}, {"DEPTH", a.Stats.Depth},
		{"SELDEPTH", a.Stats.SelDepth},
		{"NODES", a.Stats.Nodes}, {"TOTALNODES", a.Stats.Nodes}, {"TOTALTIME", elapsed.Milliseconds()}, {"SPEED", speed},
		{"EVAL", evaluation(o)}, {"WINRATE", fmt.Sprintf("%.4f", winRate(o.Value))},
		{"BESTLINE", formatCells(r.size, o.Line)}, {"PV", "DONE"},
	} {
		r.out.printf("INFO %s %v", field.key, field.value)
	}
}

// text shows one move with its line to a person, and the best one to Yixin-Board,
// which keeps value and line for its user.
func (r *reporter) text(a *engine.Answer, index int, o *engine.Opinion, elapsed time.Duration) {
	const longest = 40 // moves of a line: boards keep it in buffers of a fixed size
	line := formatCells(r.size, o.Line[:min(len(o.Line), longest)])
	if index == 0 {
		r.out.printf("MESSAGE REALTIME VAL %d", score(o))
		r.out.printf("MESSAGE REALTIME PV %s", line)
	}
	r.out.printf("MESSAGE (%d) depth %d-%d, value %s, win rate %.1f%%, %d nodes, %.1f s: %s",
		index+1, a.Stats.Depth, a.Stats.SelDepth, evaluation(o), 100*winRate(o.Value), a.Stats.Nodes, elapsed.Seconds(), line)
}

// end says that the search is over.
func (r *reporter) end() {
	if r.detail&realtime != 0 {
		r.out.printf("MESSAGE REALTIME DONE %s", FormatCell(r.size, r.best))
	}
}

func winRate(value float32) float64 { return max(0, min(1, (float64(value)+1)/2)) }

// evaluation returns a value as boards show it: a score, or the length of a
// proof.
func evaluation(o *engine.Opinion) string {
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
func score(o *engine.Opinion) int {
	const scale, most = 200, 9999
	switch o.Proof.Result {
	case game.Won:
		return most
	case game.Lost:
		return -most
	}
	w := winRate(o.Value)
	return int(max(-most, min(most, math.Round(scale*math.Log(w/(1-w))))))
}
