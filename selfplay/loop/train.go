package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/procgroup"
	"github.com/carozero/carozero/selfplay/samples"
)

// train runs the trainer to make a candidate. A failing trainer is recorded and is not an
// error of the loop.
func (l *loop) train(ctx context.Context, r *Round) error {
	dir := roundDir(l.dir, r.Number)
	a, err := l.assignment(r)
	if err != nil {
		return err
	}
	if err := l.checkSamples(a.samples); err != nil {
		return err
	}
	if err := l.halt("train"); err != nil {
		return err
	}
	for _, name := range []string{a.net, a.net + digestName} {
		if err := os.Remove(name); err != nil && !errors.Is(err, os.ErrNotExist) {
			return err
		}
	}
	t := &Training{}
	failed := l.config.Trainer.run(ctx, a, filepath.Join(dir, "trainer.log"))
	if err := ctx.Err(); err != nil {
		return err
	}
	if err := l.halt("look at the candidate"); err != nil {
		return err
	}
	if failed == nil {
		t.Candidate, failed = l.candidate(ctx, a.net)
		if err := ctx.Err(); err != nil {
			return err
		}
	} else {
		failed = fmt.Errorf("the trainer failed: %w", failed)
	}
	t.Loss = readLoss(filepath.Join(a.out, l.config.Trainer.Metrics))
	if failed != nil {
		t.Failure = oneLine(failed.Error())
		l.note(r, "no candidate: %s", t.Failure)
	} else {
		info, err := os.Stat(l.checkpoint(r.Number))
		t.Checkpoint = err == nil && info.Mode().IsRegular()
		if err := l.write(a.net+digestName, []byte(t.Candidate+"  "+filepath.Base(a.net)+"\n")); err != nil {
			return err
		}
		l.note(r, "candidate %.12s%s", t.Candidate, t.Loss)
	}
	r.Training = t
	return nil
}

// String formats the loss for the end of a line.
func (l *Loss) String() string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf(", loss %.4f (policy %.4f, value %.4f)", l.Total, l.Policy, l.Value)
}

// assignment returns the input of a round's trainer.
func (l *loop) assignment(r *Round) (*assignment, error) {
	dir := roundDir(l.dir, r.Number)
	a := &assignment{
		out: filepath.Join(dir, "train"), net: filepath.Join(dir, l.config.Trainer.file(netStem)),
		round: r.Number, seed: l.config.seed(r.Number, seedTrainer, 0),
		limit: time.Duration(l.config.Trainer.Limit), workers: l.workers(),
	}
	further, err := l.config.Trainer.further()
	if err != nil {
		return nil, err
	}
	for _, path := range further {
		path, err := filepath.Abs(path)
		if err != nil {
			return nil, err
		}
		a.samples = append(a.samples, path)
	}
	first := 1
	if w := l.config.Trainer.Window; w > 0 {
		first = max(1, r.Number-w+1)
	}
	for n := first; n <= r.Number; n++ {
		for _, t := range l.config.tables(n) {
			a.samples = append(a.samples, filepath.Join(roundDir(l.dir, n), "samples", t.name()))
		}
	}
	for n := r.Number - 1; n > 0; n-- {
		if l.state.Rounds[n-1].Training.Checkpoint {
			a.previous = l.checkpoint(n)
			break
		}
	}
	return a, nil
}

// further returns the directories that Samples names: each path as it is if there is a
// file of that name, else all directories that match it as a pattern of filepath.Match, in
// order. A pattern that none matches is an error.
func (t *Trainer) further() ([]string, error) {
	var list []string
	for _, path := range t.Samples {
		if _, err := os.Lstat(path); err == nil || !strings.ContainsAny(path, "*?[") {
			list = append(list, path)
			continue
		}
		found, err := filepath.Glob(strings.TrimRight(path, "/")) // with the slash nothing would match
		if err != nil {
			return nil, fmt.Errorf("%.200s: %w", path, err)
		}
		found = slices.DeleteFunc(found, func(name string) bool {
			info, err := os.Stat(name)
			return err != nil || !info.IsDir()
		})
		if len(found) == 0 {
			return nil, fmt.Errorf("%.200s: no folder has such a name", path)
		}
		list = append(list, found...)
	}
	return list, nil
}

// checkpoint returns the path of a round's checkpoint, with which the next one begins.
func (l *loop) checkpoint(round int) string {
	return filepath.Join(roundDir(l.dir, round), "train", l.config.Trainer.Checkpoint)
}

// candidate returns the digest of the network that the trainer wrote, or an error if the
// network cannot be used.
func (l *loop) candidate(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil || !info.Mode().IsRegular() {
		return "", errors.New("the trainer wrote no network to {net}")
	}
	kind, err := l.host.Networks.Try(ctx, path, l.config.boards())
	if want := l.config.Trainer.Network; err == nil && kind != want {
		err = fmt.Errorf("it is of kind %q, want %q as trainer.network says", kind, want)
	}
	if err != nil {
		return "", fmt.Errorf("the trainer's network is of no use: %w", err)
	}
	sum, err := disk.SHA256(path)
	if err != nil {
		return "", fmt.Errorf("the trainer's network cannot be read: %w", err)
	}
	return sum, nil
}

// boards returns all boards that networks of the loop play on.
func (c *Config) boards() []Board {
	var list []Board
	seen := map[Board]bool{}
	add := func(b Board) {
		if !seen[b] {
			seen[b] = true
			list = append(list, b)
		}
	}
	for _, g := range c.Games {
		add(g.Board)
	}
	for _, f := range c.Gate.Boards {
		add(f.Board)
	}
	return list
}

// mostRun bounds the size of a run.json that is read, in bytes.
const mostRun = 16 << 20

// checkSamples returns an error if a directory is not a run of samples, or has input planes
// of another version than this program.
func (l *loop) checkSamples(dirs []string) error {
	for _, dir := range dirs {
		text, err := disk.ReadFile(filepath.Join(dir, samples.RunName), mostRun)
		if err != nil {
			return fmt.Errorf("%s is no run of samples: %w", dir, err)
		}
		var run struct {
			Header struct {
				Game   string         `json:"game"`
				Planes samples.Planes `json:"planes"`
			} `json:"header"`
		}
		if err := json.Unmarshal(text, &run); err != nil {
			return fmt.Errorf("%s: %s is damaged: %w", dir, samples.RunName, err)
		}
		want, err := l.host.Networks.Planes(run.Header.Game)
		if err != nil {
			return fmt.Errorf("%s: %w", dir, err)
		}
		if run.Header.Planes.Version != want {
			return fmt.Errorf("%s has input planes of version %.40q, want %q: leave it out, or play its games again", dir,
				run.Header.Planes.Version, want)
		}
	}
	return nil
}

// readLoss returns the last validation that a trainer reports, nil if there is none.
func readLoss(path string) *Loss {
	const mostMetrics = 256 << 20
	text, err := disk.ReadFile(path, mostMetrics)
	if err != nil {
		return nil
	}
	var last *Loss
	for row := range bytes.Lines(text) {
		var line struct {
			Kind string `json:"kind"`
			Loss
		}
		if json.Unmarshal(row, &line) == nil && line.Kind == "val" {
			loss := line.Loss
			last = &loss
		}
	}
	return last
}

// oneLine returns a text on one line.
func oneLine(text string) string { return strings.Join(strings.Fields(text), " ") }

// programOf returns the path of a command's program: relative ones are below the
// folder that it runs in, and names without a slash are looked up.
func programOf(folder, name string) (string, error) {
	if strings.ContainsAny(name, `/\`) && !filepath.IsAbs(name) {
		absolute, err := filepath.Abs(filepath.Join(folder, name))
		if err != nil {
			return "", err
		}
		name = absolute
	}
	return exec.LookPath(name)
}

// command is a command of a trainer under its key.
type command struct {
	key   string
	words []string
}

// commands returns the commands that the trainer has.
func (t *Trainer) commands() []command {
	list := []command{{"trainer.train", t.Train}, {"trainer.resume", t.Resume}, {"trainer.export", t.Export}}
	return slices.DeleteFunc(list, func(c command) bool { return len(c.words) == 0 })
}

// checkPrograms returns an error that names a command of the trainer that does
// not exist.
func (t *Trainer) checkPrograms() error {
	for _, c := range t.commands() {
		if _, err := programOf(t.Folder, c.words[0]); err != nil {
			return keyErrorf(c.key, "no such program: %w", err)
		}
	}
	return nil
}

// killGrace is how long a program may take to end after it was killed.
const killGrace = 5 * time.Second

// errLimit is the cause of a context ended by the trainer's time limit.
var errLimit = errors.New("limit")

// runCommand runs a program in a folder and appends its output to log. When ctx ends, it
// kills the program and its children. Errors are one line.
func runCommand(ctx context.Context, folder string, words []string, log *os.File) error {
	program, err := programOf(folder, words[0])
	if err != nil {
		return fmt.Errorf("no such program: %w", err)
	}
	if err := ctx.Err(); err != nil {
		return context.Cause(ctx)
	}
	before, err := log.Stat()
	if err != nil {
		return err
	}
	cmd := exec.Command(program, words[1:]...)
	cmd.Dir, cmd.WaitDelay, cmd.Stdout, cmd.Stderr = folder, killGrace, log, log
	err = procgroup.Run(ctx, cmd)
	if cause := context.Cause(ctx); cause != nil {
		return cause
	}
	if err != nil {
		text, _ := os.ReadFile(log.Name())
		return fmt.Errorf("%s: %w%s", filepath.Base(program), err, lastLine(string(text[min(int(before.Size()),
			len(text)):])))
	}
	return nil
}

// lastLine returns the last line of a text with something on it for the end of a message, ""
// if there is none.
func lastLine(text string) string {
	const most = 300 // bytes of a line
	lines := strings.FieldsFunc(strings.TrimSpace(text), func(r rune) bool { return r == '\n' || r == '\r' })
	if len(lines) == 0 {
		return ""
	}
	line := strings.TrimSpace(lines[len(lines)-1])
	return ": " + strings.ToValidUTF8(line[:min(len(line), most)], "?")
}

// train runs the trainer's commands for a round. An error that is not the
// context's says in one line why there is no candidate.
func (t *Trainer) run(ctx context.Context, a *assignment, logPath string) (err error) {
	limit := time.Duration(t.Limit)
	limited, cancel := context.WithTimeoutCause(ctx, limit, errLimit)
	defer cancel()
	log, err := os.OpenFile(logPath, os.O_WRONLY|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	first := t.Train
	if t.interrupted(a.out) {
		first = t.Resume
	} else if err := errors.Join(os.RemoveAll(a.out), os.MkdirAll(a.out, 0o777)); err != nil {
		return err
	}
	for _, words := range [][]string{first, t.Export} {
		if len(words) == 0 {
			continue
		}
		if words, err = a.expand(words); err != nil {
			return err
		}
		err = runCommand(limited, t.Folder, words, log)
		if errors.Is(err, errLimit) {
			return fmt.Errorf("it was ended at its limit of %v", limit)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// interrupted reports whether a training was begun in out that can go on.
func (t *Trainer) interrupted(out string) bool {
	if len(t.Resume) == 0 || t.Checkpoint == "" {
		return false
	}
	info, err := os.Stat(filepath.Join(out, t.Checkpoint))
	return err == nil && info.Mode().IsRegular()
}

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
	return fmt.Errorf("%s: want {samples}, {out}, {net}, {round}, {seed}, {minutes}, {workers}, or a flag with a "+
		"value, as in {--init-from previous}", word)
}

// checkCommand returns an error if a command has an unknown placeholder.
func checkCommand(words []string) error {
	if words[0] == "" || placeholder.MatchString(words[0]) {
		return fmt.Errorf("%q: want the name of a program", words[0])
	}
	_, err := (&assignment{}).expand(words)
	return err
}
