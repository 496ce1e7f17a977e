package terminal

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	tea "charm.land/bubbletea/v2"
	"pgregory.net/rapid"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
)

// listener is a desk that only takes note of what it is asked.
type listener struct {
	open    [roles]*question // asked and not stopped
	asked   [roles]int
	stopped [roles]int
	hurried int
}

func (l *listener) ask(s role, q question) { l.open[s] = &q; l.asked[s]++ }
func (l *listener) stop(s role)            { l.open[s] = nil; l.stopped[s]++ }
func (l *listener) hurry(role)             { l.hurried++ }

// session is a model whose questions a test answers.
type session struct {
	*model
	desk listener
	t    rapid.TB
}

// variantOf returns the variant of a rule set and size; size 0: of Onitama.
func variantOf(t rapid.TB, rule string, size int) games.Variant {
	t.Helper()
	o := games.VariantOptions{Rule: rule, Size: size}
	if size == 0 {
		o = games.VariantOptions{Game: rule}
	}
	v, err := games.NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// easy is the weakest strength, which plays alike on every machine.
func easy() Strength { return Strength{Engine: players.AlphaBeta, Level: search.LevelNames()[1]} }

// newSession returns a session of a game in which some moves were played.
func newSession(t rapid.TB, v games.Variant, human Sides, position string) *session {
	t.Helper()
	start, moves, err := v.ParseGame(position)
	if err != nil {
		t.Fatal(err)
	}
	s := &session{t: t}
	stopped := time.Unix(0, 0)
	s.model = newModel(&Options{
		Variant: v, Start: start, Moves: moves, Human: human, Strength: easy(), Folder: "", Program: "carozero:test",
		Now: func() time.Time { return stopped },
	}, &s.desk)
	return s
}

// press sends keys by their names: "enter", "ctrl+c", "H", or text in quotes
// that is typed letter by letter.
func (s *session) press(names ...string) tea.Cmd {
	var cmd tea.Cmd
	for _, name := range names {
		if text, ok := strings.CutPrefix(name, "'"); ok {
			for _, c := range text {
				_, cmd = s.Update(tea.KeyPressMsg{Code: c, Text: string(c)})
			}
			continue
		}
		_, cmd = s.Update(keyOf(name))
	}
	return cmd
}

// keyOf returns the message of a key.
func keyOf(name string) tea.KeyPressMsg {
	codes := map[string]rune{
		"enter": tea.KeyEnter, "esc": tea.KeyEscape, "backspace": tea.KeyBackspace, "tab": tea.KeyTab, "up": tea.KeyUp,
		"down": tea.KeyDown, "left": tea.KeyLeft, "right": tea.KeyRight, "home": tea.KeyHome, "end": tea.KeyEnd,
		"pgup": tea.KeyPgUp, "pgdown": tea.KeyPgDown, "f1": tea.KeyF1, "f10": tea.KeyF10,
	}
	var mod tea.KeyMod
	if rest, ok := strings.CutPrefix(name, "ctrl+"); ok {
		name, mod = rest, tea.ModCtrl
	}
	if code, ok := codes[name]; ok {
		return tea.KeyPressMsg{Code: code, Mod: mod}
	}
	if name == "space" {
		return tea.KeyPressMsg{Code: ' ', Text: " "}
	}
	code := []rune(name)[0]
	if mod != 0 {
		return tea.KeyPressMsg{Code: code, Mod: mod}
	}
	return tea.KeyPressMsg{Code: code, Text: name}
}

// reply answers what the opponent is asked by a move.
func (s *session) reply(move string) {
	s.t.Helper()
	q := s.desk.open[opponent]
	if q == nil {
		s.t.Fatal("the opponent is not asked anything")
	}
	moves, err := q.variant.Notation().ParseMoves(move)
	if err != nil {
		s.t.Fatal(err)
	}
	s.desk.open[opponent] = nil
	s.Update(thought{role: opponent, id: q.id, done: true, answer: &engine.Answer{Move: moves[0]}})
}

// The opponent ponders where time alone bounds its moves, which is asked for anew after every
// turn of a person, and not where that is switched off.
func TestPondering(t *testing.T) {
	v := variantOf(t, "caro", 9)
	timed := Strength{Engine: players.MCTS, Time: time.Second}
	for _, c := range []struct {
		name     string
		strength Strength
		off      bool
		want     bool
	}{
		{"time", timed, false, true},
		{"switched off", timed, true, false},
		{"a level", easy(), false, false},
		{"playouts", Strength{Engine: players.MCTS, Nodes: 10}, false, false},
		{"time and playouts", Strength{Engine: players.MCTS, Nodes: 10, Time: time.Second}, false, false},
		{"time and depth", Strength{Engine: players.AlphaBeta, Depth: 4, Time: time.Second}, false, false},
	} {
		s := newSession(t, v, First, "")
		s.strength, s.opts.NoPonder = c.strength, c.off
		s.press("'e5", "enter")
		s.reply("e6")
		q := s.desk.open[opponent]
		if got := q != nil && q.ponder; got != c.want || q != nil && q.pos.Ply() != 2 {
			t.Errorf("%s: the opponent is asked %+v", c.name, q)
		}
		if s.mine(); s.moves() != "e5e6" {
			t.Errorf("%s: %s was played", c.name, s.moves())
		}
		s.press("'d5", "enter")
		if q = s.desk.open[opponent]; q == nil || q.ponder {
			t.Errorf("%s: at its turn the opponent is asked %+v", c.name, q)
		}
	}
	s := newSession(t, v, First, "e5e6")
	s.strength = timed
	s.press("H")
	s.reply("d5")
	if q := s.desk.open[opponent]; q == nil || !q.ponder {
		t.Errorf("after a hint the opponent is asked %+v", q)
	}
}

// An engine that thinks can be told to move, and says how far it is.
func TestMoveNow(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 9), First, "")
	if s.press("E"); s.desk.hurried != 0 || !strings.Contains(s.message, "not thinking") {
		t.Errorf("hurried %d times at a person's turn, %q", s.desk.hurried, s.message)
	}
	s.press("'e5", "enter", "E")
	if s.desk.hurried != 1 {
		t.Errorf("hurried %d times", s.desk.hurried)
	}
	level, err := search.ParseLevel(easy().Level)
	if err != nil {
		t.Fatal(err)
	}
	a := &engine.Answer{}
	a.Stats.Nodes = level.Nodes / 4
	s.Update(thought{role: opponent, id: s.asked[opponent], answer: a})
	if got := s.progress(); got != " 25%" {
		t.Errorf("progress%q after a quarter of the nodes", got)
	}
	s.strength = Strength{Engine: players.MCTS, Time: 4 * time.Second}
	s.since = s.now().Add(-time.Second)
	if got := s.progress(); got != " 25%" {
		t.Errorf("progress%q after a quarter of the time", got)
	}
}

// moves returns the text of the moves that count.
func (s *session) moves() string {
	return s.record.variant.Notation().FormatMoves(s.record.played())
}

// text returns the screen without colours.
func (s *session) text() string {
	lines, _, _ := s.screen()
	var b strings.Builder
	for _, line := range lines {
		b.WriteString(strings.TrimRight(string(line.letters), " ") + "\n")
	}
	return b.String()
}

// A whole game against the level easy, played as its own hints have it, ends by
// the rules, and the screen says how.
func TestAWholeGame(t *testing.T) {
	for _, c := range []struct {
		rule string
		size int
	}{{"caro", 9}, {"school42", 8}, {"onitama", 0}} {
		v := variantOf(t, c.rule, c.size)
		level, err := search.ParseLevel(easy().Level)
		if err != nil {
			t.Fatal(err)
		}
		e, err := search.NewClassical(v, search.ClassicalOptions{Search: alphabeta.Options{Threads: 1, TableMiB: 1}, Level: level})
		if err != nil {
			t.Fatal(err)
		}
		s := newSession(t, v, Second, "")
		for n := 0; !s.over() && n < 400; n++ {
			if s.mine() {
				s.press("H")
			}
			q := s.desk.open[opponent]
			a, err := e.Think(context.Background(), q.pos, engine.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			mine := s.mine()
			s.desk.open[opponent] = nil
			s.Update(thought{role: opponent, id: q.id, done: true, answer: a})
			if mine {
				name := v.Notation().FormatMove(a.Move)
				if s.message != "The engine would play "+name+"." {
					t.Fatalf("a hint is told as %q", s.message)
				}
				s.press("'"+name, "enter")
			}
		}
		pos := replay(t, v, s.record.start, s.record.played())
		if !s.over() || pos.Outcome() != s.record.outcome() || !strings.Contains(s.message, string(pos.Reason())) {
			t.Errorf("%v: ends with %q after %s", v, s.message, s.moves())
		}
		if s.desk.open != [roles]*question{} {
			t.Errorf("%v: engines are asked after the end", v)
		}
	}
}

// replay plays moves by the rules alone.
func replay(t rapid.TB, v games.Variant, start game.Position, moves []game.Move) game.Position {
	t.Helper()
	pos := start.Clone()
	for i, m := range moves {
		if !pos.Legal(m) {
			t.Fatalf("move %d, %s, is illegal", i+1, v.Notation().FormatMove(m))
		}
		pos.Play(m)
	}
	return pos
}

// Undo in the middle of the engine's thinking stops it at once, and what it says
// afterwards is not heard.
func TestUndoWhileTheEngineThinks(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 15), First, "")
	s.press("'h8", "enter")
	late := s.desk.open[opponent]
	if late == nil || s.mine() {
		t.Fatal("the engine is not asked for a move")
	}
	s.press("'i8", "enter")
	if s.moves() != "h8" || !s.alarm {
		t.Errorf("a move while the engine thinks: %s, %q", s.moves(), s.message)
	}
	s.press("U")
	if s.moves() != "" || s.desk.open[opponent] != nil || s.desk.open[treeObserver] == nil {
		t.Errorf("after undo %q, asked %v", s.moves(), s.desk.open)
	}
	s.Update(thought{role: opponent, id: late.id, done: true, answer: &engine.Answer{Move: 3}})
	if s.moves() != "" || !s.mine() {
		t.Errorf("a late answer is played: %s", s.moves())
	}
	s.press("R")
	if s.moves() != "h8" || s.mine() {
		t.Errorf("redo gives %q", s.moves())
	}
	s.reply("i9")
	s.press("'j8", "enter")
	s.reply("k8")
	s.press("U", "U")
	if s.moves() != "" {
		t.Errorf("two undos leave %q", s.moves())
	}
	s.press("U")
	if s.message != "There is no move of yours to take back." {
		t.Errorf("undo at the start: %q", s.message)
	}
	s.press("R", "R")
	if s.moves() != "h8i9j8k8" {
		t.Errorf("two redos give %q", s.moves())
	}
	s.press("U", "'a1", "enter")
	s.reply("b1")
	if s.press("R"); s.moves() != "h8i9a1b1" || !s.alarm {
		t.Errorf("redo after another move gives %q", s.moves())
	}
}

// A move that cannot be played is refused with the reason, and changes nothing.
func TestRefusals(t *testing.T) {
	for _, c := range []struct {
		rule     string
		size     int
		position string
		keys     []string
		want     string
	}{
		{"caro", 15, "h8h9", []string{"'h8", "enter"}, "h8 is taken."},
		{"caro", 15, "h8h9", []string{"'p1", "enter"}, "column a-o"},
		{"caro", 15, "", []string{"'h8h9", "enter"}, "One move at a time, please."},
		{"renju", 15, "h8a1i9a3j8a5i7a7", []string{"'i8", "enter"}, "i8 is forbidden: double-three."},
		{"caro", 15, "h8h9", []string{"enter"}, "h9 is taken."},
		{"caro", 5, "c3", []string{"'a1", "enter"}, "The engine is thinking"},
		{"freestyle", 9, "a1a9b1b9c1c9d1d9e1", []string{"'e9", "enter"}, "The game is over"},
		{"onitama", 0, "", []string{"enter"}, "choose one of yours first"},
		{"onitama", 0, "", []string{"up", "up", "enter"}, "not yours"},
		{"onitama", 0, "", []string{"down", "down", "enter", "up", "up", "enter"}, "cannot go there"},
		{"onitama", 0, "", []string{"'tiger a5a4", "enter"}, "not a legal move"},
		{"onitama", 0, "", []string{"'crane", "enter"}, "ends after the card"},
	} {
		s := newSession(t, variantOf(t, c.rule, c.size), First, c.position)
		before := s.moves()
		s.press(c.keys...)
		if !strings.Contains(s.message, c.want) || s.moves() != before || !s.alarm {
			t.Errorf("%s %q %v: says %q, played %q, want %q", c.rule, c.position, c.keys, s.message, s.moves(), c.want)
		}
	}
}

// A piece is moved in two steps, and where two cards allow it, by a number.
func TestPiecesAndCards(t *testing.T) {
	v := variantOf(t, "onitama", 0)
	s := newSession(t, v, First, "Crab,Ox/Tiger,Boar/Dragon")
	s.press("down", "down", "enter", "up", "enter")
	if s.moves() != "" || len(s.choices) != 2 || !strings.Contains(s.message, "1 Crab, 2 Ox") {
		t.Fatalf("says %q, played %q", s.message, s.moves())
	}
	s.press("esc")
	if s.choices != nil {
		t.Fatal("Esc does not leave the choice")
	}
	s.press("enter", "2")
	if s.moves() != "ox c1c2" {
		t.Errorf("played %q", s.moves())
	}
}

// The strength changes in the middle of a game; sides are changed; a game is
// given up and taken back.
func TestLevelSidesAndResignation(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 15), First, "h8i9")
	s.press("L", "down", "enter")
	if s.strength.Level != "medium" || s.moves() != "h8i9" {
		t.Errorf("strength %v after %q", s.strength, s.moves())
	}
	s.press("'j8", "enter")
	if q := s.desk.open[opponent]; q == nil || q.strength != s.strength {
		t.Error("the opponent is not asked at the new strength")
	}
	s.reply("k8")
	s.press("S")
	if s.people != Second || s.desk.open[opponent] == nil {
		t.Error("after changing sides the engine does not move")
	}
	s.reply("a1")
	s.press("G", "enter")
	if s.over() {
		t.Error("resigned without being sure")
	}
	s.press("G", "down", "enter")
	if s.record.outcome() != game.FirstWins || s.record.reason() != game.Resigned || !strings.Contains(s.message, "engine wins") {
		t.Errorf("%v by %q: %q", s.record.outcome(), s.record.reason(), s.message)
	}
	s.press("S") // who has resigned stays who has resigned
	if s.people != Second || !s.alarm || !strings.Contains(s.message, "over") {
		t.Errorf("after the end the sides are changed: %v, %q", s.people, s.message)
	}
	s.press("U")
	if s.over() || s.moves() != "h8i9j8k8a1" {
		t.Errorf("after taking a resignation back: over %v, %q", s.over(), s.moves())
	}
}

// The form of a new game sets up every game with every strength and side.
func TestANewGame(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 15), First, "h8i9")
	s.press("N", "right", "down", "left", "left", "down", "right", "down", "right", "down", "right", "down", "enter")
	if got := s.record.variant.String(); got != "caro-overline 13x13 with the opening rule" {
		t.Errorf("plays %s", got)
	}
	if s.people != Second || s.strength.Level != "medium" || s.desk.open[opponent] == nil || s.moves() != "" {
		t.Errorf("plays %v against %v after %q", s.people, s.strength, s.moves())
	}
	s.press("esc", "'new", "esc", "'new", "enter", "left", "left", "left", "left", "left", "enter") // from the fourth rule set back to Onitama
	if got := s.record.variant.String(); got != "onitama" {
		t.Errorf("plays %s", got)
	}
}

// Observers are asked only while a person thinks and their opinion is shown.
func TestObserversAreSilentWhileTheOpponentThinks(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 15), First, "")
	silent := func() bool {
		return s.desk.open[treeObserver] == nil && s.desk.open[classicalObserver] == nil
	}
	if silent() {
		t.Fatal("nobody is asked for an opinion")
	}
	s.press("'h8", "enter")
	if !silent() {
		t.Error("observers think while the opponent does")
	}
	s.reply("i9")
	s.press("H")
	if !silent() {
		t.Error("observers think while the opponent looks for a hint")
	}
	s.press("esc")
	if silent() || s.hinting {
		t.Error("Esc does not end the hint")
	}
	s.press("tab")
	if !silent() {
		t.Error("observers think while their opinion is hidden")
	}
	s.press("'h7", "enter")
	s.reply("a1")
	if !silent() {
		t.Error("observers were asked again while their opinion is hidden")
	}
	s.press("O")
	if silent() {
		t.Error("observers are not asked again")
	}
}

// The failure of an engine is shown; it is tried again, and replaced.
func TestAnEngineThatFails(t *testing.T) {
	s := newSession(t, variantOf(t, "caro", 15), First, "h8")
	s.Update(thought{role: opponent, id: s.desk.open[opponent].id, done: true, err: fmt.Errorf("no library\nat all")})
	if !s.broken || !strings.Contains(s.message, "no library at all") {
		t.Errorf("says %q", s.message)
	}
	asked := s.desk.asked[opponent]
	s.press("enter")
	if s.broken || s.desk.asked[opponent] != asked+1 {
		t.Error("Enter does not try again")
	}
}

// Words and keys leave, and leaving says whether it was Ctrl-C.
func TestLeaving(t *testing.T) {
	for _, c := range []struct {
		keys        []string
		quits, hard bool
	}{
		{[]string{"Q"}, true, false}, {[]string{"'quit", "enter"}, true, false}, {[]string{"'exit", "enter"}, true, false},
		{[]string{"'q", "enter"}, true, false}, {[]string{"ctrl+d"}, true, false}, {[]string{"'h", "ctrl+d"}, false, false},
		{[]string{"ctrl+c"}, true, true}, {[]string{"?", "ctrl+c"}, true, true}, {[]string{"esc", "Q"}, true, false},
		{[]string{"?", "Q"}, false, false}, {[]string{"'q"}, false, false},
	} {
		s := newSession(t, variantOf(t, "caro", 15), First, "")
		cmd := s.press(c.keys...)
		if s.quitting != c.quits || s.interrupted != c.hard || c.quits && cmd == nil {
			t.Errorf("%v: quitting %v, interrupted %v", c.keys, s.quitting, s.interrupted)
		}
	}
}

// A click plays where it points, however the board is drawn.
func TestClicks(t *testing.T) {
	for _, size := range [][2]int{{80, 24}, {120, 40}, {40, 12}} {
		for _, keys := range [][]string{nil, {"M"}, {"pgdown", "pgdown", "end"}} {
			s := newSession(t, variantOf(t, "caro", 15), Both, "")
			s.Update(tea.WindowSizeMsg{Width: size[0], Height: size[1]})
			s.press(keys...)
			l := s.layout()
			square := (14-l.board.top)*15 + l.board.left + 3 // the fourth cell of the first row that is seen
			x, y, seen := l.board.place(square)
			if !seen {
				t.Fatalf("%v: square %d is not seen", size, square)
			}
			s.Update(tea.MouseClickMsg{X: l.boardX + x, Y: l.boardY + y, Button: tea.MouseLeft})
			if got := s.record.played(); len(got) != 1 || int(got[0]) != square {
				t.Errorf("%v %v: a click on %d plays %v", size, keys, square, got)
			}
			s.Update(tea.MouseClickMsg{X: size[0] - 1, Y: size[1] - 1, Button: tea.MouseLeft})
			if len(s.record.played()) != 1 {
				t.Errorf("%v: a click beside the board plays", size)
			}
		}
	}
}

// Of a pasted text the first line is typed, whatever ends its lines.
func TestPaste(t *testing.T) {
	for text, want := range map[string]string{
		"h8": "h8", " h8\n": "h8", "h8\ni9": "h8", "h8\ri9\r": "h8", "\r\nh8\r\ni9": "h8", "write a b.sgf": "write a b.sgf", "h\x1b8\x00": "h8",
		strings.Repeat("a", 300): strings.Repeat("a", longestPrompt), "\r": "",
	} {
		s := newSession(t, variantOf(t, "caro", 15), First, "")
		s.Update(tea.PasteMsg{Content: text})
		if s.prompt != want {
			t.Errorf("%q is typed as %q, want %q", text, s.prompt, want)
		}
	}
}

// Ctrl-Z suspends the program where something would continue it, and elsewhere says that it does not.
func TestSuspend(t *testing.T) {
	for _, stoppable := range []bool{true, false} {
		s := newSession(t, variantOf(t, "caro", 15), First, "")
		s.stoppable = func() bool { return stoppable }
		cmd := s.press("ctrl+z")
		suspended := false
		if cmd != nil {
			_, suspended = cmd().(tea.SuspendMsg)
		}
		if suspended != stoppable || s.alarm == stoppable {
			t.Errorf("stoppable %t: suspended %t, %q", stoppable, suspended, s.message)
		}
	}
}
