package loop

import (
	"errors"
	"fmt"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"time"
)

// assignment is the input of one training: the values of the placeholders.
type assignment struct {
	samples  []string // directories, oldest first
	out      string   // directory
	net      string   // file
	previous string   // checkpoint; "": there is none
	round    int
	seed     uint64
	limit    time.Duration
	workers  int
}

// Names of placeholders.
const (
	wordSamples  = "samples"
	wordPrevious = "previous"
)

// values returns the placeholders that always have exactly one value.
func (a *assignment) values() map[string]string {
	return map[string]string{
		"out": a.out, "net": a.net,
		"round":   strconv.Itoa(a.round),
		"seed":    strconv.FormatUint(a.seed>>1, 10), // fits a signed number
		"minutes": strconv.FormatFloat(a.limit.Minutes(), 'f', -1, 64),
		"workers": strconv.Itoa(a.workers),
	}
}

var (
	placeholder = regexp.MustCompile(`\{([^{}]*)\}`)
	flagged     = regexp.MustCompile(`^\{(-[^ {}]+) ([^ {}]+)\}$`)
)

// expand returns a command with its placeholders replaced.
func (a *assignment) expand(words []string) ([]string, error) {
	values := a.values()
	var out []string
	for _, word := range words {
		if word == "{"+wordSamples+"}" {
			out = append(out, a.samples...)
			continue
		}
		if m := flagged.FindStringSubmatch(word); m != nil {
			value, known := values[m[2]]
			if m[2] == wordPrevious {
				value, known = a.previous, true
			}
			if !known {
				return nil, unknownWord(word)
			}
			if value != "" {
				out = append(out, m[1], value)
			}
			continue
		}
		var unknown error
		out = append(out, placeholder.ReplaceAllStringFunc(word, func(found string) string {
			value, known := values[found[1:len(found)-1]]
			if !known {
				unknown = unknownWord(found)
			}
			return value
		}))
		if unknown != nil {
			return nil, unknown
		}
	}
	return out, nil
}

func unknownWord(word string) error {
	switch strings.Trim(word, "{}") {
	case wordSamples:
		return errors.New("{samples} stands for several words: make it a word of its own")
	case wordPrevious:
		return errors.New("{previous} may stand for nothing: write it with its flag, as in {--init-from previous}")
	}
	return fmt.Errorf("%s: want {samples}, {out}, {net}, {round}, {seed}, {minutes}, {workers}, or a flag with a value, as in {--init-from previous}", word)
}

// checkCommand returns an error if a command has an unknown placeholder.
func checkCommand(words []string) error {
	if len(words) > 0 && (words[0] == "" || placeholder.MatchString(words[0])) {
		return fmt.Errorf("%q: want the name of a program", words[0])
	}
	for _, w := range words {
		if strings.ContainsRune(w, 0) {
			return fmt.Errorf("%q: a word cannot hold a zero byte", w)
		}
	}
	_, err := (&assignment{}).expand(words)
	return err
}

// checkInside returns an error if a name leads out of its directory.
func checkInside(name string) error {
	if name != "" && !filepath.IsLocal(name) {
		return fmt.Errorf("%q: want the name of a file within {out}", name)
	}
	return nil
}
