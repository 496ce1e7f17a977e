// Package convert turns recorded games of any form into files of another one:
// all into one file, each into its own, or all merged into one tree.
package convert

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/gamefiles"
)

// Options say what is made of the games.
type Options struct {
	To      record.Format
	Program string // written into SGF files as the program that made them, "name:version"
	Rule    string // of games whose records name none; "": none is written
	Charset string // of texts in psq and lib files; "": that of the source, or UTF-8
	Main    bool   // leave variations out
	Check   bool   // replay every game through the rules

	// Note gets a line about each game that is not legal, and about other things to
	// be told; never nil.
	Note func(text string)
}

// Summary is what became of the games.
type Summary struct {
	Games   int
	Illegal int // of the games, found by Check
	Files   []string
	Loss    record.Loss
}

// converter hands out games in the form in which they are written.
type converter struct {
	o   *Options
	in  *gamefiles.Trees
	sum *Summary
}

// next returns the next game, and io.EOF after the last one.
func (c *converter) next(ctx context.Context) (gamefiles.Record, error) {
	if err := ctx.Err(); err != nil {
		return gamefiles.Record{}, err
	}
	r, err := c.in.Next()
	if err != nil {
		return r, err
	}
	if c.o.Check {
		if err := r.Check(); err != nil {
			c.o.Note(err.Error())
			c.sum.Illegal++
		}
	}
	if c.o.Main {
		main := r.Tree.Branch(r.Tree.MainLeaf())
		if n := len(r.Tree.Nodes) - len(main.Nodes); n > 0 {
			c.sum.Loss.Add(record.Loss{Kinds: []record.Lost{{What: record.LostVariations, Count: n}}})
		}
		r.Tree = main
	}
	if r.Tree.Rule == "" && r.Tree.Size > 0 {
		r.Tree.Rule = c.o.Rule
	}
	c.sum.Games++
	return r, nil
}

// write writes a game as a file of the format.
func (c *converter) write(out io.Writer, r gamefiles.Record) error {
	if c.o.To == record.SGF && c.o.Program != "" {
		r.Tree.Program = c.o.Program
	}
	loss, err := r.Write(out, c.o.To, c.o.Charset)
	if err != nil {
		return disk.About(r.Source, err)
	}
	c.sum.Loss.Add(loss)
	return nil
}

// Stream writes all games to one file, in order. A format that holds one game takes
// one.
func Stream(ctx context.Context, out io.Writer, in *gamefiles.Trees, o Options) (Summary, error) {
	var sum Summary
	c := converter{&o, in, &sum}
	for {
		r, err := c.next(ctx)
		if errors.Is(err, io.EOF) {
			return sum, nil
		}
		if err != nil {
			return sum, err
		}
		if sum.Games == 2 && !o.To.HoldsMany() {
			return sum, fmt.Errorf("%s: a second game, and a %s file holds one: name a folder to get a file for each, or merge them", r.Source, o.To)
		}
		if err := c.write(out, r); err != nil {
			return sum, err
		}
	}
}

// Merge writes all games as one tree. Who played them is said in the comment of
// their last moves.
func Merge(ctx context.Context, out io.Writer, in *gamefiles.Trees, o Options) (Summary, error) {
	var sum Summary
	c := converter{&o, in, &sum}
	var first gamefiles.Record // with all moves in its tree
	for {
		r, err := c.next(ctx)
		if errors.Is(err, io.EOF) {
			err = c.write(out, first)
			return sum, err
		}
		if err != nil {
			return sum, err
		}
		c.sum.Loss.Add(r.Tree.InfoLoss(append(sign(r.Tree), "RU")...))
		if first.Tree == nil {
			first = r
			first.Tree = record.New(r.Tree.Size)
			first.Tree.Sized, first.Tree.Rule, first.Tree.Start, first.Tree.Charset = r.Tree.Sized, r.Tree.Rule, r.Tree.Start, r.Tree.Charset
		}
		all := first.Tree
		if !strings.EqualFold(all.Rule, r.Tree.Rule) {
			return sum, fmt.Errorf("%s: its rule is %q and that of %s %q: want games of one rule to merge", r.Source, r.Tree.Rule, first.Source, all.Rule)
		}
		if err := all.Merge(r.Tree); err != nil {
			return sum, fmt.Errorf("%s: %w", r.Source, err)
		}
	}
}

// sign adds a line about the players and the result to the comment of the last move
// of a game, since a tree of many games has no other place for them. It returns the
// fields that it has used.
func sign(t *record.Tree) []string {
	line := strings.TrimSpace(t.Black + " - " + t.White)
	if line == "-" {
		return nil
	}
	if t.Result != "" {
		line += " " + t.Result
	}
	note := t.Remark(t.MainLeaf())
	if note.Comment != "" {
		note.Comment += "\n"
	}
	note.Comment += line
	return []string{"PB", "PW", "RE"}
}
