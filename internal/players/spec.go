// Package players turns descriptions such as "mcts:playouts=400,model=strong" into players.
// A [Spec] is a parsed description and a [PlayerSpec] a checked one; [Players] turns it
// into an entrant of a match. [ParseFixedTree] and [ParseFixedClassical] read searches whose
// results depend on position and budget alone.
package players

import (
	"errors"
	"fmt"
	"slices"
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
	words, err := splitQuoted(command, ' ')
	if err != nil {
		return "", err
	}
	for _, word := range words {
		if word != "" {
			s.Command = append(s.Command, unquote(word))
		}
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
	return slices.ContainsFunc(option.Keys(execArguments), func(key string) bool {
		return strings.HasPrefix(text, key+"=")
	})
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
	var command, args []string
	for _, w := range s.Command {
		command = append(command, quote(w))
	}
	for _, a := range s.Args {
		args = append(args, a.Key+"="+quote(a.Value))
	}
	text := string(s.Kind)
	if command != nil {
		text += ":" + strings.Join(command, " ")
	}
	if args != nil {
		text += ":" + strings.Join(args, ",")
	}
	return text
}

// Arg is one "key=value" of a player's description.
type Arg struct{ Key, Value string }

// Args are the arguments of a player in the order given, without repeated
// keys.
type Args []Arg

// keyLetters are those of an argument's key.
const keyLetters = "abcdefghijklmnopqrstuvwxyz0123456789-"

// parseArgs reads "key=value,key=value"; the empty text has no arguments.
func parseArgs(text string) (Args, error) {
	if text == "" {
		return nil, nil
	}
	pieces, err := splitQuoted(text, ',')
	if err != nil {
		return nil, err
	}
	args := make(Args, 0, len(pieces))
	for _, piece := range pieces {
		key, raw, ok := strings.Cut(piece, "=")
		if !ok || key == "" || strings.Trim(key, keyLetters) != "" {
			return nil, fmt.Errorf("argument %q: want key=value", piece)
		}
		value := unquote(raw)
		if value == "" {
			return nil, fmt.Errorf("argument %q: the value is empty", piece)
		}
		if _, twice := args.Get(key); twice {
			return nil, fmt.Errorf("argument %q is given twice", key)
		}
		args = append(args, Arg{key, value})
	}
	return args, nil
}

// Get returns the value of key and whether it was given.
func (a Args) Get(key string) (string, bool) {
	for _, arg := range a {
		if arg.Key == key {
			return arg.Value, true
		}
	}
	return "", false
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
		return nil, errors.New("a double quote is not closed")
	}
	return append(pieces, text[start:]), nil
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
	// enter loads what the player needs in every game, and gives the entrant its ways to
	// make players and to list their files.
	enter(p *Players, e *arena.Entrant) error
	// addMemory adds the most memory that this player takes with the given number of
	// workers, without the networks' caches.
	addMemory(m *option.Memory, v games.Variant, workers int)
	arguments() []argument
}

// Parse reads a player's description, as ParseSpec and ParsePlayer do.
func Parse(text string) (PlayerSpec, error) {
	spec, err := ParseSpec(text)
	if err != nil {
		return PlayerSpec{}, err
	}
	return ParsePlayer(spec)
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
	if tree, ok := s.setup.(*Tree); ok {
		return tree.Model, true
	}
	return "", false
}
