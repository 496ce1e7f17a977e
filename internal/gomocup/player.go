package gomocup

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
)

// PlayerOptions describe a foreign engine, a program that speaks the protocol on its
// standard input and output, and the settings that it is sent.
type PlayerOptions struct {
	Command []string // the program and its arguments
	Rule    int      // number of the rule set, as of RuleMask
	Size    int
	Nodes   int   // budget of a move, for programs that know it; 0: none
	Memory  int64 // bytes; 0: nothing is said
	Control arena.TimeControl
}

// startLimit bounds the time for the answer to START.
const startLimit = 10 * time.Second

// Player implements [arena.Player] with a foreign engine. Whatever that answers becomes
// a move or an error of one line; after an error the Player can only be closed.
type Player struct {
	opts       PlayerOptions
	startLimit time.Duration
	child      *process
	known      []game.Move // of this game, that the program knows; nil before its first move
}

// NewPlayer starts the program.
func NewPlayer(opts PlayerOptions) (*Player, error) {
	c, err := startProcess(opts.Command)
	if err != nil {
		return nil, err
	}
	return &Player{opts: opts, startLimit: startLimit, child: c}, nil
}

// Close implements [arena.Player]. The program gets a second to end by itself.
func (p *Player) Close() error {
	p.child.stop()
	return nil
}

// NewGame implements [arena.Player]. A program that is still ending the search of its
// last move may take START for a word of no meaning and complain about the size alone:
// after a game, one complaint makes it be told again.
func (p *Player) NewGame(ctx context.Context, _ arena.Start) error {
	played := p.known != nil
	p.known = nil
	start := fmt.Sprintf("START %d", p.opts.Size)
	complaint, err := p.begin(ctx, start)
	if err == nil && complaint != "" && played {
		complaint, err = p.begin(ctx, start)
	}
	if err != nil {
		return err
	}
	if complaint != "" {
		return fmt.Errorf("%s answered %q to %s", p.child.name, complaint, start)
	}
	return p.child.send(ctx, p.info()...)
}

// begin sends START and returns what the program has against it, "" if nothing.
func (p *Player) begin(ctx context.Context, start string) (complaint string, err error) {
	if err := p.child.send(ctx, start); err != nil {
		return "", err
	}
	timer := time.NewTimer(p.startLimit)
	defer timer.Stop()
	for {
		line, err := p.child.receive(ctx, timer.C)
		if errors.Is(err, errSilent) {
			return "", fmt.Errorf("%s did not answer START within %v", p.child.name, p.startLimit)
		}
		if err != nil {
			return "", err
		}
		switch word, _, _ := strings.Cut(strings.ToUpper(line), " "); word {
		case "OK":
			return "", nil
		case "ERROR", "UNKNOWN":
			return line, nil
		}
	}
}

// info returns the INFO lines of a new game.
func (p *Player) info() []string {
	lines := []string{"INFO game_type 1", fmt.Sprintf("INFO rule %d", p.opts.Rule)}
	add := func(key string, value int64) { lines = append(lines, fmt.Sprintf("INFO %s %d", key, value)) }
	if c := p.opts.Control; c.Limited() {
		turn := c.Turn
		if turn == 0 {
			turn = c.Base + c.Increment
		}
		add("timeout_turn", turn.Milliseconds())
		add("timeout_match", c.Base.Milliseconds())
		if c.Increment > 0 {
			add("time_increment", c.Increment.Milliseconds())
		}
	}
	if p.opts.Memory > 0 {
		add("max_memory", p.opts.Memory)
	}
	if p.opts.Nodes > 0 {
		add("max_node", int64(p.opts.Nodes))
	}
	return lines
}

// Think implements [arena.Player]; it knows no limit but the clock. A program
// whose time is over is sent YXSTOP, which some obey; what it answers before ctx
// ends still counts.
func (p *Player) Think(ctx context.Context, pos game.Position, limits engine.Limits) (*engine.Answer, error) {
	board, ok := pos.(*gomoku.Board)
	if !ok || board.Size() != p.opts.Size {
		return nil, fmt.Errorf("%s plays gomoku on %dx%d only", p.child.name, p.opts.Size, p.opts.Size)
	}
	clock := limits.Clock
	request, pardon := p.request(board), 0
	if clock.Limited() {
		left := int64(noLimit)
		if clock.Left > 0 {
			left = clock.Left.Milliseconds()
		}
		info := fmt.Sprintf("INFO time_left %d", left)
		request = append([]string{info}, request...)
		if p.known != nil {
			pardon = len(strings.Fields(info))
		}
	}
	if err := p.child.send(ctx, request...); err != nil {
		return nil, err
	}
	m, err := p.answer(ctx, clock, request[len(request)-1], pardon)
	if err != nil {
		return nil, err
	}
	p.known = append(board.History(), m)
	return &engine.Answer{Move: m, Line: []game.Move{m}}, nil
}

// request returns the lines that ask for a move: TURN if the program knows all
// but the last move, else the whole position.
func (p *Player) request(b *gomoku.Board) []string {
	history := b.History()
	n := len(history)
	switch {
	case b.Ply() == 0:
		return []string{"BEGIN"}
	case n > 0 && b.Ply() == n && (n == 1 && p.known == nil || p.known != nil && slices.Equal(p.known, history[:n-1])):
		return []string{"TURN " + FormatCell(b.Size(), history[n-1])}
	}
	lines := []string{"BOARD"}
	row := func(m game.Move) {
		field := 2
		if b.At(int(m)) == gomoku.StoneOf(b.ToMove()) {
			field = 1
		}
		lines = append(lines, fmt.Sprintf("%s,%d", FormatCell(b.Size(), m), field))
	}
	for cell := range game.Move(b.Size() * b.Size()) {
		if b.At(int(cell)) != gomoku.Empty && !slices.Contains(history, cell) {
			row(cell)
		}
	}
	for _, m := range history {
		row(m)
	}
	return append(lines, "DONE")
}

// remarked matches a move with what some programs say of it behind it: "0,0 (eval 0.1)", "0,0;".
var remarked = regexp.MustCompile(`^(\d+ *, *\d+)(?:\s*;.*|\s+[^\s\d,;].*)$`)

// answer returns the move that the program answers to a request. It passes over
// as many complaints as pardon says: a program that reads the line before the
// request while its last search is ending takes each word of it for a command.
// Before the first move of a game a complaint is about its rule or its limits,
// and none is passed over.
func (p *Player) answer(ctx context.Context, clock engine.Clock, request string, pardon int) (game.Move, error) {
	var limit <-chan time.Time
	if d, ok := clock.Limit(); ok {
		timer := time.NewTimer(d)
		defer timer.Stop()
		limit = timer.C
	}
	for {
		line, err := p.child.receive(ctx, limit)
		if errors.Is(err, errSilent) {
			limit = nil
			err = p.child.send(ctx, "YXSTOP")
		}
		if err != nil {
			return game.NoMove, err
		}
		word, rest, _ := strings.Cut(strings.ToUpper(line), " ")
		switch word {
		case "", "MESSAGE", "DEBUG", "UNKNOWN", "OK", "FORBID":
		case "SUGGEST":
			if err := p.child.send(ctx, "PLAY "+rest); err != nil {
				return game.NoMove, err
			}
		case "ERROR":
			if pardon--; pardon < 0 {
				return game.NoMove, fmt.Errorf("%s answered %q to %s", p.child.name, line, request)
			}
		default:
			m, err := ParseCell(p.opts.Size, remarked.ReplaceAllString(line, "$1"))
			if err != nil {
				return game.NoMove, fmt.Errorf("%s answered nonsense to %s: %w", p.child.name, request, err)
			}
			return m, nil
		}
	}
}
