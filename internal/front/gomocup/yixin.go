package gomocup

import (
	"strings"
)

// Boards of the Yixin family keep databases, block points, and save tables. This
// engine does none of that, but it reads all of each such command, which may go
// on over several lines, and answers where a board waits for it.

// ignored is an open block command whose lines this engine ignores.
type ignored struct {
	verb string
	path bool // one line with the name of a file follows, and no rows
}

// takesPath reports whether the name of a file follows the command, on its line
// or the next.
func (c command) takesPath() bool {
	switch c.verb {
	case "YXHASHDUMP", "YXHASHLOAD", "YXSETDATABASE", "YXDBTOPOS", "YXDBTOTXT", "YXDBTOTXTALL", "YXTXTTODB",
		"YXLIBTODB", "YXDBTOLIB", "YXDBSPLIT", "YXDBMERGE":
		return true
	}
	return false
}

// isRow reports whether a line may be one of a block: numbers, with commas.
func isRow(text string) bool {
	return strings.ContainsAny(text, "0123456789") && strings.Trim(text, "0123456789,- \t") == ""
}

// ignore begins a command of the Yixin family that is not carried out.
func (s *session) ignore(c command) {
	if !c.idle() {
		s.out.printf("UNKNOWN command %s", excerpt(c.verb))
	}
	switch c.verb {
	case "YXSHOWHASHUSAGE":
		s.out.printf("MESSAGE the use of the table is not measured")
	case "YXHASHDUMP", "YXHASHLOAD":
		s.out.printf("MESSAGE tables are neither saved nor loaded")
	case "YXBLOCK", "YXBLOCKPATH":
		s.out.printf("MESSAGE no points are blocked: this engine always searches them all")
	}
	switch {
	case c.takesPath() && c.args != "":
	case strings.HasSuffix(strings.ToUpper(c.args), "DONE"):
		s.endIgnored(c.verb)
	default:
		s.ignored = &ignored{verb: c.verb, path: c.takesPath()}
	}
}

// continueIgnored takes a line while a command is ignored, and reports whether
// it belonged to that.
func (s *session) continueIgnored(c command, l line) bool {
	i := s.ignored
	switch {
	case c.known():
		s.ignored = nil
		return false
	case i.path:
		s.ignored = nil
		return true
	case c.verb == "DONE":
		s.ignored = nil
		s.endIgnored(i.verb)
		return true
	case isRow(l.text):
		return true
	}
	s.ignored = nil
	return false
}

// endIgnored answers a query of the database, which is empty.
func (s *session) endIgnored(verb string) {
	switch verb {
	case "YXQUERYDATABASEALL", "YXQUERYDATABASEALLT":
		s.out.printf("MESSAGE DATABASE REFRESH")
		s.out.printf("MESSAGE DATABASE DONE")
	case "YXQUERYDATABASEONE":
		s.out.printf("MESSAGE DATABASE ONE 0 0 0")
	}
	if verb == "YXQUERYDATABASETEXT" || verb == "YXQUERYDATABASEALLT" {
		s.out.printf(`MESSAGE DATABASE TEXT ""`)
	}
}
