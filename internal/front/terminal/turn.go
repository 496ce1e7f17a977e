package terminal

import (
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// enter plays at the cursor: a stone there, or a piece from there, which is then
// chosen, or the chosen piece to there.
func (m *model) enter() {
	if m.broken {
		m.resume()
		m.tell("Trying again.")
		return
	}
	if !m.ready() {
		return
	}
	v := m.record.variant
	var here, leaving []game.Move
	for _, move := range m.record.pos.Moves(nil) {
		switch s := v.Step(move); {
		case s.To == m.cursor && (s.From < 0 || s.From == m.from):
			here = append(here, move)
		case s.From == m.cursor, s.To < 0:
			leaving = append(leaving, move)
		}
	}
	switch {
	case len(here) == 1:
		m.make(here[0])
	case len(here) > 1:
		m.choose(here, "Which card?")
	case len(leaving) > 0 && v.Step(leaving[0]).To < 0:
		m.choose(leaving, "No piece can move; pass with which card?")
	case m.from == m.cursor:
		m.from = -1
		m.tell("Put back.")
	case len(leaving) > 0:
		m.from = m.cursor
		m.tell("And where to?")
	default:
		m.refuse()
	}
}

// refuse says why nothing can be played at the cursor.
func (m *model) refuse() {
	v := m.record.variant
	piece := v.Display(m.record.pos).Pieces[m.cursor]
	switch {
	case v.Columns() > 0:
		m.warn("%s", m.record.refusal(game.Move(m.cursor)))
	case m.from >= 0:
		m.warn("The piece cannot go there; Enter on it puts it back.")
	case piece.Stone == games.NoStone:
		m.warn("There is no piece here; choose one of yours first.")
	case piece.Stone != games.FirstStone+games.Stone(m.record.pos.ToMove()):
		m.warn("That piece is not yours.")
	default:
		m.warn("That piece has no move with your cards.")
	}
}

// ready reports whether a person can move, and says why not.
func (m *model) ready() bool {
	switch {
	case m.over():
		m.warn("The game is over: N begins another, U takes moves back.")
	case m.hinting:
		m.warn("The engine looks for a hint; Esc ends that.")
	case !m.mine():
		m.warn("The engine is thinking; U takes your move back.")
	default:
		return true
	}
	return false
}

// choose has the person choose among moves by a number.
func (m *model) choose(moves []game.Move, what string) {
	m.choices = moves
	texts := make([]string, len(moves))
	for i, move := range moves {
		texts[i] = strconv.Itoa(i+1) + " " + m.record.variant.Step(move).Card
	}
	m.tell("%s %s", what, strings.Join(texts, ", "))
}

// typed plays a move that was typed.
func (m *model) typed(text string) {
	if !m.ready() {
		return
	}
	moves, err := m.record.variant.Notation().ParseMoves(text)
	switch {
	case err != nil:
		m.warn("%v; ? helps", err)
	case len(moves) != 1:
		m.warn("One move at a time, please.")
	default:
		if s := m.record.variant.Step(moves[0]); s.To >= 0 {
			m.cursor = s.To
		}
		if text := m.record.refusal(moves[0]); text != "" {
			m.warn("%s", text)
			return
		}
		m.make(moves[0])
	}
}

// undo takes moves back until a person is to move again.
func (m *model) undo() {
	if m.hinting {
		m.resume()
	}
	if m.record.given != game.Undecided {
		m.record.stepTo(m.record.at) // a resignation is taken back alone
		m.afterStep("Taken back.")
		return
	}
	for at := m.record.at - 1; at >= 0; at-- {
		if m.people.has(m.record.mover(at)) {
			m.record.stepTo(at)
			m.afterStep("Taken back; R makes the moves again.")
			return
		}
	}
	m.warn("There is no move of yours to take back.")
}

// redo makes moves again that were taken back, until a person is to move or
// there are no more.
func (m *model) redo() {
	most := len(m.record.moves)
	if m.record.at == most {
		m.warn("There is no move to make again.")
		return
	}
	at := m.record.at + 1
	for at < most && !m.people.has(m.record.mover(at)) {
		at++
	}
	m.record.stepTo(at)
	m.afterStep("Made again.")
}

// afterStep goes on after moves were taken back or made again.
func (m *model) afterStep(text string) {
	m.from, m.hint, m.choices = -1, -1, nil
	m.tell("%s", text)
	m.resume()
}

// askHint asks the opponent what it would play.
func (m *model) askHint() {
	if !m.ready() {
		return
	}
	for _, s := range []role{treeObserver, classicalObserver} {
		m.stopAndIgnore(s)
	}
	m.hinting, m.thinking, m.since = true, nil, m.now()
	m.tell("The engine looks for a hint; Esc ends that.")
	m.engines.ask(opponent, m.question(opponent))
}

// showHint shows what the engine would play, and lets the observers go on.
func (m *model) showHint(move game.Move) {
	if s := m.record.variant.Step(move); s.From < 0 {
		m.hint = s.To
	}
	m.observe()
	m.ponder()
	m.tell("The engine would play %s.", m.record.variant.Notation().FormatMove(move))
}

// swap changes sides: the engine goes on for the person, who goes on for it.
func (m *model) swap() {
	if m.over() {
		m.warn("The game is over: N begins another, U takes moves back.")
		return
	}
	switch m.people {
	case First:
		m.people = Second
	case Second:
		m.people = First
	default:
		m.warn("You play both sides; N sets up a game against the engine.")
		return
	}
	m.from, m.hint, m.choices = -1, -1, nil
	m.tell("You play %v now.", m.people)
	m.resume()
}

// resign gives the game up for the side to move, or for the person if that is
// one.
func (m *model) resign() {
	if m.over() {
		m.warn("The game is over.")
		return
	}
	loser := m.person()
	if m.people == Both {
		loser = m.record.pos.ToMove()
	}
	m.record.given = game.WinFor(loser.Other())
	m.resume()
}
