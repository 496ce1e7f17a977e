package gamefiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

// Options says of which variant the games are.
type Options struct {
	// Variant is that of sources that name none. With Fixed, other sources
	// must be of it too; without, the first source decides for all.
	Variant games.Variant
	Fixed   bool

	// Scores takes what searches thought of the moves from shards of the classical
	// engine too; see Game.Values.
	Scores bool

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

// agreement is the variant that all games of a reader share.
type agreement struct {
	variant games.Variant // until decided, the default
	decided string        // what decided: a path; "" while nothing has
	given   bool          // decided by the options
}

func newAgreement(o Options) agreement {
	a := agreement{variant: o.Variant, given: o.Fixed}
	if o.Fixed {
		a.decided = "the rule asked for"
	}
	return a
}

// settle makes a tree a record of the variant of all games, or refuses it. A rule that
// it names must be a known one, unless the options say which.
func (a *agreement) settle(r *Record) error {
	settled, err := NewRecord(r.Tree, r.Source, a.variant.Options(), false)
	if err != nil {
		return err
	}
	if known := a.variant.Of().RuleSets; !a.given && ruleOf(r.Tree) != "" && !slices.Contains(known, ruleOf(r.Tree)) {
		return fmt.Errorf("%s: unknown rule %q: the rules are %s; say which one it stands for", r.Source, record.Excerpt(r.Tree.Rule), strings.Join(known, ", "))
	}
	r.Variant = settled.Variant
	return a.agree(r.Source, r.Variant)
}

// agree makes v the variant of all games, or refuses it.
func (a *agreement) agree(path string, v games.Variant) error {
	if a.decided != "" && v != a.variant {
		return fmt.Errorf("%s: its games are of %s, and %s is %s: want one rule and size in all inputs",
			path, v, a.decided, a.variant)
	}
	if a.decided == "" {
		a.variant, a.decided = v, path
	}
	return nil
}
