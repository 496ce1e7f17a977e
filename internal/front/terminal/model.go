package terminal

import (
	"fmt"
	"strings"
	"time"

	tea "charm.land/bubbletea/v2"
	"github.com/charmbracelet/colorprofile"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/engine/players"
)

// Sides says which sides a person plays.
type Sides uint8

// The sides.
const (
	First  Sides = iota // the engine plays second
	Second              // the engine plays first
	Both                // two people, or one who tries moves
)

// String returns "first", "second" or "both".
func (s Sides) String() string { return [...]string{"first", "second", "both"}[s] }

// has reports whether a person plays side.
func (s Sides) has(side game.Side) bool { return s == Both || s == Sides(side) }

// asker is where the model asks engines; its methods return at once.
type asker interface {
	ask(s role, q question)
	stop(s role)
	hurry(s role)
}

// model is all that the screen shows. It implements [tea.Model], and belongs to
// the goroutine that calls Update and View.
type model struct {
	opts    *Options
	engines asker
	now     func() time.Time

	stoppable func() bool // reports whether a suspended program would be continued

	record   *history
	people   Sides
	strength Strength
	games    int // begun in this session

	asked    [roles]int // the question whose answers count, 0: none
	since    time.Time  // when the opponent was asked
	ids      int
	hinting  bool           // the opponent is asked for a hint
	thinking *engine.Answer // what the opponent has told so far; nil: nothing yet
	opinions [roles]*opinion
	broken   bool // the opponent could not answer

	cursor, from, hint int // squares; -1: none
	prompt             string
	message            string
	alarm              bool        // the message is about a mistake
	choices            []game.Move // among which the person has to choose a number
	menus              []*menu     // open, the last one is in use
	help               bool
	clock              clock

	width, height int
	profile       colorprofile.Profile
	dark          bool
	palette       palette
	glyphs        *glyphs
	left, top     int // first column and row of the board that are seen

	showOpinions, showNumbers bool
	quitting                  bool
	interrupted               bool
	fault                     *fault
}

// newModel returns the model of a game that begins as the options say.
func newModel(o *Options, engines asker) *model {
	m := &model{
		opts: o, engines: engines, now: o.Now, stoppable: stoppable, strength: o.Strength, people: o.Human,
		width: 80, height: 24, profile: colorprofile.NoTTY, dark: true, glyphs: &discGlyphs, showOpinions: !o.Quiet,
	}
	if m.now == nil {
		m.now = time.Now
	}
	if o.ASCII {
		m.glyphs = &asciiGlyphs
	}
	m.palette = newPalette(m.profile, m.dark)
	m.begin(newHistory(o.Variant, o.Start, o.Moves))
	return m
}

// begin makes r the game that is played.
func (m *model) begin(r *history) {
	m.record = r
	m.games++
	m.clock = clock{}
	m.from, m.hint, m.choices, m.prompt = -1, -1, nil, ""
	m.opinions = [roles]*opinion{}
	size := r.variant.Size
	m.cursor = size/2*size + size/2
	if last := r.variant.Display(r.pos).Last; len(last) > 0 {
		m.cursor = last[0]
	}
	m.resume()
}

// Init implements [tea.Model].
func (m *model) Init() tea.Cmd { return tea.RequestBackgroundColor }

// Update implements [tea.Model].
func (m *model) Update(msg tea.Msg) (tea.Model, tea.Cmd) {
	var cmd tea.Cmd
	switch msg := msg.(type) {
	case tea.WindowSizeMsg:
		m.width, m.height = msg.Width, msg.Height
	case tea.ColorProfileMsg:
		m.profile = msg.Profile
		m.palette = newPalette(m.profile, m.dark)
	case tea.BackgroundColorMsg:
		m.dark = msg.IsDark()
		m.palette = newPalette(m.profile, m.dark)
	case tea.KeyPressMsg:
		cmd = m.key(msg)
	case tea.PasteMsg:
		m.paste(msg.Content)
	case tea.MouseClickMsg:
		m.click(msg)
	case tea.MouseWheelMsg:
		m.wheel(msg)
	case thought:
		m.hear(msg)
	case tick:
		m.clock.tick(m)
	case notice:
		m.tell("%s", string(msg))
	case fault:
		m.fault = &msg
		m.quitting = true
	}
	m.follow()
	if m.quitting {
		return m, tea.Quit
	}
	return m, cmd
}

// notice is a message: a line for the person.
type notice string

// tell shows a line.
func (m *model) tell(format string, args ...any) {
	m.message, m.alarm = strings.Join(strings.Fields(fmt.Sprintf(format, args...)), " "), false
}

// warn shows a line about what went wrong.
func (m *model) warn(format string, args ...any) {
	m.tell(format, args...)
	m.alarm = true
}

// over reports whether the game has ended.
func (m *model) over() bool { return m.record.outcome() != game.Undecided }

// mine reports whether a person is to move.
func (m *model) mine() bool { return !m.over() && m.people.has(m.record.pos.ToMove()) }

// person returns the side from which win rates are told.
func (m *model) person() game.Side {
	if m.people == Second {
		return game.Second
	}
	return game.First
}

// question returns what an engine is asked about the position.
func (m *model) question(s role) question {
	m.ids++
	m.asked[s] = m.ids
	q := question{id: m.ids, game: m.games, variant: m.record.variant, pos: m.record.pos.Clone()}
	if s == opponent {
		q.strength = m.strength
	}
	return q
}

// stopAndIgnore ends the search of a role; later answers to it are ignored.
func (m *model) stopAndIgnore(s role) {
	if m.asked[s] != 0 {
		m.asked[s] = 0
		m.engines.stop(s)
	}
}

// resume has the engines do what the position asks of them, whatever they did.
func (m *model) resume() {
	m.hinting, m.broken, m.thinking = false, false, nil
	for s := range roles {
		m.stopAndIgnore(s)
	}
	m.clock.change(m)
	switch {
	case m.over():
		m.announce()
	case !m.mine():
		m.since = m.now()
		m.engines.ask(opponent, m.question(opponent))
	default:
		m.observe()
		m.ponder()
	}
}

// ponder has the opponent think while a person does, if its strength allows that.
func (m *model) ponder() {
	if m.opts.NoPonder || m.people == Both || !m.strength.Ponders() || m.record.at == 0 {
		return
	}
	q := m.question(opponent)
	q.ponder = true
	m.engines.ask(opponent, q)
}

// hurry has the opponent move now, with what it knows.
func (m *model) hurry() {
	if m.over() || m.mine() && !m.hinting || m.broken {
		m.warn("The engine is not thinking.")
		return
	}
	m.engines.hurry(opponent)
}

// observe asks the observers for their opinion of the position.
func (m *model) observe() {
	for _, s := range []role{treeObserver, classicalObserver} {
		if !m.showOpinions || !m.mine() {
			m.stopAndIgnore(s)
			continue
		}
		m.opinions[s] = nil
		m.engines.ask(s, m.question(s))
	}
}

// hear takes in what an engine says.
func (m *model) hear(t thought) {
	if t.id != m.asked[t.role] || t.id == 0 {
		return // the question is no longer current
	}
	if t.done {
		m.asked[t.role] = 0
	}
	if t.role != opponent {
		m.opinions[t.role] = &opinion{answer: t.answer, err: t.err, done: t.done, at: m.record.at}
		if t.err == nil {
			m.record.rate(m.record.at, t.answer.RootValue)
		}
		return
	}
	switch {
	case t.err != nil:
		m.broken, m.hinting = true, false
		m.warn("The engine cannot answer: %v. Enter tries again, L takes another.", t.err)
	case !t.done:
		m.thinking = t.answer
	case m.hinting:
		m.hinting, m.thinking = false, nil
		m.showHint(t.answer.Move)
	default:
		m.answered(t.answer)
	}
}

// answered makes the opponent's move.
func (m *model) answered(a *engine.Answer) {
	m.record.rate(m.record.at, a.Value)
	name := m.record.variant.Notation().FormatMove(a.Move)
	took := m.make(a.Move)
	if !m.over() {
		m.tell("Engine plays %s%s (%s)", name, took, Remark(a))
	}
}

// make plays a legal move of either side and returns what it took, in words after
// the move's name.
func (m *model) make(move game.Move) (took string) {
	side, before := m.record.pos.ToMove(), m.record.variant.Display(m.record.pos).Captured
	m.record.play(move)
	if after := m.record.variant.Display(m.record.pos).Captured; after != nil && after[side] > before[side] {
		took = fmt.Sprintf(" and takes %d stones", after[side]-before[side])
	}
	m.from, m.hint, m.choices = -1, -1, nil
	m.tell("")
	if took != "" {
		m.tell("%s%s.", m.record.variant.Notation().FormatMove(move), strings.Replace(took, " and", "", 1))
	}
	m.resume()
	return took
}

// announce tells how the game has ended.
func (m *model) announce() {
	reason, winner := m.record.reason(), game.First
	if m.record.outcome() == game.SecondWins {
		winner = game.Second
	}
	cells := ""
	if win := m.record.variant.Display(m.record.pos).Win; len(win) > 0 {
		names := make([]string, len(win))
		for i, c := range win {
			names[i] = m.record.variant.Notation().FormatMove(game.Move(c))
		}
		cells = " " + strings.Join(names, " ")
	}
	switch {
	case m.record.outcome() == game.Draw:
		m.tell("A draw (%s).", reason)
	case m.people == Both:
		m.tell("The %v player wins (%s%s).", winner, reason, cells)
	case m.people.has(winner):
		m.tell("You win (%s%s).", reason, cells)
	default:
		m.tell("The engine wins (%s%s).", reason, cells)
	}
}

// observed are the engines of the roles that only give an opinion.
var observed = [roles]players.PlayerKind{treeObserver: players.MCTS, classicalObserver: players.AlphaBeta}
