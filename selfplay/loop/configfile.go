package loop

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/pelletier/go-toml/v2"
	"github.com/pelletier/go-toml/v2/unstable"
)

// mostConfig bounds a configuration's file, in bytes.
const mostConfig = 1 << 20

// KeyError is an error about one key of a configuration, as in games[1].size.
// Tables of a list are counted from 1.
type KeyError struct {
	Key string
	Err error
}

func (e *KeyError) Error() string { return e.Key + ": " + e.Err.Error() }
func (e *KeyError) Unwrap() error { return e.Err }

// keyErrorf returns a KeyError.
func keyErrorf(key, format string, args ...any) error {
	return &KeyError{key, fmt.Errorf(format, args...)}
}

// File is the text of a configuration, used to name lines in errors.
type File struct {
	Name  string
	Text  []byte
	lines map[string]int // by key
}

// At adds the file's name, and the line of the key if the error is about one.
func (f *File) At(err error) error {
	var key *KeyError
	if err == nil {
		return nil
	}
	if errors.As(err, &key) {
		for name := key.Key; name != ""; name = parent(name) {
			if line, ok := f.lines[name]; ok {
				return fmt.Errorf("%s:%d: %w", f.Name, line, err)
			}
		}
	}
	return fmt.Errorf("%s: %w", f.Name, err)
}

// parent returns the table that a key stands in, "" for the file itself.
func parent(key string) string { return key[:max(0, strings.LastIndexByte(key, '.'))] }

// Parse reads a configuration. Errors name the file by name, the line, and the unknown key
// or the key with the invalid value.
func Parse(name string, text []byte) (Config, *File, error) {
	file := &File{Name: name, Text: text}
	c := DefaultConfig()
	if len(text) > mostConfig {
		return c, file, fmt.Errorf("%s: %d bytes: a configuration has at most %d", name, len(text), mostConfig)
	}
	document := struct {
		Config
		Tables []map[string]any `toml:"games"`
	}{Config: c}
	decoder := toml.NewDecoder(bytes.NewReader(text))
	decoder.DisallowUnknownFields()
	if err := decoder.Decode(&document); err != nil {
		return c, file, decodeError(name, err)
	}
	c, file.lines = document.Config, keyLines(text)
	for i := range c.Gate.Boards {
		if _, told := file.lines[fmt.Sprintf("gate.boards[%d].opening_plies", i+1)]; !told {
			c.Gate.Boards[i].OpeningPlies = cmp.Or(c.Gate.Boards[i].OpeningPlies, defaultOpening)
		}
	}
	var err error
	if c.Games, err = readGames(document.Tables); err == nil {
		err = c.Check()
	}
	return c, file, file.At(err)
}

// errNoKey is the error for a key that no configuration has.
var errNoKey = errors.New("there is no such key; `carozero loop config` prints all keys")

// decodeError returns the library's first error on one line.
func decodeError(name string, err error) error {
	var unknown *toml.StrictMissingError
	if errors.As(err, &unknown) && len(unknown.Errors) > 0 {
		first := &unknown.Errors[0]
		line, _ := first.Position()
		return fmt.Errorf("%s:%d: %s: %w", name, line, strings.Join(first.Key(), "."), errNoKey)
	}
	var wrong *toml.DecodeError
	if errors.As(err, &wrong) {
		line, _ := wrong.Position()
		key := strings.Join(wrong.Key(), ".")
		if key != "" {
			key += ": "
		}
		return fmt.Errorf("%s:%d: %s%s", name, line, key, inWords(strings.TrimPrefix(wrong.Error(), "toml: ")))
	}
	return fmt.Errorf("%s: %w", name, err)
}

// misplaced are the library's texts for a value of another kind than the key's: what was
// found, and the type of Go that has the key.
var misplaced = regexp.MustCompile(`^cannot (?:decode TOML|store an?) (.+?) (?:into struct field .+ of type|in an?) (.+)$`)

// inWords returns an error's text without types of Go.
func inWords(text string) string {
	match := misplaced.FindStringSubmatch(text)
	if match == nil {
		return text
	}
	found := map[string]string{
		"string": "a text", "integer": "a whole number", "float": "a number with a fraction", "boolean": "true or false",
		"array": "a list", "datetime": "a time", "array table": "a list of tables",
	}[match[1]]
	want := map[string]string{
		"int": "a whole number", "float64": "a number", "bool": "true or false", "string": "a text", "[]string": "a list of texts",
	}[match[2]]
	switch {
	case want != "":
	case strings.HasPrefix(match[2], "[]"):
		want = "a list of tables"
	default:
		want = "a table"
	}
	return fmt.Sprintf("%s: want %s", cmp.Or(found, "a table"), want)
}

// keyLines returns the line of every table and key of a document that can be
// decoded.
func keyLines(text []byte) map[string]int {
	lines, count := map[string]int{}, map[string]int{}
	var p unstable.Parser
	p.Reset(text)
	table := ""
	for p.NextExpression() {
		e := p.Expression()
		key, line := keyOf(&p, e)
		switch e.Kind {
		case unstable.Table:
			table = key
		case unstable.ArrayTable:
			if count[key]++; count[key] == 1 {
				lines[key] = line
			}
			table = fmt.Sprintf("%s[%d]", key, count[key])
		case unstable.KeyValue:
			if table != "" {
				key = table + "." + key
			}
			lines[key] = line
			continue
		default:
			continue
		}
		lines[table] = line
	}
	return lines
}

// keyOf returns the dotted key of an expression, and its line.
func keyOf(p *unstable.Parser, e *unstable.Node) (key string, line int) {
	var parts []string
	for it := e.Key(); it.Next(); {
		if line == 0 {
			line = p.Shape(it.Node().Raw).Start.Line
		}
		parts = append(parts, string(it.Node().Data))
	}
	return strings.Join(parts, "."), line
}
