package gamefiles

import (
	"fmt"
	"io"
	"math"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// Game is one line of a [Record], from the start of the game to one of its moves, or a
// single position. Its moves have been replayed through the rules and are legal.
type Game struct {
	Variant games.Variant
	Moves   []game.Move // from the start of the game; stones that were set up come first
	Opening int         // leading moves that no player chose; 0 if unknown

	// Values are what a search thought of each move when it chose it, for the
	// first player in the searcher's units; NaN where it is unknown, nil if
	// the record has none (it is SGF's property V).
	Values []float64

	// Single says that only the position after all moves is meant, not those
	// on the way to it.
	Single bool

	// Outcome and Reason are how the game ended, by the rules or as recorded;
	// Undecided and NoReason where neither tells. A result that the rules
	// did not give and that the record does not explain has NoReason.
	Outcome game.Outcome
	Reason  game.Reason

	// Source says where the game stands: "list.txt:7",
	// "games.sgf:12", "run/shard-000000.msgpack.zst, game 3".
	Source string

	start game.Position // nil: the variant's usual one
}

// Line returns the moves on the way to a node of the record, so many of them, or all
// for -1. Its error says where the game becomes illegal. The result is the recorded
// one.
func (r *Record) Line(leaf int32, plies int) (Game, error) {
	g, _, err := r.line(leaf, plies)
	return g, r.wrap(err)
}

// line is Line, which returns the last position too.
func (r *Record) line(leaf int32, plies int) (g Game, last game.Position, err error) {
	t := r.Tree
	set := len(t.Setup[0]) + len(t.Setup[1])
	g = Game{Variant: r.Variant, Source: r.Source, Moves: t.Moves(leaf), Opening: set + r.Opening}
	g.Outcome, g.Reason = r.Result()
	if g.start, err = r.Start(); err != nil {
		return g, nil, err
	}
	if t.Size > 0 {
		if err := t.Turns(leaf); err != nil {
			return g, nil, err
		}
	}
	g.judge(t, leaf, set)
	switch {
	case plies > len(g.Moves):
		return g, nil, fmt.Errorf("the game has %d moves, not %d", len(g.Moves), plies)
	case plies >= 0:
		g.Moves = g.Moves[:plies]
		g.Values = g.Values[:min(plies, len(g.Values))]
	}
	g.Single = r.format == record.Text || len(g.Moves) == set
	last, err = g.replay()
	return g, last, err
}

// judge takes what the record thinks each move is worth, after the stones that are
// set up.
func (g *Game) judge(t *record.Tree, leaf int32, set int) {
	ply := set
	for _, id := range t.Path(leaf) {
		if t.Nodes[id].Move == game.NoMove {
			continue
		}
		if note := t.Note(id); note != nil && note.Valued {
			if g.Values == nil {
				g.Values = slices.Repeat([]float64{math.NaN()}, len(g.Moves))
			}
			g.Values[ply] = note.Value
		}
		ply++
	}
}

// Start returns the position before the first move.
func (g *Game) Start() (game.Position, error) {
	if g.start != nil {
		return g.start.Clone(), nil
	}
	return g.Variant.Start()
}

// At returns the position after the first plies moves.
func (g *Game) At(plies int) (game.Position, error) {
	pos, err := g.Start()
	for i := 0; i < plies && err == nil; i++ {
		pos.Play(g.Moves[i])
	}
	return pos, err
}

// Text returns the position after the first plies moves in the notation that
// games.Variant.Parse reads.
func (g *Game) Text(plies int) string {
	return g.Variant.FormatGame(g.start, g.Moves[:plies])
}

// replay plays the moves, which must be legal, and returns the last position.
func (g *Game) replay() (game.Position, error) {
	pos, err := g.Start()
	if err != nil {
		return nil, err
	}
	for i, m := range g.Moves {
		if pos.Outcome() != game.Undecided {
			return nil, fmt.Errorf("move %d comes after the end of the game (%s, %s)", i+1, pos.Outcome(), pos.Reason())
		}
		if !pos.Legal(m) {
			return nil, fmt.Errorf("move %d, %s, is illegal under %v", i+1, g.Variant.Notation().FormatMove(m), g.Variant)
		}
		pos.Play(m)
	}
	return pos, nil
}

// conclude completes the result from the rules at the last position. It refuses a
// recorded one that they contradict.
func (g *Game) conclude(last game.Position) error {
	found := last.Outcome()
	switch {
	case found == game.Undecided:
		return nil
	case g.Outcome != game.Undecided && g.Outcome != found && g.Reason != game.Forfeit:
		return fmt.Errorf("the record says %s, the rules of %v say %s (%s)", g.Outcome, g.Variant, found, last.Reason())
	case g.Reason == game.Forfeit:
		return nil
	}
	g.Outcome, g.Reason = found, last.Reason()
	return nil
}

// OfMatch returns a game of a match as a record.
func OfMatch(v games.Variant, g *arena.Result, names [2]string) (Record, error) {
	start, err := v.Start()
	if err != nil {
		return Record{}, err
	}
	r := Begin(v, start)
	t := r.Tree
	r.Opening, r.Reason = g.Opening, g.Reason
	t.Black, t.White, t.Comment = names[game.First], names[game.Second], "reason: "+string(g.Reason)
	t.SetOutcome(g.Outcome, g.Reason)
	if f := g.Forfeit; f != nil {
		t.Comment = fmt.Sprintf("%s forfeits: %s", names[f.Side], f.Text)
		if f.Fault == arena.Timeout {
			t.Result = strings.TrimSuffix(t.Result, "F") + "T"
		}
	}
	_, err = t.Extend(0, start.ToMove(), g.Moves, nil)
	return r, err
}

// Folder keeps each game that was played as a file game-NNNNNN.sgf, numbered from 1, in
// the format FF[4] (red-bean.com/sgf). Black is the first player.
type Folder struct {
	Path    string // must exist; see Prepare
	Program string // that writes the files, "name:version"
}

func (f *Folder) file(number int) string {
	return filepath.Join(f.Path, fmt.Sprintf("game-%06d.sgf", number+1))
}

// Has reports whether there is a file of game number, from 0.
func (f *Folder) Has(number int) bool {
	_, err := os.Lstat(f.file(number))
	return err == nil
}

// Write writes the file of game number, from 0. It replaces an earlier record of the same
// program, and no other file.
func (f *Folder) Write(number int, r *Record) error {
	path := f.file(number)
	if err := CheckOut(path, record.SGF, f.Program); err != nil {
		return err
	}
	r.Tree.Program, r.Tree.Round = f.Program, fmt.Sprint(number+1)
	return disk.Write(path, func(out io.Writer) error { return r.Write(out, record.SGF) })
}

// Prepare creates the folder if it is missing, and returns an error if it has
// files with the names of records that this program did not write.
func (f *Folder) Prepare() error {
	if err := os.MkdirAll(f.Path, 0o755); err != nil {
		return err
	}
	files, err := filepath.Glob(filepath.Join(f.Path, "game-[0-9][0-9][0-9][0-9][0-9][0-9].sgf"))
	for _, path := range files {
		if err == nil {
			err = CheckOut(path, record.SGF, f.Program)
		}
	}
	return err
}

// deal begins a game of Onitama: the names of cards.
var deal = regexp.MustCompile(`^\x{feff}?\s*[A-Za-z]+,[A-Za-z]+/[A-Za-z]+,[A-Za-z]+/[A-Za-z]+`)

// Dealt reports whether the games of a file are of cards that are dealt, by its beginning:
// a list in which cards come first.
func Dealt(head []byte) bool { return deal.Match(head) }
