package main

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/procgroup"
)

// checker runs the commands of pages with one program.
type checker struct {
	program string            // its path, absolute
	limit   time.Duration     // how long a command may take
	out     io.Writer         // differences are written here
	help    map[string]string // the answers of --help, by command
}

// errTooLong is the error of a command that was ended at the limit.
var errTooLong = errors.New("mark the block as not run")

// counts counts the commands of a page by result.
type counts struct {
	run     int // and what they printed was compared
	notRun  int // in blocks that say why
	alone   int // shown without what they print: their flags are looked up
	differs int // of those that were run or looked up
}

func (n *counts) add(m counts) {
	n.run += m.run
	n.notRun += m.notRun
	n.alone += m.alone
	n.differs += m.differs
}

// check runs a page's blocks one after the other in one new folder, in which
// bin/carozero is the program and carozero is found as well. printed has what those
// commands printed that the page shows otherwise, by the command's line.
func (c *checker) check(ctx context.Context, p page) (n counts, printed map[int][]string, err error) {
	folder, err := os.MkdirTemp("", "docs-")
	if err != nil {
		return n, nil, err
	}
	defer os.RemoveAll(folder)
	if err := os.Mkdir(filepath.Join(folder, "bin"), 0o755); err != nil {
		return n, nil, err
	}
	if err := os.Symlink(c.program, filepath.Join(folder, "bin", "carozero")); err != nil {
		return n, nil, err
	}
	printed = map[int][]string{}
	for _, b := range p.blocks {
		if b.notRun != "" {
			b.before = nil
		}
		for _, command := range b.before {
			if output, err := c.run(ctx, folder, command, nil); err != nil {
				return n, nil, fmt.Errorf("%s:%d: before this block, %s: %w: %s", p.path, b.line, command, err, strings.Join(output, " "))
			}
		}
		for _, s := range b.commands {
			wrong, err := c.unknownFlags(ctx, s.text)
			if err != nil {
				return n, nil, err
			}
			if b.notRun == "" && p.lines[b.line-1] == "```" {
				n.run++
				output, err := c.run(ctx, folder, s.text, s.input)
				switch {
				case ctx.Err() != nil:
					return n, nil, ctx.Err()
				case len(s.shown) == 0 && err != nil, errors.Is(err, errTooLong):
					wrong = append(append(wrong, err.Error()), output...)
				case len(s.shown) > 0:
					if lines := difference(s, output, b.varies); len(lines) > 0 {
						wrong = append(wrong, lines...)
						printed[s.line] = output
					}
				}
			} else if b.notRun != "" {
				n.notRun++
			} else {
				n.alone++
			}
			if len(wrong) > 0 {
				n.differs++
				fmt.Fprintf(c.out, "%s:%d: %s\n    %s\n", p.path, s.line, s.text, strings.Join(wrong, "\n    "))
			}
		}
	}
	return n, printed, nil
}

// run returns the lines that a command prints on both streams, and an error if it
// fails or takes longer than the limit.
func (c *checker) run(ctx context.Context, folder, text string, input []string) ([]string, error) {
	ctx, cancel := context.WithTimeout(ctx, c.limit)
	defer cancel()
	cmd := exec.Command("bash", "-c", text)
	cmd.Dir = folder
	cmd.Env = append(os.Environ(), "PATH="+filepath.Join(folder, "bin")+string(os.PathListSeparator)+os.Getenv("PATH"))
	cmd.Stdin = strings.NewReader(strings.Join(append(input, ""), "\n"))
	var output bytes.Buffer
	cmd.Stdout, cmd.Stderr = &output, &output
	err := procgroup.Run(ctx, cmd)
	if ctx.Err() != nil {
		err = fmt.Errorf("%w: it did not end within %v", errTooLong, c.limit)
	}
	text = strings.ReplaceAll(strings.TrimRight(output.String(), "\n"), folder+"/", "")
	if text == "" {
		return nil, err
	}
	return strings.Split(text, "\n"), err
}

// difference compares what a command shows with what it printed: lines of the one
// with "- " before them, and of the other with "+ ". Answers to lines that were typed
// may come in any order.
func difference(s command, printed []string, varies *regexp.Regexp) []string {
	shown := slices.Clone(s.shown)
	printed = slices.Clone(printed)
	for len(shown) > 0 && strings.TrimSpace(shown[len(shown)-1]) == "" {
		shown = shown[:len(shown)-1]
	}
	if len(s.input) > 0 {
		slices.Sort(shown)
		slices.Sort(printed)
	}
	var lines []string
	for i := range max(len(shown), len(printed)) {
		if i < len(shown) && i < len(printed) && normal(shown[i], varies) == normal(printed[i], varies) {
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
	invocation = regexp.MustCompile(`(?:^|[|;(&] *|exec )(?:\./)?(?:bin/)?carozero((?: +(?:'[^']*'|[^ |;&>']+))*)`)
	longFlag   = regexp.MustCompile(`^--([a-z][a-z0-9-]*)`)
)

// unknownFlags finds flags in a command line that the program's commands do not
// have, by what --help says.
func (c *checker) unknownFlags(ctx context.Context, text string) ([]string, error) {
	var wrong []string
	for _, call := range invocation.FindAllStringSubmatch(text, -1) {
		var words, flags []string
		for _, word := range strings.Fields(call[1]) {
			if word == "#" {
				break
			}
			if flag := longFlag.FindStringSubmatch(word); flag != nil {
				flags = append(flags, flag[1])
			} else if len(flags) == 0 && regexp.MustCompile(`^[a-z]+$`).MatchString(word) {
				words = append(words, word)
			}
		}
		if len(flags) == 0 {
			continue
		}
		name := strings.Join(words, " ")
		if _, ok := c.help[name]; !ok {
			output, err := c.run(ctx, ".", c.program+" "+name+" --help", nil)
			if err != nil {
				return nil, fmt.Errorf("%s %s --help: %w", c.program, name, err)
			}
			c.help[name] = strings.Join(output, "\n")
		}
		for _, flag := range flags {
			if !regexp.MustCompile(`--` + flag + `\b`).MatchString(c.help[name]) {
				wrong = append(wrong, fmt.Sprintf("carozero %s has no flag --%s", name, flag))
			}
		}
	}
	return wrong, nil
}
