package loop

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/selfplay"
)

// Games configures self-play games of a round: a table [[games]], whose keys are
// [gamesSettings].
type Games struct {
	Board
	From  int // first round that has the table
	Until int // last one; 0: the last of the loop

	// Player is described as in a match: alphabeta:nodes=N for a teacher, or
	// mcts:playouts=N for the tree search with the best network.
	Player string

	// Options have what the table says; 0 means the default, a temperature of 0 the
	// player's own.
	selfplay.Options
}

// gamesSettings are the keys of a table, as options name them; see tomlKey.
var gamesSettings = append([]option.Setting[Games]{
	option.StringVar(word{option.Text{Key: "game"}}, func(g *Games) *string { return &g.Game }),
	option.StringVar(word{option.Text{Key: "rule"}}, func(g *Games) *string { return &g.Rule }),
	option.NumVar(option.Int{Key: "size", Min: -1 << 31, Max: 1 << 31}, func(g *Games) *int { return &g.Size }),
	option.BoolVar(option.Switch("open-rule", "", false), func(g *Games) *bool { return &g.OpenRule }),
	option.NumVar(roundsRange.Named("from").ZeroMeans("the first"), func(g *Games) *int { return &g.From }),
	option.NumVar(roundsRange.Named("until").ZeroMeans("the last"), func(g *Games) *int { return &g.Until }),
	option.StringVar(word{option.Text{Key: "player"}}, func(g *Games) *string { return &g.Player }),
}, option.Within(append(
	option.Only(selfplay.Settings, "games"),
	option.OrZero(option.Without(selfplay.Settings, "games"), "the default")...,
), func(g *Games) *selfplay.Options { return &g.Options })...)

// word is an option whose values only the Host knows.
type word struct{ option.Text }

// Check implements [option.Option].
func (word) Check(string) error { return nil }

// tomlKey returns the key of an option in a configuration.
func tomlKey(o option.Option) string { return strings.ReplaceAll(o.Name(), "-", "_") }

// readGames reads the tables [[games]].
func readGames(tables []map[string]any) ([]Games, error) {
	list := make([]Games, len(tables))
	for i, table := range tables {
		for _, key := range slices.Sorted(maps.Keys(table)) {
			if err := list[i].set(key, table[key]); err != nil {
				return nil, &KeyError{fmt.Sprintf("games[%d].%s", i+1, key), err}
			}
		}
	}
	return list, nil
}

// set gives a key the value that a table has.
func (g *Games) set(key string, value any) error {
	at := slices.IndexFunc(gamesSettings, func(s option.Setting[Games]) bool { return tomlKey(s) == key })
	if at < 0 {
		return errNoKey
	}
	s := gamesSettings[at]
	text := fmt.Sprint(value)
	kind, shown := "", fmt.Sprintf("%.40s", text)
	switch value.(type) {
	case int64:
		kind = "a whole number"
	case float64:
		kind = "a number"
	case bool:
		kind = "true or false"
	case string:
		kind, shown = "a text", fmt.Sprintf("%.40q", text)
	default:
		shown = "a table, list or time"
	}
	want, ok := map[string]string{"int": "a whole number", "float": "a number", "bool": "true or false"}[option.Kind(s.Option)]
	if !ok {
		want = "a text"
	}
	if kind != want && !(kind == "a whole number" && want == "a number") {
		return fmt.Errorf("%s: want %s", shown, want)
	}
	if err := s.Set(g, text); err != nil {
		return fmt.Errorf("%s: %w", shown, err)
	}
	return nil
}

// check returns a [KeyError] for the first invalid value of the table at a key.
func (g *Games) check(at string) error {
	for _, s := range gamesSettings {
		if text := s.Text(g); s.Check(text) != nil {
			return keyErrorf(at+tomlKey(s), "%s: %w", text, s.Check(text))
		}
	}
	switch o := &g.Options.Opening; {
	case g.Player == "":
		return keyErrorf(at+"player", "want mcts:playouts=N or alphabeta:nodes=N")
	case g.Until > 0 && g.Until < g.From:
		return keyErrorf(at+"until", "%d: want at least from, %d, or 0", g.Until, g.From)
	case o.MinPlies > o.MaxPlies:
		return keyErrorf(at+"opening_min", "%d: want at most opening_max, %d", o.MinPlies, o.MaxPlies)
	case g.MaxPlies > 0 && g.MaxPlies <= o.MaxPlies:
		return keyErrorf(at+"max_plies", "%d: want more than opening_max, %d, or 0 for no limit", g.MaxPlies, o.MaxPlies)
	}
	return nil
}

// differs returns an error that names the first key of the table at a key that had another
// value when the loop began.
func (g *Games) differs(at string, was *Games) error {
	for _, s := range gamesSettings {
		if now, was := s.Text(g), s.Text(was); now != was {
			return changed(at+tomlKey(s), now, was)
		}
	}
	return nil
}
