package tune

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"

	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/front/arena"
)

// Opening is an opening of the match.
type Opening struct {
	Board string  `json:"board"`           // the variant in words
	Start string  `json:"start,omitempty"` // where it begins, in games that do not all begin alike
	Moves string  `json:"moves"`
	Try   int     `json:"try"`   // the number of its draw, from 0
	First float64 `json:"first"` // points of the colour that moves first in LevelGames fast games
}

// An opening is level if the colour that moves first scores between these, in so many
// fast games; a draw is half a point.
const (
	LevelGames = 20
	levelLow   = 0.4 * LevelGames
	levelHigh  = 0.6 * LevelGames
)

// redraw is the bit from which on the number of an opening tells how often it was drawn
// again; the bits below it alone decide where it begins.
const redraw = 40

// mostTries is how many openings are drawn for one that is level.
const mostTries = 2000

// fastPlayouts are those of a move in the games by which openings are judged.
const fastPlayouts = 32

// addFast makes the players of fast games: a tree search with the tuned player's
// network, or with the shipped one, without solvers at the root, with next to none at the
// leaves, where they would take most of the time, and with noise, so that the games differ.
func (b *board) addFast(player players.PlayerSpec) error {
	model, _ := player.Model()
	args := players.Args{{Key: "playouts", Value: fmt.Sprint(fastPlayouts)}, {Key: "noise", Value: "true"}, {Key: "temperature", Value: "0.3"},
		{Key: "solver-root", Value: "0"}, {Key: "solver-replies", Value: "0"}, {Key: "solver-leaf", Value: "10"}}
	if model != "" {
		args = append(args, players.Arg{Key: "model", Value: model})
	}
	spec, err := players.ParsePlayer(players.Spec{Kind: players.MCTS, Args: args})
	if err != nil {
		return err
	}
	for _, name := range []string{"one", "other"} {
		e, err := b.players.Entrant(spec)
		if err != nil {
			return err
		}
		e.Name = name
		b.fast = append(b.fast, e)
	}
	return nil
}

// Opening implements [Objective]: it draws openings until one is new and level.
func (g *Games) Opening(ctx context.Context, round int, before []Opening) (Opening, error) {
	if err := g.remember(before); err != nil {
		return Opening{}, err
	}
	at := round % len(g.boards)
	b := g.boards[at]
	try := 0
	for _, o := range before {
		if o.Board == b.variant.String() {
			try = o.Try + 1
		}
	}
	for most := try + mostTries; try < most; try++ {
		moves, err := b.openings[seedMatch].Opening(ctx, try)
		if err != nil {
			return Opening{}, err
		}
		start, err := b.startText(seedMatch, try)
		if err != nil {
			return Opening{}, err
		}
		if g.fixed[b.key(start, moves)] {
			continue
		}
		o := b.match
		if start != "" {
			o.Starts = func(int) (game.Position, error) { return b.openings[seedMatch].Starts(try) }
		}
		o.Games, o.Seed = LevelGames, seedOf(g.opts.Seed, seedFast, at, try)
		o.Entrants, o.Openings = b.fast, arena.OpeningList{moves}
		report, err := play(ctx, o)
		if err != nil {
			return Opening{}, err
		}
		p := &report.Pairings[0]
		if first := float64(p.FirstWins) + float64(p.Draws)/2; first >= levelLow && first <= levelHigh {
			return Opening{Board: b.variant.String(), Start: start, Moves: b.match.Notation.FormatMoves(moves), Try: try, First: first}, nil
		}
	}
	return Opening{}, fmt.Errorf("%s: none of %d openings of %d moves is level by the results of %d fast games: use another number of moves", b.variant, mostTries, g.opts.OpeningPlies, LevelGames)
}

// remember adds openings of the match, which no other opening may equal.
func (g *Games) remember(fixed []Opening) error {
	for _, o := range fixed[min(g.keyed, len(fixed)):] {
		at := slices.IndexFunc(g.boards, func(b *board) bool { return b.variant.String() == o.Board })
		if at < 0 {
			return fmt.Errorf("an opening of %q: want a board of this tuning", o.Board)
		}
		b := g.boards[at]
		moves, err := b.match.Notation.ParseMoves(o.Moves)
		if err != nil {
			return fmt.Errorf("opening %q: %w", o.Moves, err)
		}
		g.fixed[b.key(o.Start, moves)] = true
	}
	g.keyed = max(g.keyed, len(fixed))
	return nil
}

// startText writes where the opening of that number begins, "" where all games of the
// variant begin alike.
func (b *board) startText(part, number int) (string, error) {
	starts := b.openings[part].Starts
	if starts == nil {
		return "", nil
	}
	start, err := starts(number)
	if err != nil {
		return "", err
	}
	return b.variant.FormatGame(start, nil), nil
}

// startsOf returns where the pairs of a match from these openings begin.
func (b *board) startsOf(fixed []Opening) func(pair int) (game.Position, error) {
	return func(pair int) (game.Position, error) {
		o := &fixed[pair%len(fixed)]
		start, err := b.variant.Parse(o.Start)
		if err != nil {
			return nil, fmt.Errorf("opening %q of %q: %w", o.Moves, o.Start, err)
		}
		return start, nil
	}
}

// list returns openings of the match as the arena takes them, each once.
func (b *board) list(fixed []Opening) (arena.OpeningList, error) {
	var list arena.OpeningList
	for _, o := range fixed {
		moves, err := b.match.Notation.ParseMoves(o.Moves)
		if err != nil || o.Board != b.variant.String() {
			return nil, fmt.Errorf("opening %q of %q: want one of %s", o.Moves, o.Board, b.variant)
		}
		list = append(list, moves)
	}
	return list, nil
}

// unseen gives the openings of a trial: random ones that the match does not have. It
// implements [arena.Openings].
type unseen struct {
	games *Games
	board *board
	first int // the number of the first pair among all trials
}

// Opening implements [arena.Openings]. In place of one that the match has, another is
// drawn.
func (u *unseen) Opening(ctx context.Context, pair int) ([]game.Move, error) {
	start, err := u.board.startText(seedTrials, u.first+pair)
	if err != nil {
		return nil, err
	}
	for again := range mostTries {
		moves, err := u.board.openings[seedTrials].Opening(ctx, u.first+pair+again<<redraw)
		if err != nil || !u.games.fixed[u.board.key(start, moves)] {
			return moves, err
		}
	}
	return nil, fmt.Errorf("%s: the match has all openings of so few moves: use more of them", u.board.variant)
}

// key returns the same text for all openings that lead to the same position, on boards
// of cells also for those that turn or mirror it. start is that of [Opening].
func (b *board) key(start string, moves []game.Move) string {
	n := b.variant.Columns()
	if n == 0 {
		return b.variant.String() + start + " " + b.match.Notation.FormatMoves(moves)
	}
	var least []game.Move
	for symmetry := range 8 {
		turned := make([]game.Move, len(moves))
		for i, m := range moves {
			x, y := int(m)%n, int(m)/n
			if symmetry&1 != 0 {
				x = n - 1 - x
			}
			if symmetry&2 != 0 {
				y = n - 1 - y
			}
			if symmetry&4 != 0 {
				x, y = y, x
			}
			// Even numbers are the first player's cells: they come apart when sorted.
			turned[i] = game.Move(i%2*n*n + y*n + x)
		}
		slices.SortFunc(turned, func(a, b game.Move) int { return cmp.Compare(a, b) })
		if least == nil || slices.Compare(turned, least) < 0 {
			least = turned
		}
	}
	return fmt.Sprint(b.variant.String(), strings.Trim(fmt.Sprint(least), "[]"))
}
