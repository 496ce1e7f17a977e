package gamefiles

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/engine/games"
)

// Options says of which variant the games are.
type Options struct {
	// Variant is that of sources that name none. With Fixed, other sources
	// must be of it too; without, the first source decides for all.
	Variant games.Variant
	Fixed   bool
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

// claim is what a source says about its variant; zero fields say nothing.
type claim struct {
	rule string // in any case
	size int
}

// settle returns the variant of a source at path that makes a claim.
func (a *agreement) settle(path string, c claim) (games.Variant, error) {
	game := a.variant.Of()
	if game.SGF == 0 {
		if c != (claim{}) {
			return games.Variant{}, fmt.Errorf("%s: it is a record of a game on a board of cells, and the games wanted are of %s, which have no such form", path, game.Name)
		}
		return a.variant, a.agree(path, a.variant)
	}
	o := a.variant.Options()
	rule := strings.ToLower(strings.TrimSpace(c.rule))
	switch known := slices.Contains(game.RuleSets, rule); {
	case known:
		o.Rule = rule
	case rule != "" && !a.given:
		return games.Variant{}, fmt.Errorf("%s: unknown rule %q: the rules are %s; say which one it stands for",
			path, excerpt(c.rule), strings.Join(game.RuleSets, ", "))
	}
	if c.size != 0 {
		o.Size = c.size
	}
	v, err := games.NewVariant(o)
	if err != nil {
		return v, fmt.Errorf("%s: %w", path, err)
	}
	return v, a.agree(path, v)
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

// excerpt shortens foreign text for a message.
func excerpt(text string) string {
	const most = 40
	if len(text) > most {
		return text[:most] + "..."
	}
	return text
}
