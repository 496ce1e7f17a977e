// Command docscheck runs the commands that documents show, each document's in a new
// folder, and compares what they print with what the documents say they print.
//
//	docscheck -program bin/carozero README.md docs/*.md
//
// Times, rates, dates, versions and the widths of columns may differ. A block of
// commands can have lines above it that readers do not see:
//
//	<!-- docs: before: COMMAND -->   makes what the block needs
//	<!-- docs: varies: REGEXP -->    what matches may differ as well
//	<!-- docs: not run: REASON -->   the commands take too long, or need a server
//
// Of commands that are not run, and of those in blocks marked as sh, which show no
// output, the flags are looked up. With -renew the documents are written anew with
// what was printed. The exit status is 1 if anything differs.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"
	"unicode"
)

func main() {
	program := flag.String("program", "bin/carozero", "the program that the commands run")
	renew := flag.Bool("renew", false, "write what was printed into the documents")
	limit := flag.Duration("limit", 15*time.Minute, "how long a command may take")
	words := flag.Int("words", 0, "the most words that the documents may have together; 0 for any number")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt)
	defer stop()
	c := checker{program: *program, limit: *limit, out: os.Stdout, renew: *renew, words: *words}
	if err := c.check(ctx, flag.Args()); err != nil {
		fmt.Fprintln(os.Stderr, "docscheck:", err)
		os.Exit(1)
	}
}

// command is a command that a page shows, and what is said of its block.
type command struct {
	line  int      // its number in the page, from 1
	text  string   // for the shell, without the backslashes of broken lines
	input string   // lines that are shown as typed, after "> "
	shown []string // lines that it prints

	from, to int // of the shown lines in the page's text

	before []string       // commands that make what the block needs
	alone  bool           // it is shown without what it prints
	notRun bool           // for a reason that the page says
	varies *regexp.Regexp // what may be printed otherwise, nil if nothing
}

var (
	blocks    = regexp.MustCompile("(?ms)((?:^<!-- docs:[^\n]*\n)*)^```(\\w*)\n(.*?)^```$")
	directive = regexp.MustCompile(`^<!-- docs: (before|varies|not run): (.+) -->\n$`)
	prompt    = regexp.MustCompile(`(?m)^\$ `)
	session   = regexp.MustCompile(`(?s)^\$ ((?:[^\n]*\\\n)*[^\n]*)\n((?:> [^\n]*\n)*)(.*)$`)
	script    = regexp.MustCompile(`(?m)^[^#\n](?:[^\n]*\\\n)*[^\n]*$`)
	broken    = regexp.MustCompile(`\\\n\s*`)
)

// commandsOf finds the commands of a page: in fenced blocks without a mark after "$ ", with
// what they print below them, and in those marked as sh alone. Its errors begin with a line.
func commandsOf(text string) (list []command, err error) {
	lineAt := func(at int) int { return 1 + strings.Count(text[:at], "\n") }
	said := 0
	for _, at := range blocks.FindAllStringSubmatchIndex(text, -1) {
		above, mark, from, to := text[at[2]:at[3]], text[at[4]:at[5]], at[6], at[7]
		var block command
		for line := range strings.Lines(above) {
			said++
			d := directive.FindStringSubmatch(line)
			if d == nil {
				return nil, fmt.Errorf("%d: want <!-- docs: before: COMMAND -->, varies: REGEXP or not run: REASON", lineAt(at[0]))
			}
			switch d[1] {
			case "before":
				block.before = append(block.before, d[2])
			case "not run":
				block.notRun = true
			case "varies":
				if block.varies, err = regexp.Compile(d[2]); err != nil {
					return nil, fmt.Errorf("%d: %w", lineAt(at[0]), err)
				}
			}
		}
		if block.alone = mark == "sh"; block.alone {
			for _, s := range script.FindAllStringIndex(text[from:to], -1) {
				c := block
				c.line, c.text = lineAt(from+s[0]), broken.ReplaceAllString(text[from+s[0]:from+s[1]], "")
				list = append(list, c)
			}
		}
		if mark != "" {
			continue
		}
		starts := append(prompt.FindAllStringIndex(text[from:to], -1), []int{to - from})
		for i, s := range starts[:len(starts)-1] {
			start, end := from+s[0], from+starts[i+1][0]
			m := session.FindStringSubmatchIndex(text[start:end])
			c := block
			c.line, c.text = lineAt(start), broken.ReplaceAllString(text[start+m[2]:start+m[3]], "")
			c.input = strings.ReplaceAll("\n"+text[start+m[4]:start+m[5]], "\n> ", "\n")[1:]
			c.from, c.to = start+m[6], end
			if c.shown = strings.Split(strings.TrimRight(text[c.from:c.to], "\n"), "\n"); c.shown[0] == "" {
				c.shown = nil
			}
			block.before = nil
			list = append(list, c)
		}
	}
	if strings.Count("\n"+text, "\n<!-- docs:") != said {
		return nil, errors.New(" a line `<!-- docs: -->` must stand directly above a block, which ends with three backquotes")
	}
	return list, nil
}

// checker runs the commands of pages with one program.
type checker struct {
	program string        // its path
	limit   time.Duration // how long a command may take
	out     io.Writer     // differences are written here
	renew   bool          // write what was printed into the pages
	words   int           // the most that the pages may have; 0 for any number

	help                        map[string]string // the answers of --help, by command
	run, notRun, alone, differs int               // commands
}

// check checks pages and prints the result of each.
func (c *checker) check(ctx context.Context, paths []string) (err error) {
	if len(paths) == 0 {
		return errors.New("want the documents to check")
	}
	if c.program, err = filepath.Abs(c.program); err != nil {
		return err
	}
	if _, err := os.Stat(c.program); err != nil {
		return fmt.Errorf("%w: build it with make build", err)
	}
	c.help = map[string]string{}
	words := 0
	for _, path := range paths {
		data, err := os.ReadFile(path)
		if err != nil {
			return err
		}
		text := string(data)
		for word := range strings.FieldsSeq(text) {
			if strings.ContainsFunc(word, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) }) {
				words++
			}
		}
		if text, err = c.page(ctx, path, text); err != nil {
			return fmt.Errorf("%s:%w", path, err)
		}
		if c.renew && text != string(data) {
			if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
				return err
			}
		}
	}
	fmt.Fprintf(c.out, "%d documents, %d words; commands: %d run, %d not run, %d without output; %d differ\n",
		len(paths), words, c.run, c.notRun, c.alone, c.differs)
	if c.differs > 0 {
		return fmt.Errorf("%d commands print something else than is shown, or have unknown flags", c.differs)
	}
	if c.words > 0 && words > c.words {
		return fmt.Errorf("%d words are more than %d", words, c.words)
	}
	return nil
}

// page runs a page's commands one after the other in one new folder, in which bin/carozero
// is the program and carozero is found as well. It returns the text with what they printed.
func (c *checker) page(ctx context.Context, path, text string) (string, error) {
	commands, err := commandsOf(text)
	if err != nil {
		return "", err
	}
	folder, err := os.MkdirTemp("", "docs-")
	if err != nil {
		return "", err
	}
	defer os.RemoveAll(folder)
	if err := os.Mkdir(filepath.Join(folder, "bin"), 0o755); err != nil {
		return "", err
	}
	if err := os.Symlink(c.program, filepath.Join(folder, "bin", "carozero")); err != nil {
		return "", err
	}
	renewed, done := "", 0
	for _, s := range commands {
		wrong, err := c.unknownFlags(ctx, s.text)
		switch {
		case err != nil:
			return "", err
		case s.notRun:
			c.notRun++
		case s.alone:
			c.alone++
		default:
			c.run++
			for _, text := range s.before {
				if output, err := c.output(ctx, folder, text, ""); err != nil {
					return "", fmt.Errorf("%d: before this block, %s: %w: %s", s.line, text, err, strings.Join(output, " "))
				}
			}
			output, err := c.output(ctx, folder, s.text, s.input)
			if ctx.Err() != nil {
				return "", ctx.Err()
			}
			if errors.Is(err, context.DeadlineExceeded) || err != nil && s.shown == nil {
				wrong = append(append(wrong, err.Error()), output...)
			} else if lines := difference(s, output); s.shown != nil && len(lines) > 0 {
				wrong = append(wrong, lines...)
				renewed += text[done:s.from] + strings.Join(append(output, ""), "\n")
				done = s.to
			}
		}
		if len(wrong) > 0 {
			c.differs++
			fmt.Fprintf(c.out, "%s:%d: %s\n    %s\n", path, s.line, s.text, strings.Join(wrong, "\n    "))
		}
	}
	return renewed + text[done:], nil
}

// output returns the lines that a command prints on both streams, and an error if it
// fails or takes longer than the limit.
func (c *checker) output(ctx context.Context, folder, text, input string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	cmd := exec.CommandContext(ctx, "bash", "-c", text)
	cmd.Dir, cmd.WaitDelay = folder, time.Second // of what it has started
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdin = strings.NewReader(input)
	data, err := cmd.CombinedOutput()
	if ctx.Err() != nil {
		err = fmt.Errorf("mark the block as not run: %w", ctx.Err())
	}
	printed := strings.ReplaceAll(strings.TrimRight(string(data), "\n"), folder+"/", "")
	if printed == "" {
		return nil, err
	}
	return strings.Split(printed, "\n"), err
}

// difference compares what a command shows with what it printed: lines of the one
// with "- " before them, and of the other with "+ ". Answers to lines that were typed
// may come in any order.
func difference(s command, printed []string) (lines []string) {
	shown := s.shown
	if s.input != "" {
		shown, printed = slices.Sorted(slices.Values(shown)), slices.Sorted(slices.Values(printed))
	}
	for i := range max(len(shown), len(printed)) {
		if i < len(shown) && i < len(printed) && normal(shown[i], s.varies) == normal(printed[i], s.varies) {
			continue
		}
		if i < len(shown) {
			lines = append(lines, "- "+shown[i])
		}
		if i < len(printed) {
			lines = append(lines, "+ "+printed[i])
		}
	}
	return lines
}

// What differs between builds, machines and times.
var passing = []struct {
	what *regexp.Regexp
	by   string
}{
	{regexp.MustCompile(`"(version|git_hash|commit)":"[^"]*"`), `"$1":""`},
	{regexp.MustCompile(`\d{4}-\d\d-\d\d[ T]\d\d:\d\d:\d\dZ?`), "DATE"},
	{regexp.MustCompile(`\b[\d.]+( [kM])? [a-z+]+( [a-z]+)?/s\b`), "RATE"},
	{regexp.MustCompile(`\b[\d.]+ ?(ns|us|ms|s|min|h)\b`), "TIME"},
	{regexp.MustCompile(`\s+`), " "},
}

// normal returns a line without what may differ: times, dates, rates, versions, the
// widths of columns, and what the block says itself.
func normal(line string, varies *regexp.Regexp) string {
	if varies != nil {
		line = varies.ReplaceAllString(line, "VARIES")
	}
	for _, p := range passing {
		line = p.what.ReplaceAllString(line, p.by)
	}
	return strings.TrimSpace(line)
}

var (
	invocation = regexp.MustCompile(`(?:^|[|;(&] *|exec )(?:\./)?(?:bin/)?carozero` +
		`((?: +[a-z]+)*)((?: +(?:'[^']*'|[^ |;&>'#]+))*)`)
	longFlag = regexp.MustCompile(` --([a-z][a-z0-9-]*)`)
)

// unknownFlags finds flags in a command line that the program's commands do not
// have, by what --help says.
func (c *checker) unknownFlags(ctx context.Context, text string) (wrong []string, err error) {
	for _, call := range invocation.FindAllStringSubmatch(text, -1) {
		name := strings.Join(strings.Fields(call[1]), " ")
		for _, flag := range longFlag.FindAllStringSubmatch(call[2], -1) {
			if _, ok := c.help[name]; !ok {
				output, err := c.output(ctx, ".", c.program+" "+name+" --help", "")
				if err != nil {
					return nil, fmt.Errorf(" %s %s --help: %w", c.program, name, err)
				}
				c.help[name] = strings.Join(output, "\n")
			}
			if !regexp.MustCompile(`--` + flag[1] + `\b`).MatchString(c.help[name]) {
				wrong = append(wrong, fmt.Sprintf("carozero %s has no flag --%s", name, flag[1]))
			}
		}
	}
	return wrong, nil
}
