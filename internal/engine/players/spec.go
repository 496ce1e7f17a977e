package players

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/option"
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
	command := text
	if at := lastColon(text); at >= 0 && isOption(text[at+1:]) {
		command, options = text[:at], text[at+1:]
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
