package record

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
)

// writePSQ writes the main line of a tree.
func writePSQ(out io.Writer, t *Tree, loss *Loss, cs *charset) error {
	if t.Size == 0 || t.Start != "" {
		return fmt.Errorf("%w in psq: its moves are no cells of a board", ErrNoForm)
	}
	leaf := t.MainLeaf()
	if err := t.Turns(leaf); err != nil {
		return fmt.Errorf("%w in psq: %w", ErrNoForm, err)
	}
	var b strings.Builder
	fmt.Fprintf(&b, "Piskvorky %dx%d, 0:0, 0\n", t.Size, t.Size)
	times := t.times(leaf)
	for i, m := range t.Moves(leaf) {
		x, down := place(t.Size, m)
		fmt.Fprintf(&b, "%d,%d,%d\n", x+1, down+1, times[i].Milliseconds())
	}
	black, white := t.Black, t.White
	if black != "" || white != "" {
		for i, name := range []string{black, white} {
			name = cmp.Or(strings.Join(strings.Fields(name), " "), []string{"homo-1", "homo-2"}[i])
			if isPSQFigures(name) {
				name = "player " + name
			}
			text, lost := cs.encode(name)
			loss.add("characters", lost)
			b.WriteString(text + "\n")
		}
	}
	outcome, reason := t.Outcome()
	code, winner := "-1", map[game.Outcome]string{game.Undecided: "-1", game.Draw: "0", game.FirstWins: "1", game.SecondWins: "2"}[outcome]
	switch {
	case strings.HasSuffix(t.Result, "+T"):
		code = strconv.Itoa(timedOut)
	case outcome != game.Undecided:
		code = "0"
		loss.count("reasons of results", reason != game.NoReason)
	}
	b.WriteString(code + "\n")
	if t.Rule != "" || outcome != game.Undecided {
		rule := capitalised(strings.Join(strings.Fields(t.Rule), " "))
		if isPSQFigures(winner + "," + rule) {
			rule = "Rule " + rule
		}
		rule, lost := cs.encode(rule)
		loss.add("characters", lost)
		fmt.Fprintf(&b, "%s,%s\n", winner, rule)
	}
	loss.line(t, leaf, lineOf{times: true})
	loss.info(t, "RU", "PB", "PW", "RE")
	_, err := io.WriteString(out, b.String())
	return err
}

// isPSQFigures reports whether a line would be read as a move, whole or damaged.
func isPSQFigures(line string) bool {
	return psqMove.MatchString(line) || psqFigures.MatchString(line)
}

// capitalised returns the name of a rule as the archives of Gomocup spell it.
func capitalised(rule string) string {
	if rule != "" && 'a' <= rule[0] && rule[0] <= 'z' {
		return strings.ToUpper(rule[:1]) + rule[1:]
	}
	return rule
}

// times returns how long each move on the way to a node took, 0 where nobody says.
func (t *Tree) times(id int32) []time.Duration {
	times := make([]time.Duration, len(t.Setup[0])+len(t.Setup[1]))
	for _, id := range t.Path(id) {
		if t.Nodes[id].Move == game.NoMove {
			continue
		}
		var d time.Duration
		if n := t.Note(id); n != nil {
			d = n.Time
		}
		times = append(times, d)
	}
	return times
}
