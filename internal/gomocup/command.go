package gomocup

import (
	"errors"
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// spec says how a command is carried out.
type spec struct {
	run    func(*session, *request) (*job, error)
	game   bool   // it needs a game by rules that are supported
	begins bool   // it starts afresh, and may break off a block
	calm   bool   // the position, and what was learned of it, stay: pondering may go on
	block  string // form of the lines that follow up to DONE; "": none do
}

// commands returns the commands of a session.
func commands() map[string]spec {
	return map[string]spec{
		"START":     {run: (*session).start, begins: true},
		"RECTSTART": {run: (*session).rectStart, begins: true},
		"RESTART":   {run: (*session).restart, begins: true, game: true},
		"BEGIN":     {run: (*session).begin, game: true},
		"TURN":      {run: (*session).turn, game: true},
		"PLAY":      {run: (*session).play, game: true},
		"TAKEBACK":  {run: (*session).takeBack, game: true},
		"BOARD":     {run: (*session).board, game: true, block: "x,y,field"},
		"INFO":      {run: (*session).info, calm: true},
		"ABOUT":     {run: (*session).about, calm: true},

		"SWAP2BOARD":     {run: (*session).swap2, game: true, block: "x,y"},
		"YXBOARD":        {run: (*session).board, game: true, block: "x,y,field"},
		"YXNBEST":        {run: (*session).nBest, game: true},
		"YXSEARCHDEFEND": {run: (*session).nBest, game: true},
		"YXSHOWFORBID":   {run: (*session).showForbidden, game: true, calm: true},
		"YXSHOWINFO":     {run: (*session).showLimits, calm: true},
		"YXHASHCLEAR":    {run: (*session).forget},
		"YXSTOP":         {run: func(*session, *request) (*job, error) { return nil, nil }}, // no search is running

		"YXSWAP2STEP1": {run: (*session).swap2Start, game: true},
		"YXSWAP2STEP2": {run: swap2Step(3, "SWAP2 SWAP1"), game: true},
		"YXSWAP2STEP3": {run: swap2Step(5, "SWAP2 SWAP2"), game: true},
	}
}

// idle reports whether the command is one of the Yixin family that asks nothing
// of this engine: about databases, blocked points, saved tables.
func idle(c command) bool {
	for _, prefix := range []string{
		"YXBLOCK", "YXQUERYDATABASE", "YXDELETEDATABASE", "YXEDIT", "YXSETDATABASE", "YXSAVEDATABASE", "YXSETBESTMOVE",
		"YXCLEARBESTMOVE", "YXDB", "YXTXT", "YXLIB", "YXHASHDUMP", "YXHASHLOAD", "YXSHOWHASHUSAGE", "YXDRAW", "YXRESIGN",
		"YXFORBID", "YXPRINTFEATURE",
	} {
		if strings.HasPrefix(c.verb, prefix) {
			return true
		}
	}
	return false
}

// notes are what a board is told of commands that are not carried out.
var notes = map[string]string{
	"YXSHOWHASHUSAGE": "the use of the table is not measured",
	"YXHASHDUMP":      "tables are neither saved nor loaded",
	"YXHASHLOAD":      "tables are neither saved nor loaded",
	"YXBLOCK":         "no points are blocked: this engine always searches them all",
	"YXBLOCKPATH":     "no points are blocked: this engine always searches them all",
}

// unknown answers a command that is not carried out. Boards of the Yixin family have many,
// which may go on over several lines: the name of a file, or points up to DONE.
func (s *session) unknown(c command) {
	if !idle(c) {
		s.out.printf("UNKNOWN command %s", excerpt(c.verb))
	}
	if !c.yixin() {
		return
	}
	if note, ok := notes[c.verb]; ok {
		s.out.printf("MESSAGE %s", note)
	}
	if s.ignored = c.verb; strings.HasSuffix(strings.ToUpper(c.args), "DONE") {
		s.endIgnored()
	}
}

// ignore reports whether a line belongs to a command that is ignored.
func (s *session) ignore(c command) bool {
	if _, known := s.commands[c.verb]; known || c.yixin() {
		s.ignored = ""
	}
	switch {
	case s.ignored == "":
		return false
	case c.verb == "DONE":
		s.endIgnored()
	}
	return true
}

// endIgnored answers a query of the database, which is empty.
func (s *session) endIgnored() {
	switch s.ignored {
	case "YXQUERYDATABASEALL", "YXQUERYDATABASEALLT":
		s.out.printf("MESSAGE DATABASE REFRESH")
		s.out.printf("MESSAGE DATABASE DONE")
	case "YXQUERYDATABASEONE":
		s.out.printf("MESSAGE DATABASE ONE 0 0 0")
	}
	if s.ignored == "YXQUERYDATABASETEXT" || s.ignored == "YXQUERYDATABASEALLT" {
		s.out.printf(`MESSAGE DATABASE TEXT ""`)
	}
	s.ignored = ""
}

func (s *session) start(r *request) (*job, error) {
	sizes := strings.Fields(r.args) // boards of the Yixin family send width and height
	if len(sizes) == 1 {
		sizes = append(sizes, sizes[0])
	}
	n, err := numbers(strings.Join(sizes, ","), "width,height")
	if err != nil {
		return nil, fmt.Errorf("START %q: want the width of the board, as in START 15", excerpt(r.args))
	}
	if n[0] != n[1] {
		return nil, fmt.Errorf("START %d %d: only square boards are supported", n[0], n[1])
	}
	return nil, s.reset(n[0])
}

func (s *session) rectStart(r *request) (*job, error) {
	n, err := numbers(r.args, "width,height")
	if err != nil {
		return nil, fmt.Errorf("RECTSTART %w", err)
	}
	if n[0] != n[1] {
		return nil, fmt.Errorf("RECTSTART %d,%d: only square boards are supported", n[0], n[1])
	}
	return nil, s.reset(n[0])
}

func (s *session) restart(*request) (*job, error) { return nil, s.reset(s.record.size) }

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
	if err := s.configure(rules.Name, size, false); err != nil {
		return err
	}
	s.record = record{size: size}
	s.settings.left = s.settings.match
	s.stale = false
	s.engine.Forget()
	s.out.printf("OK")
	return nil
}

// info takes a setting. INFO has no answer, so an error in it is sent as a
// message, which may come at any time.
func (s *session) info(r *request) (*job, error) {
	if err := s.settings.set(cutWord(r.args)); err != nil {
		s.out.printf("MESSAGE ignored: %v", err)
	}
	s.stale = true
	return nil, nil
}

func (s *session) about(*request) (*job, error) {
	o := &s.opts
	s.out.printf("name=%q, version=%q, author=%q, country=%q", o.Name, o.Version, "the "+o.Name+" authors", "none")
	return nil, nil
}

func (s *session) begin(r *request) (*job, error) {
	if len(s.record.stones) > 0 {
		return nil, errors.New("BEGIN on a board with stones; send RESTART before it, or BOARD in its place")
	}
	return s.think(r, record{size: s.record.size}, 1)
}

// cell reads the cell behind a command.
func (s *session) cell(r *request) (game.Move, error) {
	cell, err := ParseCell(s.record.size, r.args)
	if err != nil {
		err = fmt.Errorf("%s %w", r.verb, err)
	}
	return cell, err
}

// moved returns the record after the move behind a command, and that move.
func (s *session) moved(r *request, own bool) (record, game.Move, error) {
	next := s.record
	cell, err := s.cell(r)
	if err != nil {
		return next, cell, err
	}
	if len(next.stones) == 0 {
		if next.own = game.First; !own {
			next.own = game.Second
		}
	}
	next, err = next.play(r.rules, cell, own)
	return next, cell, err
}

func (s *session) turn(r *request) (*job, error) {
	next, _, err := s.moved(r, false)
	if err != nil {
		return nil, err
	}
	return s.think(r, next, 1)
}

// play makes the move for the engine that the client chose.
func (s *session) play(r *request) (*job, error) {
	next, cell, err := s.moved(r, true)
	if err != nil {
		return nil, err
	}
	s.record = next
	s.out.printf("%s", FormatCell(next.size, cell))
	return nil, nil
}

func (s *session) takeBack(r *request) (*job, error) {
	cell, err := s.cell(r)
	if err != nil {
		return nil, err
	}
	next, err := s.record.without(cell)
	if err != nil {
		return nil, err
	}
	s.record = next
	s.out.printf("OK")
	return nil, nil
}

// board takes a position, and answers it with a move if it is BOARD.
func (s *session) board(r *request) (*job, error) {
	next, err := placed(s.record.size, r)
	switch {
	case err != nil:
		return nil, err
	case r.verb == "BOARD":
		return s.think(r, next, 1)
	}
	s.record = next
	return nil, nil
}

// nBest thinks about the current position and shows the best moves: as many as YXNBEST
// says, or all.
func (s *session) nBest(r *request) (*job, error) {
	n, err := mostRows, error(nil)
	if r.verb == "YXNBEST" {
		n, err = strconv.Atoi(r.args)
	}
	if err != nil || n < 1 {
		return nil, fmt.Errorf("YXNBEST %q: want how many moves to show, as in YXNBEST 3", excerpt(r.args))
	}
	return s.think(r, s.record, n)
}

// showForbidden lists the points that Black may not play.
func (s *session) showForbidden(r *request) (*job, error) {
	size := s.record.size
	b, err := s.record.board(r.rules, game.First)
	if err != nil {
		return nil, err
	}
	var text strings.Builder
	for i := range size * size {
		x, y := i%size, i/size
		cell, _ := Cell(size, x, y)
		if b.At(int(cell)) == gomoku.Empty && !b.AllowedFor(game.First, int(cell)) {
			fmt.Fprintf(&text, "%02d%02d", x, y)
		}
	}
	s.out.printf("FORBID %s.", &text)
	return nil, nil
}

// showLimits tells a board what it may offer its user.
func (s *session) showLimits(*request) (*job, error) {
	s.out.printf("MESSAGE INFO MAX_THREAD_NUM %d", s.opts.Threads)
	s.out.printf("MESSAGE INFO MAX_HASH_SIZE %d", s.mostHash())
	return nil, nil
}

func (s *session) forget(*request) (*job, error) {
	if s.engine != nil {
		s.engine.Forget()
	}
	return nil, nil
}
