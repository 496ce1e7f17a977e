package terminal

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
)

// opinion is what an observer says of the position after at moves.
type opinion struct {
	answer *engine.Answer
	err    error
	done   bool
	at     int
}

// Remark says in a few words what an answer means for the engine that gave it.
func Remark(a *engine.Answer) string {
	text := fmt.Sprintf("its win rate %.0f%%", percent(a.Value))
	if a.Book != "" {
		text += ", from the book"
	}
	switch {
	case a.Proof.Result == engine.Unknown:
		return text
	case a.Proof.Claimed:
		return fmt.Sprintf("%s, claims %v", text, a.Proof)
	}
	if a.Proof.Plies == 0 {
		return fmt.Sprintf("%s, a proven %v", text, a.Proof.Result) // by a game without an end
	}
	return fmt.Sprintf("%s, a proven %v in %d plies", text, a.Proof.Result, a.Proof.Plies)
}

// percent returns a value as a win rate.
func percent(value float32) float32 { return 50 * (value + 1) }

// shownMoves is how many moves of an opinion are shown.
const shownMoves = 3

// opinionLines returns both engines' opinion of the position for the side to
// move, or what the opponent thinks while it does.
func (m *model) opinionLines(width int) []*strip {
	if !m.mine() || m.hinting {
		if m.over() {
			return nil
		}
		lines := []*strip{words(inkDim, "The engine thinks ("+engineNames[m.strength.Engine]+")"+m.progress())}
		if m.thinking == nil {
			return lines
		}
		return append(lines, m.answerLines(m.strength.Engine, m.thinking, width)...)
	}
	head := words(inkDim, "Opinions")
	if best := m.bests(); len(best) == 2 && best[0] == best[1] {
		head.add(inkDim, ": both "+m.record.variant.Notation().FormatMove(best[0]))
	} else if len(best) == 2 {
		head.add(inkDim, ": they differ")
	}
	lines := append([]*strip{head}, m.solvedLines(width)...)
	for _, s := range []role{treeObserver, classicalObserver} {
		o := m.opinions[s]
		kind := observed[s]
		switch {
		case o == nil || o.at != m.record.at:
			lines = append(lines, words(inkTitle, engineNames[kind]).add(inkDim, "  "+m.glyphs.ellipsis))
		case o.err != nil:
			lines = append(lines, words(inkTitle, engineNames[kind]).add(inkBad, "  "+firstLine(o.err)))
		default:
			lines = append(lines, m.answerLines(kind, o.answer, width)...)
		}
	}
	return lines
}

// solvedLines returns what solved endgames say of the position, nothing if they do not
// have it.
func (m *model) solvedLines(width int) []*strip {
	of, pos := m.opts.Endgames, m.record.pos
	if of == nil || pos.Outcome() != game.Undecided || of.Covers(pos) != nil {
		return nil
	}
	result, plies := of.Probe(pos)
	text, line := result.String(), games.BestLine(of, pos)
	if len(line) > 0 {
		text = fmt.Sprintf("%v in %d", result, plies)
	} else if best := of.Best(pos); best != game.NoMove {
		line = []game.Move{best}
	}
	lines := []*strip{words(inkTitle, "Solved").add(rateInk(result.Value()), "  "+text)}
	if len(line) > 0 {
		lines = append(lines, m.variation(line, width))
	}
	return lines
}

// progress says how far the opponent is with its budget, "" if that is not known.
func (m *model) progress() string {
	s, share := m.strength, 0.0
	nodes := s.Nodes
	if level, err := search.ParseLevel(s.Level); s.Level != "" && err == nil {
		nodes = level.Nodes
	}
	if nodes > 0 && m.thinking != nil {
		share = float64(m.thinking.Stats.Nodes) / float64(nodes)
	}
	if s.Time > 0 {
		share = max(share, float64(m.now().Sub(m.since))/float64(s.Time))
	}
	if share == 0 {
		return ""
	}
	return fmt.Sprintf(" %.0f%%", 100*min(share, 1))
}

// bests returns the best moves of those observers that have said one.
func (m *model) bests() (moves []game.Move) {
	for _, s := range []role{treeObserver, classicalObserver} {
		if o := m.opinions[s]; o != nil && o.err == nil && o.at == m.record.at {
			moves = append(moves, o.answer.Move)
		}
	}
	return moves
}

// answerLines returns what an engine says: how far it has looked, and the best
// moves with their win rate, what is known of their end, and for the first one
// the line that is expected.
func (m *model) answerLines(kind players.PlayerKind, a *engine.Answer, width int) []*strip {
	head := words(inkTitle, engineNames[kind])
	if kind != players.AlphaBeta {
		head.add(inkDim, "  "+short(int64(a.Stats.Visits))+" visits")
	} else {
		head.add(inkDim, fmt.Sprintf("  depth %d, %s", a.Stats.Depth, short(a.Stats.Nodes)))
	}
	lines := []*strip{head}
	notation := m.record.variant.Notation()
	for i, o := range a.Moves {
		if i == shownMoves || !o.Judged() {
			break
		}
		line := words(inkStrong, fmt.Sprintf(" %-4s", notation.FormatMove(o.Move)))
		if o.Proof.Result != engine.Unknown {
			line.add(rateInk(o.Value), " "+verdict(o.Proof))
		} else {
			line.add(rateInk(o.Value), fmt.Sprintf(" %3.0f%%", percent(o.Value)))
		}
		if o.Visits > 0 && o.Proof.Result == engine.Unknown {
			line.add(inkDim, " "+short(int64(o.Visits)))
		}
		lines = append(lines, line)
		if o.Move != a.Move || len(a.Line) < 2 {
			continue
		}
		lines = append(lines, m.variation(a.Line, width))
	}
	return lines
}

// verdict says whether an end is proven.
func verdict(p engine.Proof) string {
	if p.Claimed {
		return "claims " + p.String()
	}
	return "proven " + p.String()
}

// variation returns the moves that are expected, as far as there is room.
func (m *model) variation(moves []game.Move, width int) *strip {
	notation := m.record.variant.Notation()
	text := "  "
	for _, move := range moves {
		name := " " + notation.FormatMove(move)
		if len([]rune(text))+len(name)+2 > width {
			text += " " + m.glyphs.ellipsis
			break
		}
		text += name
	}
	return words(inkDim, text)
}

// rateInk returns the ink of a value for the side to move.
func rateInk(value float32) ink {
	switch {
	case value > 0.2:
		return inkGood
	case value < -0.2:
		return inkBad
	}
	return inkText
}

// firstLine returns an error as one line.
func firstLine(err error) string {
	line, _, _ := strings.Cut(err.Error(), "\n")
	return line
}
