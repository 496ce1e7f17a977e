// Package players turns descriptions such as "mcts:playouts=400,model=strong" into players.
// A [Spec] is a parsed description and a [PlayerSpec] a checked one; [Players] turns it
// into an entrant of a match. [ParseFixedTree] and [ParseFixedClassical] read searches whose
// results depend on position and budget alone.
package players

import (
	"context"
	"fmt"
	"strings"

	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
)

// PlayerKind is the kind of player that a [Spec] asks for.
type PlayerKind string

// The kinds of players.
const (
	MCTS      PlayerKind = "mcts"
	AlphaBeta PlayerKind = "alphabeta"
	Exec      PlayerKind = "exec" // another program that speaks the Gomocup protocol
)

// Spec describes a player:
//
//	mcts:playouts=400,model=NAME
//	alphabeta:nodes=100000,tc=60+0.5
//	exec:PATH ARGS
//	exec:PATH ARGS:tc=60+0.5,nodes=1000
//
// A value or a word of a command that holds spaces, commas, colons or quotes
// stands in double quotes, within which \" and \\ are a quote and a
// backslash. An exec command's options follow its last colon, which counts as
// theirs only if the name of one of them and an equals sign follow it, so that
// paths may hold colons.
type Spec struct {
	Kind    PlayerKind
	Args    Args              // in the order given
	Command []string          // the program and its arguments; Exec only
	Control arena.TimeControl // what the arguments tc and time say
}

// ParseSpec reads a player's description. Its errors are one line that names
// the part in error.
func ParseSpec(text string) (Spec, error) {
	for _, r := range text {
		if r < ' ' || r == 0x7f {
			return Spec{}, fmt.Errorf("player %q: control characters are not allowed", text)
		}
	}
	kind, rest, _ := strings.Cut(text, ":")
	spec := Spec{Kind: PlayerKind(kind)}
	options := rest
	switch spec.Kind {
	case MCTS, AlphaBeta:
	case Exec:
		var err error
		if options, err = spec.parseCommand(rest); err != nil {
			return Spec{}, fmt.Errorf("player %q: %w", text, err)
		}
	default:
		return Spec{}, fmt.Errorf("player %q: unknown kind %q: want mcts:..., alphabeta:... or exec:PATH ARGS", text, kind)
	}
	if err := spec.parseOptions(options); err != nil {
		return Spec{}, fmt.Errorf("player %q: %w", text, err)
	}
	return spec, nil
}

// parseCommand reads the words of an exec command and returns its options.
func (s *Spec) parseCommand(text string) (options string, err error) {
	pieces, err := splitQuoted(text, ':')
	if err != nil {
		return "", err
	}
	command, last := text, pieces[len(pieces)-1]
	if len(pieces) > 1 && isOption(last) {
		command, options = text[:len(text)-len(last)-1], last
	}
	if s.Command, err = splitWords(command); err != nil {
		return "", err
	}
	if len(s.Command) == 0 || s.Command[0] == "" {
		return "", fmt.Errorf("no program: want exec:PATH ARGS")
	}
	return options, nil
}

func (s *Spec) parseOptions(text string) (err error) {
	if s.Args, err = parseArgs(text); err != nil {
		return err
	}
	if s.Kind == Exec {
		if err := s.Args.Only(option.Keys(execArguments)...); err != nil {
			return err
		}
	}
	if tc, ok := s.Args.Get("tc"); ok {
		if s.Control, err = arena.ParseTimeControl(tc); err != nil {
			return err
		}
	}
	if text, ok := s.Args.Get("time"); ok {
		if s.Control.Turn, err = option.Time.Parse(text); err != nil {
			return fmt.Errorf("time=%s: %w", text, err)
		}
	}
	return nil
}

// isOption reports whether text begins as an exec player's options do.
func isOption(text string) bool {
	for _, name := range option.Keys(execArguments) {
		if strings.HasPrefix(text, name+"=") {
			return true
		}
	}
	return false
}

// Name returns the argument "name", or the whole description by default.
func (s Spec) Name() string {
	if name, ok := s.Args.Get("name"); ok {
		return name
	}
	return s.String()
}

// String returns the description, which ParseSpec reads back.
func (s Spec) String() string {
	parts := []string{string(s.Kind)}
	if s.Kind == Exec {
		words := make([]string, len(s.Command))
		for i, w := range s.Command {
			words[i] = quote(w)
		}
		parts = append(parts, strings.Join(words, " "))
	}
	if len(s.Args) > 0 {
		parts = append(parts, s.Args.String())
	}
	return strings.Join(parts, ":")
}

// splitQuoted cuts text at each separator outside of quotes and leaves the
// quotes where they are. Within quotes a backslash escapes a quote and a backslash.
func splitQuoted(text string, separator byte) ([]string, error) {
	var pieces []string
	start, open, escaped := 0, false, false
	for i := range len(text) {
		switch c := text[i]; {
		case escaped:
			escaped = false
		case c == '"':
			open = !open
		case open:
			escaped = c == '\\'
		case c == separator:
			pieces = append(pieces, text[start:i])
			start = i + 1
		}
	}
	if open {
		return nil, errQuote
	}
	return append(pieces, text[start:]), nil
}

// splitWords cuts a command at its spaces and takes the quotes off its words.
func splitWords(text string) ([]string, error) {
	pieces, err := splitQuoted(text, ' ')
	if err != nil {
		return nil, err
	}
	var words []string
	for _, piece := range pieces {
		if piece == "" {
			continue
		}
		words = append(words, unquote(piece))
	}
	return words, nil
}

// unquote takes the quotes and escapes out of text.
func unquote(text string) string {
	if !strings.Contains(text, `"`) {
		return text
	}
	return strings.NewReplacer(`\\`, `\`, `\"`, `"`, `"`, ``).Replace(text)
}

// quote returns text in the form that unquote reads, with quotes only where
// they are needed.
func quote(text string) string {
	if text != "" && !strings.ContainsAny(text, ` ",:`) {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}

// PlayerSpec is a checked description of a player: every option is in its range.
// [ParsePlayer] makes it; the network of a tree search is opened only by [Players.Entrant].
type PlayerSpec struct {
	Spec

	setup playerSetup
}

// playerSetup holds the options of one kind of player.
type playerSetup interface {
	// prepare loads what the player needs in every game, and returns a function that makes
	// a player.
	prepare(p *Players) (func(context.Context) (arena.Player, error), error)

	// parts returns the files that the player uses.
	parts(p *Players) ([]arena.Part, error)

	// addMemory adds the most memory that this player takes with the given number of
	// workers, without the networks' caches.
	addMemory(m *option.Memory, v games.Variant, workers int)

	// argument returns the option with a key and its value or default; nil if there is
	// none.
	argument(key string) (o option.Option, text string)

	// in returns the same player with the techniques that a variant's game has where none
	// are set.
	in(v games.Variant) playerSetup

	// repeatable returns an error that names the option, if any, that makes moves depend on
	// more than the game's seed and moves.
	repeatable() error
}

// ParsePlayer reads the options of a player's description. Its errors are one line that
// names the option in error.
func ParsePlayer(spec Spec) (PlayerSpec, error) {
	s := PlayerSpec{Spec: spec}
	var err error
	switch spec.Kind {
	case MCTS:
		s.setup, err = parseTree(spec)
	case AlphaBeta:
		s.setup, err = parseClassical(spec)
	case Exec:
		s.setup, err = parseExec(spec)
	}
	if err != nil {
		return s, fmt.Errorf("player %q: %w", spec, err)
	}
	return s, nil
}

// Memory of matches besides searches, in bytes: upper estimates, to reject early what does
// not fit.
const (
	workerBytes  = 1 << 20  // of a game in progress
	foreignBytes = 64 << 20 // of another program, at least
)

// CheckPlayers returns an error if a match would take more memory or threads than the
// machine has: tables, trees, threads, and a cache of cacheMiB for each network. The
// error has the options "workers" and "cache" as name names them.
func CheckPlayers(v games.Variant, specs []PlayerSpec, workers, cacheMiB int, name option.Naming) error {
	var m option.Memory
	m.Add(fmt.Sprintf("%s %d", name.FlagName("workers"), workers), workerBytes, workers)
	models := map[string]bool{}
	for _, spec := range specs {
		spec.setup.addMemory(&m, v, workers)
		if model, asks := spec.Model(); asks {
			models[model] = true
		}
	}
	m.Add(fmt.Sprintf("%s %d", name.FlagName("cache"), cacheMiB), int64(cacheMiB)<<20, len(models))
	return m.Check(option.Machine())
}

// Model returns the network that a player uses, "" for the shipped one; asks is false if it
// uses none.
func (s PlayerSpec) Model() (name string, asks bool) {
	if setup, ok := s.setup.(*Tree); ok {
		return setup.Model, true
	}
	return "", false
}
