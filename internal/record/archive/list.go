package archive

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/selfplay/samples"
)

// Listing is what is inside an archive.
type Listing struct {
	Kind   string      `json:"kind"`
	Bytes  int64       `json:"bytes"` // of the archive
	SHA256 string      `json:"sha256"`
	Runs   []ListedRun `json:"runs"`
	Shards int         `json:"shards"`
	Games  int         `json:"games"`
	Rows   int         `json:"rows"`
	From   int64       `json:"from_bytes"` // of the shards
}

// ListedRun is a run in an archive.
type ListedRun struct {
	Name   string         `json:"name"`
	Game   string         `json:"game"`
	Rule   string         `json:"rule"`
	Size   int            `json:"size"`
	Player string         `json:"player"` // its description, or "mcts" with its playouts
	Model  string         `json:"model"`
	SHA256 string         `json:"model_sha256"`
	Engine samples.Engine `json:"engine"`
	Seed   uint64         `json:"seed"`
	Shards int            `json:"shards"`
	Games  int            `json:"games"`
	Rows   int            `json:"rows"`
	Bytes  int64          `json:"bytes"` // of its shards

	line    runLine
	plan    samples.Plan
	entries []samples.Entry
	lines   []string
}

// List says what is inside an archive, which it reads to its end.
func List(ctx context.Context, files samples.FS, path string) (Listing, error) {
	digest, err := check(ctx, files, path)
	if err != nil {
		return Listing{}, named(path, err)
	}
	r, err := openReader(files, path)
	if err != nil {
		return Listing{}, named(path, err)
	}
	defer r.close()
	l := Listing{Kind: r.kind.String(), SHA256: hex.EncodeToString(digest[:])}
	if l.Bytes, err = files.Size(path); err != nil {
		return l, err
	}
	if err := l.read(ctx, r); err != nil {
		return l, named(path, err)
	}
	return l, nil
}

// named puts the path before an error about the content of an archive.
func named(path string, err error) error { return fmt.Errorf("%s: %w", path, err) }

// read reads the indices of all blocks.
func (l *Listing) read(ctx context.Context, r *archiveReader) error {
	names := map[string]bool{}
	copies := 0
	for {
		if err := ctx.Err(); err != nil {
			return err
		}
		data, err := r.block()
		if err != nil {
			return err
		}
		if data == nil {
			return l.finish(copies)
		}
		if data[0] == networkBlock {
			copies++
			if len(l.Runs) == 0 || copies > l.Runs[len(l.Runs)-1].line.Copies {
				return invalid("a network that belongs to no run")
			}
			continue
		}
		b, err := openBlock(data, r.kind, true)
		if err != nil {
			return err
		}
		err = b.lines(func(line runLine) error {
			if err := l.finish(copies); err != nil {
				return err
			}
			copies = 0
			key := strings.ToLower(line.Name)
			if names[key] || !goodName(line.Name) {
				return invalid("a run named %.80q", line.Name)
			}
			names[key] = true
			return l.begin(line)
		}, l.shard)
		if err != nil {
			return err
		}
	}
}

// begin enters a run.
func (l *Listing) begin(line runLine) error {
	plan, err := samples.ParsePlan([]byte(line.Options))
	if err != nil {
		return invalid("%s: %w", line.Name, err)
	}
	if line.Shards != plan.Shards() || line.Copies < 0 {
		return invalid("%s: %d shards, its options plan %d", line.Name, line.Shards, plan.Shards())
	}
	var o struct {
		Header struct {
			Game   string `json:"game"`
			Rule   struct{ Name string }
			Size   int
			Model  string
			SHA256 string `json:"model_sha256"`
			Engine samples.Engine
			Seed   uint64
			Search struct {
				Player   string
				Playouts int64
			}
		}
	}
	if err := json.Unmarshal([]byte(line.Options), &o); err != nil {
		return invalid("%s: %w", line.Name, err)
	}
	h := &o.Header
	run := ListedRun{
		Name: line.Name, Game: h.Game, Rule: h.Rule.Name, Size: h.Size, Player: h.Search.Player,
		Model: h.Model, SHA256: h.SHA256, Engine: h.Engine, Seed: h.Seed, line: line, plan: plan,
	}
	if run.Player == "" {
		run.Player = fmt.Sprintf("mcts:playouts=%d", h.Search.Playouts)
	}
	l.Runs = append(l.Runs, run)
	return nil
}

// shard enters a shard of the last run.
func (l *Listing) shard(e samples.Entry, text string) error {
	if len(l.Runs) == 0 {
		return invalid("a shard that belongs to no run")
	}
	r := &l.Runs[len(l.Runs)-1]
	if err := fits(r.plan, e, len(r.entries)); err != nil {
		return invalid("%s: %w", r.Name, err)
	}
	r.entries, r.lines = append(r.entries, e), append(r.lines, text)
	r.Shards++
	r.Games += e.Games
	r.Rows += e.Rows
	r.Bytes += e.Bytes
	l.Shards++
	l.Games += e.Games
	l.Rows += e.Rows
	l.From += e.Bytes
	return nil
}

// finish checks that the last run is whole.
func (l *Listing) finish(copies int) error {
	if len(l.Runs) == 0 {
		return nil
	}
	if r := &l.Runs[len(l.Runs)-1]; len(r.entries) != r.plan.Shards() || copies != r.line.Copies {
		return invalid("%s: %d of %d shards, %d of %d networks", r.Name, len(r.entries), r.plan.Shards(), copies, r.line.Copies)
	}
	return nil
}

// manifest returns the text of a run's manifest.
func (r *ListedRun) manifest() string { return strings.Join(r.lines, "\n") + "\n" }

// in returns the run's directory below another.
func (r *ListedRun) in(dir string) string { return filepath.Join(dir, r.Name) }
