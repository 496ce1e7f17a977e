package gomocup

import "strings"

// command is one line of input.
type command struct {
	verb string // first word, in capitals
	args string // the rest, without spaces around it
}

// parseCommand splits a line; any text is some command.
func parseCommand(line string) command {
	verb, args := cutWord(line)
	return command{verb: strings.ToUpper(verb), args: args}
}

// cutWord returns the first word of a text and the rest, without spaces around it.
func cutWord(text string) (word, rest string) {
	text = strings.TrimSpace(text)
	if i := strings.IndexAny(text, " \t"); i >= 0 {
		return text[:i], strings.TrimSpace(text[i:])
	}
	return text, ""
}

// opensBlock reports whether lines of stones and DONE follow the command.
func (c command) opensBlock() bool {
	switch c.verb {
	case "BOARD", "YXBOARD", "SWAP2BOARD":
		return true
	}
	return c.soosorv()
}

// soosorv reports whether the command is one of a board that plays an opening
// under the rule of that name, with the stones so far in a block.
func (c command) soosorv() bool {
	switch c.verb {
	case "YXSOOSORVSTEP2", "YXSOOSORVSTEP3", "YXSOOSORVSTEP4", "YXSOOSORVSTEP5", "YXSOOSORVSTEP6":
		return true
	}
	return false
}

// yixin reports whether only a board of the Yixin family sends the command.
func (c command) yixin() bool { return strings.HasPrefix(c.verb, "YX") }

// harmless reports whether the position and what was learned of it are the same
// after the command, so that the engine may go on pondering.
func (c command) harmless() bool {
	switch c.verb {
	case "INFO", "ABOUT", "YXSHOWFORBID", "YXSHOWINFO":
		return true
	}
	return c.idle()
}

// idle reports whether the command is one of the Yixin family that asks nothing
// of this engine: about databases, blocked points, saved tables.
func (c command) idle() bool {
	for _, prefix := range []string{"YXBLOCK", "YXQUERYDATABASE", "YXDELETEDATABASE", "YXEDIT", "YXSETDATABASE", "YXSAVEDATABASE",
		"YXSETBESTMOVE", "YXCLEARBESTMOVE", "YXDB", "YXTXT", "YXLIB", "YXHASHDUMP", "YXHASHLOAD", "YXSHOWHASHUSAGE",
		"YXDRAW", "YXRESIGN", "YXFORBID", "YXPRINTFEATURE"} {
		if strings.HasPrefix(c.verb, prefix) {
			return true
		}
	}
	return false
}

// known reports whether the command is one that a session carries out. Inside a
// block of stones it means that the block was left without DONE.
func (c command) known() bool {
	switch c.verb {
	case "START", "RECTSTART", "RESTART", "BEGIN", "TURN", "TAKEBACK", "PLAY", "INFO", "ABOUT", "END",
		"YXSTOP", "YXSHOWFORBID", "YXHASHCLEAR", "YXNBEST", "YXSHOWINFO", "YXBALANCEONE", "YXBALANCETWO", "YXSEARCHDEFEND",
		"YXSWAP2STEP1", "YXSWAP2STEP2", "YXSWAP2STEP3", "YXSOOSORVSTEP1":
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
