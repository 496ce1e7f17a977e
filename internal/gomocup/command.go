package gomocup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// command is one line of input.
type command struct {
	verb string // first word, in capitals
	args string // the rest, without spaces around it
}

// parseCommand splits a line; any text is some command.
func parseCommand(line string) command {
	verb, args := cutWord(line)
	return command{verb: strings.ToUpper(verb), args: args}
}

// cutWord returns the first word of a text and the rest, without spaces around it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

// opensBlock reports whether lines of stones and DONE follow the command.
func (c command) opensBlock() bool {
	switch c.verb {
	case "BOARD", "YXBOARD", "SWAP2BOARD":
		return true
	}
	return c.soosorv()
}

// soosorv reports whether the command is one of a board that plays an opening
// under the rule of that name, with the stones so far in a block.
func (c command) soosorv() bool {
	switch c.verb {
	case "YXSOOSORVSTEP2", "YXSOOSORVSTEP3", "YXSOOSORVSTEP4", "YXSOOSORVSTEP5", "YXSOOSORVSTEP6":
		return true
	}
	return false
}

// yixin reports whether only a board of the Yixin family sends the command.
func (c command) yixin() bool { return strings.HasPrefix(c.verb, "YX") }

// harmless reports whether the position and what was learned of it are the same
// after the command, so that the engine may go on pondering.
func (c command) harmless() bool {
	switch c.verb {
	case "INFO", "ABOUT", "YXSHOWFORBID", "YXSHOWINFO":
		return true
	}
	return c.idle()
}

// idle reports whether the command is one of the Yixin family that asks nothing
// of this engine: about databases, blocked points, saved tables.
func (c command) idle() bool {
	for _, prefix := range []string{"YXBLOCK", "YXQUERYDATABASE", "YXDELETEDATABASE", "YXEDIT", "YXSETDATABASE", "YXSAVEDATABASE",
		"YXSETBESTMOVE", "YXCLEARBESTMOVE", "YXDB", "YXTXT", "YXLIB", "YXHASHDUMP", "YXHASHLOAD", "YXSHOWHASHUSAGE",
		"YXDRAW", "YXRESIGN", "YXFORBID", "YXPRINTFEATURE"} {
		if strings.HasPrefix(c.verb, prefix) {
			return true
		}
	}
	return false
}

// known reports whether the command is one that a session carries out. Inside a
// block of stones it means that the block was left without DONE.
func (c command) known() bool {
	switch c.verb {
	case "START", "RECTSTART", "RESTART", "BEGIN", "TURN", "TAKEBACK", "PLAY", "INFO", "ABOUT", "END",
		"YXSTOP", "YXSHOWFORBID", "YXHASHCLEAR", "YXNBEST", "YXSHOWINFO", "YXBALANCEONE", "YXBALANCETWO", "YXSEARCHDEFEND",
		"YXSWAP2STEP1", "YXSWAP2STEP2", "YXSWAP2STEP3", "YXSOOSORVSTEP1":
		return true
	}
	return c.opensBlock()
}

// longest excerpt of a client's text in a message, in bytes.
const longestExcerpt = 40

// excerpt returns text for a message: short, and printable ASCII only.
func excerpt(text string) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len() >= longestExcerpt {
			return b.String() + "..."
		}
		if r < ' ' || r > '~' {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}

// Boards of the Yixin family keep databases, block points, and save tables. This
// engine does none of that, but it reads all of each such command, which may go
// on over several lines, and answers where a board waits for it.

// ignored is an open block command whose lines this engine ignores.
type ignored struct {
	verb string
	path bool // one line with the name of a file follows, and no rows
}

// takesPath reports whether the name of a file follows the command, on its line
// or the next.
func (c command) takesPath() bool {
	switch c.verb {
	case "YXHASHDUMP", "YXHASHLOAD", "YXSETDATABASE", "YXDBTOPOS", "YXDBTOTXT", "YXDBTOTXTALL", "YXTXTTODB",
		"YXLIBTODB", "YXDBTOLIB", "YXDBSPLIT", "YXDBMERGE":
		return true
	}
	return false
}

// isRow reports whether a line may be one of a block: numbers, with commas.
func isRow(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789,- \t") == ""
}

// ignore begins a command of the Yixin family that is not carried out.
func (s *session) ignore(c command) {
	if !c.idle() {
		s.out.printf("UNKNOWN command %s", excerpt(c.verb))
	}
	switch c.verb {
	case "YXSHOWHASHUSAGE":
		s.out.printf("MESSAGE the use of the table is not measured")
	case "YXHASHDUMP", "YXHASHLOAD":
		s.out.printf("MESSAGE tables are neither saved nor loaded")
	case "YXBLOCK", "YXBLOCKPATH":
		s.out.printf("MESSAGE no points are blocked: this engine always searches them all")
	}
	switch {
	case c.takesPath() && c.args != "":
	case strings.HasSuffix(strings.ToUpper(c.args), "DONE"):
		s.endIgnored(c.verb)
	default:
		s.ignored = &ignored{verb: c.verb, path: c.takesPath()}
	}
}

// continueIgnored takes a line while a command is ignored, and reports whether
// it belonged to that.
func (s *session) continueIgnored(c command, l line) bool {
	i := s.ignored
	switch {
	case c.known():
		s.ignored = nil
		return false
	case i.path:
		s.ignored = nil
		return true
	case c.verb == "DONE":
		s.ignored = nil
		s.endIgnored(i.verb)
		return true
	case isRow(l.text):
		return true
	}
	s.ignored = nil
	return false
}

// endIgnored answers a query of the database, which is empty.
func (s *session) endIgnored(verb string) {
	switch verb {
	case "YXQUERYDATABASEALL", "YXQUERYDATABASEALLT":
		s.out.printf("MESSAGE DATABASE REFRESH")
		s.out.printf("MESSAGE DATABASE DONE")
	case "YXQUERYDATABASEONE":
		s.out.printf("MESSAGE DATABASE ONE 0 0 0")
	}
	if verb == "YXQUERYDATABASETEXT" || verb == "YXQUERYDATABASEALLT" {
		s.out.printf(`MESSAGE DATABASE TEXT ""`)
	}
}

// command carries out a command outside of a block. After an error the session
// is as it was before.
func (s *session) command(c command, l line) (*job, error) {
	switch c.verb {
	case "START":
		return nil, s.start(c.args)
	case "RECTSTART":
		return nil, s.rectStart(c.args)
	case "RESTART":
		return nil, s.restart()
	case "INFO":
		s.info(c.args)
	case "ABOUT":
		s.out.printf("%s", s.opts.about())
	case "BEGIN":
		return s.begin(l)
	case "TURN":
		return s.turn(c.args, l)
	case "PLAY":
		return nil, s.play(c.args)
	case "TAKEBACK":
		return nil, s.takeBack(c.args)
	case "BOARD", "YXBOARD", "SWAP2BOARD", "YXSOOSORVSTEP2", "YXSOOSORVSTEP3", "YXSOOSORVSTEP4", "YXSOOSORVSTEP5", "YXSOOSORVSTEP6":
		return s.openBlock(c, l)
	case "DONE":
		return nil, fmt.Errorf("DONE without BOARD")
	case "YXNBEST":
		return s.nBest(c.args, l)
	case "YXBALANCEONE", "YXBALANCETWO":
		return s.balance(c.verb == "YXBALANCETWO", l)
	case "YXSHOWFORBID":
		return nil, s.showForbidden()
	case "YXHASHCLEAR":
		if s.engine != nil {
			s.engine.Forget()
		}
	case "YXSHOWINFO":
		s.out.printf("MESSAGE INFO MAX_THREAD_NUM %d", s.opts.Threads)
		s.out.printf("MESSAGE INFO MAX_HASH_SIZE %d", s.mostHash())
	case "YXSEARCHDEFEND":
		return s.nBest(strconv.Itoa(mostRows), l)
	case "YXSWAP2STEP1", "YXSWAP2STEP2", "YXSWAP2STEP3":
		return s.swap2Step(c.verb, l)
	case "YXSOOSORVSTEP1":
		return s.soosorvStart(l)
	case "YXSTOP": // no search is running
	default:
		s.unknown(c)
	}
	return nil, nil
}

// unknown answers a command that is not carried out. Boards of the Yixin family
// have many, which an engine may leave alone.
func (s *session) unknown(c command) {
	if c.yixin() {
		s.ignore(c)
		return
	}
	s.out.printf("UNKNOWN command %s", excerpt(c.verb))
}

func (s *session) start(args string) error {
	sizes := strings.Fields(args) // boards of the Yixin family send width and height
	if len(sizes) == 1 {
		sizes = append(sizes, sizes[0])
	}
	if len(sizes) != 2 {
		return fmt.Errorf("START %q: want the width of the board, as in START 15", excerpt(args))
	}
	width, err := strconv.Atoi(sizes[0])
	height, err2 := strconv.Atoi(sizes[1])
	switch {
	case err != nil || err2 != nil:
		return fmt.Errorf("START %q: want the width of the board, as in START 15", excerpt(args))
	case width != height:
		return fmt.Errorf("START %d %d: only square boards are supported", width, height)
	}
	return s.reset(width)
}

func (s *session) rectStart(args string) error {
	n, err := numbers(args, "width,height")
	if err != nil {
		return fmt.Errorf("RECTSTART %w", err)
	}
	if n[0] != n[1] {
		return fmt.Errorf("RECTSTART %d,%d: only square boards are supported", n[0], n[1])
	}
	return s.reset(n[0])
}

func (s *session) restart() error {
	if s.record.size == 0 {
		return errNoGame
	}
	return s.reset(s.record.size)
}

// reset begins a new game, if the engine can play it by the rules that were
// named so far. It answers when the engine is ready.
func (s *session) reset(size int) error {
	if size < gomoku.MinSize || size > gomoku.MaxSize {
		return fmt.Errorf("unsupported size %d; boards are %d to %d wide", size, gomoku.MinSize, gomoku.MaxSize)
	}
	s.stale = true
	rules, err := s.rules()
	if err != nil {
		return err
	}
	if err := s.configure(s.wanted(rules.Name, size)); err != nil {
		return err
	}
	s.record = record{size: size}
	s.settings.restart()
	s.stale = false
	s.engine.Forget()
	s.out.printf("OK")
	return nil
}

// info takes a setting. INFO has no answer, so an error in it is sent as a
// message, which may come at any time.
func (s *session) info(args string) {
	if err := s.settings.set(cutWord(args)); err != nil {
		s.out.printf("MESSAGE ignored: %v", err)
	}
	s.stale = true
}

func (s *session) begin(l line) (*job, error) {
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	if len(s.record.stones) > 0 {
		return nil, fmt.Errorf("BEGIN on a board with stones; send RESTART before it, or BOARD in its place")
	}
	return s.think(rules, record{size: s.record.size}, l, 1)
}

func (s *session) turn(args string, l line) (*job, error) {
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	cell, err := ParseCell(s.record.size, args)
	if err != nil {
		return nil, fmt.Errorf("TURN %w", err)
	}
	next := s.record
	if len(next.stones) == 0 {
		next.own = game.Second
	}
	if next, err = next.play(rules, cell, false); err != nil {
		return nil, err
	}
	return s.think(rules, next, l, 1)
}

// play makes the move for the engine that the client chose.
func (s *session) play(args string) error {
	rules, err := s.ready()
	if err != nil {
		return err
	}
	cell, err := ParseCell(s.record.size, args)
	if err != nil {
		return fmt.Errorf("PLAY %w", err)
	}
	next := s.record
	if len(next.stones) == 0 {
		next.own = game.First
	}
	if next, err = next.play(rules, cell, true); err != nil {
		return err
	}
	s.record = next
	s.out.printf("%s", FormatCell(next.size, cell))
	return nil
}

func (s *session) takeBack(args string) error {
	if s.record.size == 0 {
		return errNoGame
	}
	cell, err := ParseCell(s.record.size, args)
	if err != nil {
		return fmt.Errorf("TAKEBACK %w", err)
	}
	next, err := s.record.without(cell)
	if err != nil {
		return err
	}
	s.record = next
	s.out.printf("OK")
	return nil
}

// nBest thinks about the current position and shows the best n moves.
func (s *session) nBest(args string, l line) (*job, error) {
	rules, err := s.ready()
	if err != nil {
		return nil, err
	}
	n, err := strconv.Atoi(args)
	if err != nil || n < 1 {
		return nil, fmt.Errorf("YXNBEST %q: want how many moves to show, as in YXNBEST 3", excerpt(args))
	}
	return s.think(rules, s.record, l, n)
}

// showForbidden lists the points that Black may not play.
func (s *session) showForbidden() error {
	rules, err := s.ready()
	if err != nil {
		return err
	}
	b, err := s.record.board(rules, game.First)
	if err != nil {
		return err
	}
	var text strings.Builder
	text.WriteString("FORBID ")
	for y := range s.record.size {
		for x := range s.record.size {
			cell, _ := Cell(s.record.size, x, y)
			if b.At(int(cell)) == gomoku.Empty && !b.AllowedFor(game.First, int(cell)) {
				fmt.Fprintf(&text, "%02d%02d", x, y)
			}
		}
	}
	text.WriteByte('.')
	s.out.printf("%s", text.String())
	return nil
}
