package main

import (
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"unicode"
)

// page is a document in Markdown with the commands that it shows.
type page struct {
	path   string
	lines  []string
	words  int // with a letter or a digit, so that bars of tables are none
	blocks []block
}

// block is a fenced block that has commands: after "$ ", with what they print below
// them, or, if it is marked as sh, commands alone.
type block struct {
	line     int            // number of its fence in the page
	commands []command      // in order
	before   []string       // commands that make what the block needs, not shown
	notRun   string         // why it is not run, "" if it is
	varies   *regexp.Regexp // what may be printed otherwise, nil if nothing
}

// command is a shown command.
type command struct {
	line     int      // its number in the page, from 1
	text     string   // for the shell, without the backslashes of broken lines
	input    []string // lines that are shown as typed, after "> "
	shown    []string // lines that it prints, as the page has them
	from, to int      // the shown lines are lines[from:to] of the page
}

var (
	fence     = regexp.MustCompile("^```(\\w*)$")
	directive = regexp.MustCompile(`^<!-- docs: (before|varies|not run): (.+) -->$`)
)

// readPage reads a page. Its errors name the line.
func readPage(path string) (page, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return page{}, err
	}
	p := page{path: path, lines: strings.Split(string(data), "\n"), words: words(string(data))}
	var next block // what was said of the next block
	said := 0      // where
	for i := 0; i < len(p.lines); i++ {
		line := p.lines[i]
		if strings.HasPrefix(line, "<!-- docs:") {
			if err := next.heed(line); err != nil {
				return page{}, fmt.Errorf("%s:%d: %w", path, i+1, err)
			}
			said = i + 1
			continue
		}
		opened := fence.FindStringSubmatch(line)
		if opened == nil {
			if said > 0 && strings.TrimSpace(line) != "" {
				return page{}, fmt.Errorf("%s:%d: a line about a block must stand directly above it", path, said)
			}
			continue
		}
		length := slices.Index(p.lines[i+1:], "```")
		if length < 0 {
			return page{}, fmt.Errorf("%s:%d: this block does not end: want a line of three backquotes", path, i+1)
		}
		next.line = i + 1
		switch {
		case opened[1] == "sh":
			next.commands = script(p.lines[i+1:i+1+length], i+2)
		case opened[1] == "":
			next.commands = session(p.lines[i+1:i+1+length], i+1)
		}
		if len(next.commands) > 0 {
			p.blocks = append(p.blocks, next)
		} else if said > 0 {
			return page{}, fmt.Errorf("%s:%d: the block below has no command", path, said)
		}
		next, said = block{}, 0
		i += length + 1
	}
	if said > 0 {
		return page{}, fmt.Errorf("%s:%d: no block follows", path, said)
	}
	return p, nil
}

// words counts the words of a text, without those that are marks alone.
func words(text string) int {
	n := 0
	for word := range strings.FieldsSeq(text) {
		if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
			n++
		}
	}
	return n
}

// heed reads a line about the next block.
func (b *block) heed(line string) error {
	d := directive.FindStringSubmatch(line)
	if d == nil {
		return fmt.Errorf("%s: want <!-- docs: before: COMMAND -->, <!-- docs: varies: REGEXP --> or <!-- docs: not run: REASON -->", line)
	}
	switch d[1] {
	case "before":
		b.before = append(b.before, d[2])
	case "not run":
		b.notRun = d[2]
	case "varies":
		varies, err := regexp.Compile(d[2])
		if err != nil {
			return err
		}
		b.varies = varies
	}
	return nil
}

// session finds the commands of a block with prompts; lines[0] is line first+1.
func session(lines []string, first int) []command {
	var commands []command
	for i := 0; i < len(lines); i++ {
		text, ok := strings.CutPrefix(lines[i], "$ ")
		if !ok {
			continue
		}
		c := command{line: first + 1 + i}
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text = strings.TrimSuffix(text, `\`) + strings.TrimSpace(lines[i])
		}
		c.text = text
		for ; i+1 < len(lines) && strings.HasPrefix(lines[i+1], "> "); i++ {
			c.input = append(c.input, lines[i+1][2:])
		}
		c.from = first + i + 1
		for ; i+1 < len(lines) && !strings.HasPrefix(lines[i+1], "$ "); i++ {
			c.shown = append(c.shown, lines[i+1])
		}
		c.to = first + i + 1
		commands = append(commands, c)
	}
	return commands
}

// script finds the commands of a block without prompts; lines[0] is line first.
func script(lines []string, first int) []command {
	var commands []command
	for i := 0; i < len(lines); i++ {
		c := command{line: first + i}
		text := lines[i]
		for strings.HasSuffix(text, `\`) && i+1 < len(lines) {
			i++
			text = strings.TrimSuffix(text, `\`) + strings.TrimSpace(lines[i])
		}
		if c.text = strings.TrimSpace(text); c.text != "" && !strings.HasPrefix(c.text, "#") {
			commands = append(commands, c)
		}
	}
	return commands
}

// renewed returns the text of the page with new lines below some of its commands,
// which are keyed by the number of their line.
func (p page) renewed(printed map[int][]string) string {
	var out []string
	done := 0
	for _, b := range p.blocks {
		for _, c := range b.commands {
			if lines, ok := printed[c.line]; ok {
				out = append(append(out, p.lines[done:c.from]...), lines...)
				done = c.to
			}
		}
	}
	return strings.Join(append(out, p.lines[done:]...), "\n")
}
