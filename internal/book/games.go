package book

import (
	"context"
	"errors"
	"fmt"
	"io"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
)

// ImportOptions say what of the files comes into a
type ImportOptions struct {
	Games gamefiles.Options // of which variant records are that name none
	Plies int               // most stones of a position that is taken; 0: any number
	Stamp Stamp             // of all that is written

	// Note gets a line about each file that was known, each game that is not legal, and
	// each unknown rule; never nil.
	Note func(text string)

	// Progress gets the number of games that are done; nil for none.
	Progress func(done int)
}

// Imported is what came of files.
type Imported struct {
	Files   int
	Known   int // files whose games were counted before
	Games   int64
	Illegal int64 // games that were left out
	Results int64 // games whose results were counted

	New, Comments int64 // positions and comments that came in
}

// ImportGames counts the games of files and puts their positions into a book. Each file comes
// in as a whole or not at all. A file that was counted before, by its digest, is left out.
func ImportGames(ctx context.Context, b *Book, paths []string, o ImportOptions) (sum Imported, err error) {
	for _, path := range paths {
		files, err := gamefiles.Expand(path)
		if err != nil {
			return sum, err
		}
		for _, file := range files {
			done := sum
			done.Files++
			err := b.Update(ctx, func(w *Writer) error {
				return (&importer{ctx: ctx, w: w, o: &o, sum: &done, guessed: map[string]bool{}}).games(file)
			})
			if err != nil {
				return sum, err
			}
			sum = done
		}
	}
	return sum, nil
}

// importer brings one file into a batch.
type importer struct {
	ctx    context.Context
	w      *Writer
	o      *ImportOptions
	sum    *Imported
	origin string

	guessed map[string]bool // rules that a note says to be unknown
}

// games counts all games of a file.
func (i *importer) games(path string) error {
	digest, err := disk.SHA256(path)
	if err != nil {
		return err
	}
	i.origin = "games " + digest
	fresh, err := i.w.AddOrigin(i.origin)
	if err != nil {
		return err
	}
	if !fresh {
		i.sum.Known++
		i.o.Note(path + ": its games are in the book already")
		return nil
	}
	trees, err := gamefiles.OpenTrees([]string{path}, i.o.Games)
	if err != nil {
		return err
	}
	defer trees.Close()
	for {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		r, err := trees.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := i.record(&r); err != nil {
			return err
		}
	}
}

// record counts a game.
func (i *importer) record(r *gamefiles.Record) error {
	i.sum.Games++
	if i.o.Progress != nil {
		i.o.Progress(int(i.sum.Games))
	}
	rules, ok := r.Variant.Gomoku()
	if !ok {
		return fmt.Errorf("%s: books hold positions of gomoku, and this is a game of %s", r.Source, r.Variant.Game)
	}
	if text := r.Guessed(); text != "" && !i.o.Games.Fixed && !i.guessed[r.Tree.Rule] {
		i.guessed[r.Tree.Rule] = true
		i.o.Note(text)
	}
	err := r.Check()
	if err == nil {
		err = r.InTurn()
	}
	if err != nil {
		i.sum.Illegal++
		i.o.Note(err.Error() + ": left out")
		return nil
	}
	pos, err := gomoku.New(rules, r.Variant.Size)
	if err != nil {
		return err
	}
	leaf := r.Tree.MainLeaf()
	outcome, _ := r.Result()
	if outcome == game.Undecided {
		g, err := r.Line(leaf, -1)
		if err != nil {
			return err
		}
		end, err := g.At(len(g.Moves))
		if err != nil {
			return err
		}
		outcome = end.Outcome()
	}
	if outcome != game.Undecided {
		i.sum.Results++
	}
	for _, m := range r.Tree.Moves(0) { // stones that are set up
		pos.Play(m)
	}
	main := r.Tree.Path(leaf)
	enter := func(id int32) error {
		result, comment, m := game.Undecided, "", r.Tree.Nodes[id].Move
		if m != game.NoMove {
			pos.Play(m)
		} else if id != 0 {
			return nil
		}
		if id == 0 || slices.Contains(main, id) {
			result = outcome
		}
		if n := r.Tree.Note(id); n != nil {
			comment = n.Comment
		}
		return i.position(pos, result, comment)
	}
	if err := enter(0); err != nil {
		return err
	}
	return r.Tree.Walk(enter, pos.Undo)
}

// position writes a position, a result unless it is Undecided, and a comment unless it is
// empty or the book has one.
func (i *importer) position(pos *gomoku.Board, result game.Outcome, comment string) error {
	if pos.Outcome() != game.Undecided || i.o.Plies > 0 && pos.Ply() > i.o.Plies {
		return nil
	}
	created, err := i.w.Add(pos, i.o.Stamp)
	if err != nil {
		return err
	}
	if created {
		i.sum.New++
	}
	if result != game.Undecided {
		if err := i.w.AddResult(pos, i.origin, result, i.o.Stamp); err != nil {
			return err
		}
	}
	if comment = CleanComment(comment); comment == "" {
		return nil
	}
	set, err := i.w.SuggestComment(pos, comment, i.o.Stamp)
	if set {
		i.sum.Comments++
	}
	return err
}
