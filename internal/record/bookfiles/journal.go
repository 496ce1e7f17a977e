package bookfiles

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/record/book"
)

// journal counts the games of a match by its journal, in which more games may stand each
// time: all are counted anew as those of one origin, so that none counts twice. A game that
// was forfeited counts without its result, which says nothing of the positions.
func (i *importer) journal(path string, in io.Reader) error {
	wrong := func(err error) error { return fmt.Errorf("%s: %w", path, err) }
	p, err := arena.NewPlayed(in)
	if errors.Is(err, io.EOF) {
		return wrong(errors.New("no game of this match has ended yet"))
	}
	if err != nil {
		return wrong(err)
	}
	rules, v, err := settingOf(p)
	if err != nil {
		return wrong(err)
	}
	origin := "match " + p.Identity
	known, err := i.w.HasOrigin(origin)
	if err != nil {
		return err
	}
	if known {
		i.sum.Known++
		i.o.Note(path + ": games of this match are in the book already; those that are new count")
	}
	if err := i.w.AddOrigin(origin); err != nil {
		return err
	}
	counts := map[string]book.Results{} // by the key of the position
	for number := int64(1); ; number++ {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		g, _, err := p.Next(gomoku.Notation{Size: v.Size})
		if errors.Is(err, io.EOF) {
			break
		}
		if err == nil {
			err = i.played(rules, v.Size, g, counts)
		}
		if err != nil {
			return wrong(err)
		}
		i.sum.Games++
		if i.o.Progress != nil {
			i.o.Progress(i.sum.Games)
		}
	}
	if err := i.newResults(rules, v, origin, counts); err != nil {
		return err
	}
	for _, key := range slices.Sorted(maps.Keys(counts)) {
		pos, err := v.Board(key)
		if err != nil {
			return err
		}
		created, err := i.w.RaiseResults(pos, book.OriginResults{Origin: origin, Results: counts[key]}, i.o.Stamp)
		if err != nil {
			return err
		}
		if created {
			i.sum.Positions++
		}
	}
	return nil
}

// newResults adds the results that were not counted before: all games go through the
// start.
func (i *importer) newResults(rules gomoku.Rules, v book.Variant, origin string, counts map[string]book.Results) error {
	start, err := gomoku.New(rules, v.Size)
	if err != nil {
		return err
	}
	games := counts[book.Key(start)].Games()
	before, err := i.b.ResultsByOrigin(start)
	if err != nil && !errors.Is(err, book.ErrVariant) {
		return err
	}
	for _, r := range before {
		if r.Origin == origin {
			games -= r.Games()
		}
	}
	i.sum.Results += max(0, games)
	return nil
}

// settingOf returns the rules that a match was played by.
func settingOf(p *arena.Played) (gomoku.Rules, book.Variant, error) {
	var none gomoku.Rules
	words := strings.Fields(p.Setting)
	if len(words) < 3 {
		return none, book.Variant{}, fmt.Errorf("the setting of its match is %.60q", p.Setting)
	}
	size, err := strconv.Atoi(words[2])
	if err != nil {
		return none, book.Variant{}, fmt.Errorf("the setting of its match is %.60q", p.Setting)
	}
	v, err := games.NewVariant(games.VariantOptions{Game: words[0], Rule: words[1], Size: size, OpenRule: slices.Contains(words[3:], "open")})
	if err != nil {
		return none, book.Variant{}, err
	}
	rules, ok := v.Gomoku()
	if !ok {
		return none, book.Variant{}, fmt.Errorf("books hold positions of gomoku, and this is a match of %s", v.Game)
	}
	start, err := v.Start()
	if err == nil && fmt.Sprintf("%016x", start.Hash()) != p.Start {
		err = errors.New("its match did not begin on the empty board")
	}
	return rules, book.Variant{Rules: rules, Size: v.Size}, err
}

// played counts one game.
func (i *importer) played(rules gomoku.Rules, size int, g *arena.Result, counts map[string]book.Results) error {
	pos, err := gomoku.New(rules, size)
	if err != nil {
		return err
	}
	for ply := 0; ; ply++ {
		if pos.Outcome() == game.Undecided && (i.o.Plies == 0 || pos.Ply() <= i.o.Plies) {
			key := book.Key(pos)
			r := counts[key]
			switch {
			case g.Forfeit != nil:
			case g.Outcome == game.Draw:
				r.Draws++
			case g.Outcome == game.WinFor(pos.ToMove()):
				r.Wins++
			default:
				r.Losses++
			}
			counts[key] = r
		}
		if ply == len(g.Moves) {
			return nil
		}
		if m := g.Moves[ply]; pos.Outcome() != game.Undecided || !pos.Legal(m) {
			return fmt.Errorf("game %d: move %d, %s, is not legal", g.Game, ply+1, gomoku.Notation{Size: size}.FormatMove(m))
		}
		pos.Play(g.Moves[ply])
	}
}

// isRows reports whether a file begins as WriteJSON writes it.
func isRows(head []byte) bool { return bytes.HasPrefix(head, []byte(`{"rule":`)) }
