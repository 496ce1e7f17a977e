// Package gamefiles reads recorded games and positions from wherever they come: shards of
// self-play, files of other programs (package record), and lists of positions; the kind of a file
// is told by its content. A game is a [Record] wherever it comes from and goes. [OpenTrees] hands
// out records with their variations, each of its own variant and held against no rules; [Open]
// their main lines, checked against the rules and all of one variant. [SVG] draws positions.
package gamefiles

import (
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// Record is a recorded game: its moves, with players, result and what is said of
// them, and the variant whose rules they follow. Whatever reads, writes or shows
// games does so by records. [NewRecord] makes one of a tree, [Begin] one to add the
// moves to, [Shard.Game] one of a game of self-play, [OfMatch] one of a game of a match.
type Record struct {
	Variant games.Variant
	Tree    *record.Tree

	// What a tree has no place for, as files in other formats do not say it.
	Opening int         // leading moves that no player chose, besides stones that are set up
	Reason  game.Reason // why the game ended; NoReason: what Tree.Result says

	Path   string // of its file
	Source string // where it stands: "games.sgf:12"; "": in no file

	format record.Format // of its file
	start  game.Position // without stones that are set up; nil: what Tree.Start says
}

// errForm is wrapped by the error for a tree whose moves are none of the game that it
// shall be of.
var errForm = errors.New("which have no such form")

// NewRecord returns a tree as a game of the variant that it says it is of, and of o
// where it says nothing; fixed sets aside what it says of its rule. The error is about
// the variant alone, which is the zero value then.
func NewRecord(tree *record.Tree, source string, o games.VariantOptions, fixed bool) (Record, error) {
	r := Record{Tree: tree, Source: source}
	v, err := games.NewVariant(o)
	if err != nil {
		return r, r.wrap(err)
	}
	of := v.Of()
	if cells := tree.Size > 0; cells != (v.Columns() > 0) || of.SGF == 0 && (tree.Sized || tree.Rule != "") {
		return r, r.wrap(fmt.Errorf("it is a record of a game on a board of cells, and the games wanted are of %s, %w",
			of.Name, errForm))
	}
	if rule := ruleOf(tree, of.RuleSets); !fixed && rule != "" {
		o.Rule = rule
	}
	if tree.Size > 0 {
		o.Size = tree.Size
	}
	if r.Variant, err = games.NewVariant(o); err != nil {
		return r, r.wrap(err)
	}
	return r, nil
}

// AnyRecord is NewRecord of another game where o's has no such form.
func AnyRecord(tree *record.Tree, source string, o games.VariantOptions, fixed bool) (Record, error) {
	r, err := NewRecord(tree, source, o, fixed)
	if errors.Is(err, errForm) {
		return NewRecord(tree, source, games.VariantOptions{Game: games.GameOf(tree.Size > 0)}, fixed)
	}
	return r, err
}

// ruleOf returns the rule set that a tree names: by its name, or by the beginning of what
// the groups of tournaments are called, as in "Freestyle15_1" and "RENJU RULES"; "" for none.
func ruleOf(t *record.Tree, sets []string) (rule string) {
	name := strings.ToLower(strings.TrimSpace(t.Rule))
	for _, set := range sets {
		rest, ok := strings.CutPrefix(name, set)
		if ok && len(set) > len(rule) && (rest == "" || rest[0] < 'a' || rest[0] > 'z') {
			rule = set
		}
	}
	return rule
}

// Notes are lines for whoever gave the record: what in its file is odd, and how its rule was
// guessed, unless that was given.
func (r *Record) Notes(ruleGiven bool) (notes []string) {
	notes = slices.Clone(r.Tree.Odd)
	if name, sets := record.Excerpt(strings.TrimSpace(r.Tree.Rule)), r.Variant.Of().RuleSets; !ruleGiven {
		switch rule := ruleOf(r.Tree, sets); {
		case r.UnknownRule() != "":
			notes = append(notes, fmt.Sprintf("unknown rule %q, taken as %s: the rules are %s", name, r.Variant.Rule(),
				strings.Join(sets, ", ")))
		case !strings.EqualFold(name, rule):
			notes = append(notes, fmt.Sprintf("rule %q, taken as %s", name, rule))
		}
	}
	for i := range notes {
		if r.Source != "" {
			notes[i] = r.Source + ": " + notes[i]
		}
	}
	return notes
}

// UnknownRule returns the start of what the tree names as its rule if no rule set is
// called that, "" otherwise.
func (r *Record) UnknownRule() string {
	if ruleOf(r.Tree, r.Variant.Of().RuleSets) != "" {
		return ""
	}
	return record.Excerpt(strings.TrimSpace(r.Tree.Rule))
}

// Begin returns the record of a game that begins at start, with no moves yet. Stones
// that are on the board are set up.
func Begin(v games.Variant, start game.Position) Record {
	t := record.New(v.Columns())
	if t.Size == 0 {
		t.Start, t.First = v.FormatGame(start, nil), start.ToMove()
		return Record{Variant: v, Tree: t, start: start.Clone()}
	}
	t.Sized, t.Rule = true, v.Rule()
	for cell, s := range v.Stones(start) {
		if s != games.NoStone {
			side := s - games.FirstStone
			t.Setup[side] = append(t.Setup[side], game.Move(cell))
		}
	}
	t.Tell(start.ToMove())
	return Record{Variant: v, Tree: t}
}

// Start returns the position before the first move, without stones that are set up:
// they come first among the moves of a line.
func (r *Record) Start() (game.Position, error) {
	switch {
	case r.start != nil:
		return r.start.Clone(), nil
	case r.Tree.Start == "":
		return r.Variant.Start()
	}
	start, _, err := r.Variant.ParseGame(r.Tree.Start)
	return start, err
}

// Result returns how the game ended, as it is recorded.
func (r *Record) Result() (game.Outcome, game.Reason) {
	outcome, reason := r.Tree.Outcome()
	if r.Reason != game.NoReason {
		reason = r.Reason
	}
	return outcome, reason
}

// setUp returns the position after the stones that are set up, which need not have been
// played in turn.
func (r *Record) setUp() (game.Position, error) {
	t, columns := r.Tree, r.Variant.Columns()
	s := games.Setup{Stones: make([]games.Stone, columns*columns), ToMove: &t.First}
	for side, stones := range t.Setup {
		for _, m := range stones {
			if s.Stones[m] != games.NoStone {
				return nil, fmt.Errorf("two stones are set up on %s: want one", r.Variant.Notation().FormatMove(m))
			}
			s.Stones[m] = games.FirstStone + games.Stone(side)
		}
	}
	return r.Variant.SetUp(s)
}

// Check returns an error that says where the record leaves the rules, nil if it
// does not, in any of its lines.
func (r *Record) Check() error {
	start, err := r.Start()
	t := r.Tree
	if err == nil && t.OutOfTurn() {
		bare := *t
		bare.Setup, bare.Told = [2][]game.Move{}, false
		t = &bare
		start, err = r.setUp()
	}
	if err == nil {
		err = t.Replay(start, r.Variant.Notation())
	}
	var illegal *record.IllegalError
	if errors.As(err, &illegal) && illegal.Why == "" {
		err = fmt.Errorf("%w under %v", err, r.Variant)
	}
	return r.wrap(err)
}

// Write writes the record as a file of a format.
func (r *Record) Write(out io.Writer, f record.Format) error {
	return record.Write(out, []*record.Tree{r.Tree}, f, r.Variant.Notation())
}

// wrap adds to an error where the record stands.
func (r *Record) wrap(err error) error {
	if err == nil || r.Source == "" {
		return err
	}
	return fmt.Errorf("%s: %w", r.Source, err)
}

// Options says of which variant the games are.
type Options struct {
	// Variant is that of sources that name none. With Fixed, other sources
	// must be of it too; without, the first source decides for all.
	Variant games.Variant
	Fixed   bool

	// AnyGame takes records of another game than Variant's too, which Trees alone can.
	AnyGame bool

	// Scores takes what searches thought of the moves from shards of the classical
	// engine too; see Game.Values.
	Scores bool

	// Note gets what is odd in the records of a Reader, and how their rules were guessed; nil
	// for none.
	Note func(text string)

	// Charset names the encoding of texts in files that name none, "" for the usual one.
	Charset string

	// Out names the file that the games are written to. It is not read as one of the
	// files of a folder, so that games written into it again are the same; "": none.
	Out string
}

// ReadOptions are what a file of games leaves open, where they are of a variant unless
// it says another.
func ReadOptions(v games.Variant) record.Options {
	o := record.Options{Size: v.Size, Notation: v.Notation()}
	if v.Columns() == 0 {
		o.Size = -1
	}
	return o
}
