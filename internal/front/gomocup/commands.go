package gomocup

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

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
