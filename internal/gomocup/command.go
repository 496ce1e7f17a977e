package gomocup

import "strings"

// command is one line of input.
type command struct {
	verb string // first word, in capitals
	args string // the rest, without spaces around it
}

// parseCommand splits a line; any text is some command.
func parseCommand(line string) command {
	line = strings.TrimSpace(line)
	verb, args := line, ""
	if i := strings.IndexAny(line, " \t"); i >= 0 {
		verb, args = line[:i], strings.TrimSpace(line[i:])
	}
	return command{verb: strings.ToUpper(verb), args: args}
}

// opensBlock reports whether lines of stones and DONE follow the command.
func (c command) opensBlock() bool {
	switch c.verb {
	case "BOARD", "YXBOARD", "SWAP2BOARD":
		return true
	}
	return false
}

// yixin reports whether only a board of the Yixin family sends the command.
func (c command) yixin() bool { return strings.HasPrefix(c.verb, "YX") }

// known reports whether the command is one that a session carries out. Inside a
// block of stones it means that the block was left without DONE.
func (c command) known() bool {
	switch c.verb {
	case "START", "RECTSTART", "RESTART", "BEGIN", "TURN", "TAKEBACK", "PLAY", "INFO", "ABOUT", "END",
		"YXSTOP", "YXSHOWFORBID", "YXHASHCLEAR", "YXNBEST", "YXSHOWINFO", "YXBALANCEONE", "YXBALANCETWO":
		return true
	}
	return c.opensBlock()
}

// longest excerpt of a client's text in a message, in bytes.
const longestExcerpt = 40

// excerpt returns text for a message: short, and printable ASCII only.
func excerpt(text string) string {
	var b strings.Builder
	for _, r := range text {
		if b.Len() >= longestExcerpt {
			return b.String() + "..."
		}
		if r < ' ' || r > '~' {
			r = '?'
		}
		b.WriteRune(r)
	}
	return b.String()
}
