package record

import (
	"cmp"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"

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
	if t.Black != "" || t.White != "" {
		for i, name := range []string{t.Black, t.White} {
			name = cmp.Or(strings.Join(strings.Fields(name), " "), []string{"homo-1", "homo-2"}[i])
			b.WriteString(psqLine("", "player ", name, cs, loss))
		}
	}
	outcome, _ := t.Outcome()
	code, winner := "0", map[game.Outcome]string{game.Undecided: "-1", game.Draw: "0", game.FirstWins: "1", game.SecondWins: "2"}[outcome]
	if strings.HasSuffix(t.Result, "+T") && outcome == game.WinFor(t.ToMove(leaf).Other()) {
		code = strconv.Itoa(timedOut)
	} else {
		loss.result(t)
	}
	if outcome == game.Undecided {
		code = "-1"
	}
	b.WriteString(code + "\n")
	if t.Rule != "" || outcome != game.Undecided {
		rule := capitalised(strings.Join(strings.Fields(t.Rule), " "))
		b.WriteString(psqLine(winner+",", "Rule ", rule, cs, loss))
	}
	loss.line(t, leaf, lineOf{times: true})
	loss.info(t, "RU", "PB", "PW", "RE")
	_, err := io.WriteString(out, b.String())
	return err
}

// psqLine returns a line of a head and a text, of which it leaves out what is beyond
// maxPSQText bytes. The word comes before a text with which the line would be read as a move.
func psqLine(head, word, text string, cs *charset, loss *Loss) string {
	short := shortened(text)
	if isPSQFigures(head + short) {
		text = word + text
		short = shortened(text)
	}
	out, lost := cs.encode(short)
	loss.add("characters", lost+utf8.RuneCountInString(text)-utf8.RuneCountInString(short))
	return head + out + "\n"
}

// shortened returns the characters of a text that fit in maxPSQText bytes.
func shortened(text string) string {
	if len(text) <= maxPSQText {
		return text
	}
	return strings.TrimSpace(strings.ToValidUTF8(text[:maxPSQText], ""))
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
