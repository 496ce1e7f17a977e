package gomocup

import (
	"fmt"
	"math"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
)

// reporter shows a search to boards that asked for it, in the lines that they
// know from Rapfi.
type reporter struct {
	out     *output
	size    int
	choices int // moves to show
	time    Time
	began   time.Time
	best    game.Move // shown as such; the board's corner until shown is set
	shown   bool
}

// report shows what a search knows.
func (r *reporter) report(t *Thought) {
	if !r.shown || t.Move != r.best {
		if !r.shown {
			r.out.printf("MESSAGE REALTIME REFRESH")
		}
		r.best, r.shown = t.Move, true
		r.out.printf("MESSAGE REALTIME BEST %s", FormatCell(r.size, t.Move))
	}
	count := max(1, min(r.choices, len(t.Choices)))
	r.variation(t, 0, count, Choice{Move: t.Move, Value: t.Value, Mate: t.Mate, Line: t.Line})
	for i := 1; i < count; i++ {
		c := t.Choices[i]
		if c.Line == nil {
			c.Line = []game.Move{c.Move}
		}
		r.variation(t, i, count, c)
	}
}

// variation shows one move with its line.
func (r *reporter) variation(t *Thought, index, count int, c Choice) {
	speed := 0
	if d := r.time.Now().Sub(r.began); d > 0 {
		speed = int(min(float64(t.Nodes)/d.Seconds(), math.MaxInt32))
	}
	for _, field := range []string{
		fmt.Sprintf("PV %d", index),
		fmt.Sprintf("NUMPV %d", count),
		fmt.Sprintf("DEPTH %d", t.Depth),
		fmt.Sprintf("SELDEPTH %d", t.SelDepth),
		fmt.Sprintf("NODES %d", t.Nodes),
		fmt.Sprintf("SPEED %d", speed),
		"EVAL " + evaluation(c),
		fmt.Sprintf("WINRATE %.4f", winRate(c.Value)),
		"BESTLINE " + r.points(c.Line),
		"PV DONE",
	} {
		r.out.printf("MESSAGE INFO %s", field)
	}
}

// end says that the search is over.
func (r *reporter) end() {
	r.out.printf("MESSAGE REALTIME DONE %s", FormatCell(r.size, r.best))
}

func (r *reporter) points(moves []game.Move) string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = FormatCell(r.size, m)
	}
	return strings.Join(texts, " ")
}

func winRate(value float32) float64 { return (float64(value) + 1) / 2 }

// Scale and bound of an evaluation.
const (
	evalScale = 200
	mostEval  = 9999
)

// evaluation returns a value as boards show it: the logarithm of the odds of
// winning, in the units that classical engines use, or the length of a proof.
func evaluation(c Choice) string {
	switch {
	case c.Mate > 0:
		return fmt.Sprintf("+M%d", c.Mate)
	case c.Mate < 0:
		return fmt.Sprintf("-M%d", -c.Mate)
	}
	w := winRate(c.Value)
	return strconv.Itoa(int(max(-mostEval, min(mostEval, math.Round(evalScale*math.Log(w/(1-w)))))))
}
