package loop

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/internal/support/outfile"
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
		if err := l.halt("write the candidate's digest"); err != nil {
			return err
		}
		if err := outfile.WriteBytes(a.net+digestName, []byte(t.Candidate+"  "+filepath.Base(a.net)+"\n")); err != nil {
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
	sum, err := limitio.SHA256(path)
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
		text, err := limitio.ReadFile(filepath.Join(dir, samples.RunName), mostRun)
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
			return fmt.Errorf("%s has input planes of version %.40q, want %q: leave it out, or play its games again", dir, run.Header.Planes.Version, want)
		}
	}
	return nil
}

// readLoss returns the last validation that a trainer reports, nil if there is none.
func readLoss(path string) *Loss {
	const mostMetrics = 256 << 20
	text, err := limitio.ReadFile(path, mostMetrics)
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
