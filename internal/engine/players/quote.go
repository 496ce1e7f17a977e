package players

import "strings"

// quoting follows a text from its start and knows whether a double quote is
// open. Within quotes a backslash escapes a quote and a backslash.
type quoting struct {
	open    bool
	escaped bool
}

// step reads one byte and reports whether it stands outside all quotes.
func (q *quoting) step(c byte) (outside bool) {
	switch {
	case q.escaped:
		q.escaped = false
	case q.open && c == '\\':
		q.escaped = true
	case c == '"':
		q.open = !q.open
	default:
		return !q.open
	}
	return false
}

// splitQuoted cuts text at each separator outside of quotes and leaves the
// quotes where they are.
func splitQuoted(text string, separator byte) ([]string, error) {
	var pieces []string
	var q quoting
	start := 0
	for i := range len(text) {
		if q.step(text[i]) && text[i] == separator {
			pieces = append(pieces, text[start:i])
			start = i + 1
		}
	}
	if q.open {
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
		word, err := unquote(piece)
		if err != nil {
			return nil, err
		}
		words = append(words, word)
	}
	return words, nil
}

// lastColon returns the index of the last colon outside of quotes, or -1.
func lastColon(text string) int {
	last := -1
	var q quoting
	for i := range len(text) {
		if q.step(text[i]) && text[i] == ':' {
			last = i
		}
	}
	return last
}

// unquote takes the quotes and escapes out of text.
func unquote(text string) (string, error) {
	var b strings.Builder
	var q quoting
	for i := range len(text) {
		escaped := q.escaped
		outside := q.step(text[i])
		switch {
		case escaped && text[i] != '"' && text[i] != '\\':
			b.WriteByte('\\')
			b.WriteByte(text[i])
		case escaped, outside, q.open && text[i] != '"' && !q.escaped:
			b.WriteByte(text[i])
		}
	}
	if q.open {
		return "", errQuote
	}
	return b.String(), nil
}

// quote returns text in the form that unquote reads, with quotes only where
// they are needed.
func quote(text string) string {
	if text != "" && !strings.ContainsAny(text, ` ",:`) {
		return text
	}
	return `"` + strings.NewReplacer(`\`, `\\`, `"`, `\"`).Replace(text) + `"`
}
