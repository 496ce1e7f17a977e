package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
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

// Training is the result of a round's training.
type Training struct {
	Candidate  string `json:"candidate"`         // SHA-256 of the network; "": there is none
	Failure    string `json:"failure,omitempty"` // why there is none, in one line
	Checkpoint bool   `json:"checkpoint"`        // whether the next round can begin with its checkpoint
	Loss       *Loss  `json:"loss,omitempty"`    // nil: the trainer reports none
}

// Loss is the trainer's last validation.
type Loss struct {
	Step   int     `json:"step"`
	Total  float64 `json:"loss"`
	Policy float64 `json:"policy_loss"`
	Floor  float64 `json:"policy_floor"` // below which the policy's loss cannot fall
	Value  float64 `json:"value_loss"`
}

// String formats the loss for the end of a line.
func (l *Loss) String() string {
	if l == nil {
		return ""
	}
	return fmt.Sprintf(", loss %.4f (policy %.4f, value %.4f)", l.Total, l.Policy, l.Value)
}

// train runs the trainer to make a candidate. A failing trainer is recorded and is not an
// error of the loop.
func (l *loop) train(ctx context.Context, r *Round) error {
	a, err := l.assignment(r)
	if err == nil {
		err = errors.Join(os.RemoveAll(a.net), os.RemoveAll(a.net+disk.DigestSuffix))
	}
	if err != nil {
		return err
	}
	t := &Training{}
	failed := l.config.Trainer.run(ctx, a, filepath.Join(l.roundDir(r.Number), "trainer.log"))
	if failed != nil {
		failed = fmt.Errorf("the trainer failed: %w", failed)
	} else {
		t.Candidate, failed = l.candidate(ctx, a.net)
	}
	if err := ctx.Err(); err != nil {
		return err
	}
	t.Loss = readLoss(filepath.Join(a.out, l.config.Trainer.Metrics))
	if failed != nil {
		t.Failure = strings.Join(strings.Fields(failed.Error()), " ")
		l.note(r, "no candidate: %s", t.Failure)
	} else {
		t.Checkpoint = isFile(l.checkpoint(r.Number))
		if err := l.writeDigest(a.net, t.Candidate); err != nil {
			return err
		}
		l.note(r, "candidate %.12s%s", t.Candidate, t.Loss)
	}
	r.Training = t
	return nil
}

// isFile reports whether there is a regular file.
func isFile(path string) bool {
	info, err := os.Stat(path)
	return err == nil && info.Mode().IsRegular()
}

// checkpoint returns the path of a round's checkpoint, with which the next one begins.
func (l *loop) checkpoint(round int) string {
	return filepath.Join(l.roundDir(round), "train", l.config.Trainer.Checkpoint)
}

// candidate returns the digest of the network that the trainer wrote, or an error if the
// network cannot be used.
func (l *loop) candidate(ctx context.Context, path string) (string, error) {
	if !isFile(path) {
		return "", errors.New("the trainer wrote no network to {net}")
	}
	kind, err := l.host.Engine.Try(ctx, path, l.config.boards())
	if want := l.config.Trainer.Network; err == nil && kind != want {
		err = fmt.Errorf("it is of kind %q, want %q as trainer.network says", kind, want)
	}
	sum := ""
	if err == nil {
		sum, err = disk.SHA256(path)
	}
	if err != nil {
		return "", fmt.Errorf("the trainer's network is of no use: %w", err)
	}
	return sum, nil
}

// furtherSamples returns the absolute paths of the runs that Trainer.Samples names. It refuses
// a name or pattern that no run has.
func (t *Trainer) furtherSamples() (list []string, err error) {
	for _, path := range t.Samples {
		runs, err := filepath.Glob(filepath.Join(path, samples.RunName))
		if err == nil && len(runs) == 0 {
			err = errors.New("no run of samples has such a name")
		}
		if err != nil {
			return nil, fmt.Errorf("%.200s: %w", path, err)
		}
		for _, run := range runs {
			dir, err := filepath.Abs(filepath.Dir(run))
			if err != nil {
				return nil, err
			}
			list = append(list, dir)
		}
	}
	return list, nil
}

// readLoss returns the last validation that a trainer reports, nil if there is none.
func readLoss(path string) *Loss {
	const maxMetrics = 256 << 20
	text, err := disk.ReadFile(path, maxMetrics)
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
			last = &line.Loss
		}
	}
	return last
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

// run runs the trainer's commands for a round, with their output in a log. It kills them when
// the context or the trainer's limit ends. Errors are one line.
func (t *Trainer) run(ctx context.Context, a *assignment, logPath string) (err error) {
	log, err := os.OpenFile(logPath, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, log.Close()) }()
	first := t.Train
	if len(t.Resume) > 0 && t.Checkpoint != "" && isFile(filepath.Join(a.out, t.Checkpoint)) {
		first = t.Resume
	} else if err := errors.Join(os.RemoveAll(a.out), os.MkdirAll(a.out, 0o777)); err != nil {
		return err
	}
	limited, cancel := context.WithTimeoutCause(ctx, a.limit, fmt.Errorf("it was ended at its limit of %v", a.limit))
	defer cancel()
	for _, words := range [][]string{first, t.Export} {
		if len(words) == 0 {
			continue
		}
		if words, err = a.expand(words); err == nil {
			err = runCommand(limited, t.Folder, words, log)
		}
		if err != nil {
			return err
		}
	}
	return nil
}

// killGrace is how long a program may take to end after it was killed.
const killGrace = 5 * time.Second

// runCommand runs a program in a folder and appends its output to log. When ctx ends, it
// kills the program and its children.
func runCommand(ctx context.Context, folder string, words []string, log *os.File) error {
	program, err := programOf(folder, words[0])
	if err != nil {
		return fmt.Errorf("no such program: %w", err)
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
		const most = 4 << 10 // bytes at the end of its output
		tail := make([]byte, most)
		end, _ := log.Seek(0, io.SeekEnd) // a log that cannot be read has no last line
		n, _ := log.ReadAt(tail, max(before.Size(), end-most))
		return fmt.Errorf("%s: %w%s", filepath.Base(program), err, lastLine(string(tail[:n])))
	}
	return nil
}

// lastLine returns the last line of a text with something on it for the end of a message, ""
// if there is none.
func lastLine(text string) string {
	const most = 300 // bytes of a line
	text = strings.TrimSpace(text)
	if line := text[1+strings.LastIndexAny(text, "\r\n"):]; line != "" {
		return ": " + strings.ToValidUTF8(line[:min(len(line), most)], "?")
	}
	return ""
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

// assignment returns the input of a round's trainer.
func (l *loop) assignment(r *Round) (a *assignment, err error) {
	dir, t := l.roundDir(r.Number), &l.config.Trainer
	a = &assignment{
		out: filepath.Join(dir, "train"), net: filepath.Join(dir, t.file(netStem)),
		round: r.Number, seed: l.config.seed(r.Number, seedTrainer, 0),
		limit: time.Duration(t.Limit), workers: workers(l.config.Workers),
	}
	first := 1
	if t.Window > 0 {
		first = max(1, r.Number-t.Window+1)
	}
	a.samples, err = t.furtherSamples()
	a.samples = append(a.samples, l.samplesDirs(first, r.Number)...)
	for n := r.Number - 1; n > 0 && a.previous == ""; n-- {
		if l.state.Rounds[n-1].Training.Checkpoint {
			a.previous = l.checkpoint(n)
		}
	}
	return a, err
}

// Placeholders: the one that stands for several words, a name in braces, and one with its
// flag, which is left out with it if it stands for nothing.
const manySamples = "{samples}"

var (
	placeholder = regexp.MustCompile(`\{([^{}]*)\}`)
	flagged     = regexp.MustCompile(`^\{(-[^ {}]+) ([^ {}]+)\}$`)
)

// expand returns a command with its placeholders replaced.
func (a *assignment) expand(words []string) (out []string, err error) {
	values := map[string]string{
		"out": a.out, "net": a.net,
		"round":   strconv.Itoa(a.round),
		"seed":    strconv.FormatUint(a.seed>>1, 10), // fits a signed number
		"minutes": strconv.FormatFloat(a.limit.Minutes(), 'f', -1, 64),
		"workers": strconv.Itoa(a.workers),
	}
	value := func(name, word string) string {
		text, known := values[name]
		if !known {
			err = fmt.Errorf("%s: want {samples} as a word of its own, {out}, {net}, {round}, {seed}, {minutes}, {workers}, "+
				"or a flag with a value, as in {--init-from previous}", word)
		}
		return text
	}
	for _, word := range words {
		if word == manySamples {
			out = append(out, a.samples...)
		} else if m := flagged.FindStringSubmatch(word); m != nil {
			text := a.previous
			if m[2] != "previous" {
				text = value(m[2], word)
			}
			if text != "" {
				out = append(out, m[1], text)
			}
		} else {
			out = append(out, placeholder.ReplaceAllStringFunc(word, func(found string) string {
				return value(strings.Trim(found, "{}"), found)
			}))
		}
	}
	return out, err
}

// checkCommand returns an error if a command has an unknown placeholder.
func checkCommand(words []string) error {
	if words[0] == "" || placeholder.MatchString(words[0]) {
		return fmt.Errorf("%q: want the name of a program", words[0])
	}
	_, err := (&assignment{}).expand(words)
	return err
}
