package selfplay

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// weights is the file of a toy network: its mock has that seed.
func weights(seed byte) []byte { return []byte{'n', 'e', 't', seed} }

func digestOf(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// toyFile is a file that a trainer replaces, and the networks that were made of it.
type toyFile struct {
	content func(look int) []byte // nil content: there is none
	looks   int
	open    atomic.Int64 // networks that are not closed
	opened  int
	most    int64 // that were open at a time
	notes   []string
}

func toyNetwork(data []byte) (Network, error) {
	if len(data) != 4 || data[3] == 0 {
		return Network{}, errors.New("damaged")
	}
	evaluator := func(int, *nn.Turn) (nn.Evaluator, error) { return nn.NewMock(uint64(data[3])), nil }
	return Network{Name: fmt.Sprintf("net-%d", data[3]), SHA256: digestOf(data), Evaluator: evaluator}, nil
}

// closing is an evaluator that refuses to work once its network is closed.
type closing struct {
	nn.Evaluator
	closed *atomic.Bool
}

func (c closing) Add(pos game.Position, tag nn.Tag, moves []game.Move, out *nn.Result) bool {
	if c.closed.Load() {
		panic("a closed network is asked")
	}
	return c.Evaluator.Add(pos, tag, moves, out)
}

func (f *toyFile) follow() *Follow {
	return &Follow{
		Look: func() ([]byte, error) {
			f.looks++
			if data := f.content(f.looks - 1); data != nil {
				return data, nil
			}
			return nil, errors.New("no such file")
		},
		Start: weights(3),
		Note:  func(line string) { f.notes = append(f.notes, line) },
		Open: func(path string) (Network, error) {
			data, err := os.ReadFile(path)
			if err != nil {
				return Network{}, err
			}
			n, err := toyNetwork(data)
			if err != nil {
				return n, err
			}
			f.most = max(f.most, f.open.Add(1))
			f.opened++
			closed, make := &atomic.Bool{}, n.Evaluator
			n.Evaluator = func(worker int, turn *nn.Turn) (nn.Evaluator, error) {
				e, err := make(worker, turn)
				return closing{e, closed}, err
			}
			n.Close = func() error {
				closed.Store(true)
				f.open.Add(-1)
				return nil
			}
			return n, nil
		},
	}
}

// followed returns the setup of a run that begins with network 3 and follows f.
func followed(f *toyFile) Setup {
	s := mnkSetup()
	s.Header.Model, s.Header.ModelSHA256 = "net-3", digestOf(weights(3))
	if f != nil {
		s.Follow = f.follow()
	}
	return s
}

func followOptions() Options {
	o := small()
	o.Games, o.GamesPerShard = 12, 2
	return o
}

// recorded returns the lines of a run's record.
func recorded(t testing.TB, dir string) (list []samples.PlayedBy) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(dir, samples.NetworksName))
	if err != nil {
		t.Fatal(err)
	}
	for _, line := range bytes.Split(bytes.TrimSpace(text), []byte{'\n'}) {
		var p samples.PlayedBy
		if err := json.Unmarshal(line, &p); err != nil {
			t.Fatal(err)
		}
		list = append(list, p)
	}
	return list
}

// plainRuns are the shards of runs that one network each plays alone.
type plainRuns map[string][]*samples.Shard

func (p plainRuns) of(t testing.TB, seed byte) []*samples.Shard {
	t.Helper()
	sum := digestOf(weights(seed))
	if p[sum] == nil {
		s, dir := followed(nil), t.TempDir()
		n, _ := toyNetwork(weights(seed))
		s.Evaluator, s.Header.Model, s.Header.ModelSHA256 = n.Evaluator, n.Name, n.SHA256
		mustRun(t, s, followOptions(), Host{Dir: dir})
		p[sum] = readAll(t, dir)
	}
	return p[sum]
}

// asRecorded wants every shard of a run to be what the network that the record names
// plays when it plays all games.
func asRecorded(t testing.TB, dir string, plain plainRuns) (used int) {
	t.Helper()
	verified(t, dir, mnkCodecOf)
	list, seen := recorded(t, dir), map[string]bool{}
	shards := readAll(t, dir)
	if len(list) != len(shards) {
		t.Fatalf("%d lines for %d shards", len(list), len(shards))
	}
	for k, shard := range shards {
		if list[k].FromGame != 2*k || shard.Header.ModelSHA256 != list[k].SHA256 ||
			shard.Header.Model != list[k].Model {
			t.Fatalf("shard %d is of %s, the record says %+v", k, shard.Header.Model, list[k])
		}
		seen[list[k].SHA256] = true
		alone := plain[list[k].SHA256][k]
		if !reflect.DeepEqual(shard.Columns, alone.Columns) ||
			!reflect.DeepEqual(shard.Header.Games, alone.Header.Games) {
			t.Fatalf("shard %d is not what %s plays", k, list[k].Model)
		}
	}
	return len(seen)
}

func allPlain(t testing.TB) plainRuns {
	p := plainRuns{}
	for seed := byte(3); seed <= 6; seed++ {
		p.of(t, seed)
	}
	return p
}

// The network changes at shards' boundaries, with any number of workers, where
// several shards are in play at once; and networks are freed, but not in use.
func TestFollowChangesTheNetworkBetweenShards(t *testing.T) {
	plain := allPlain(t)
	for _, h := range []Host{{AtOnce: 1}, {Workers: 1, AtOnce: 8}, {Workers: 3, AtOnce: 3}} {
		h.Dir = t.TempDir()
		f := &toyFile{content: func(look int) []byte {
			return [][]byte{nil, weights(4), weights(4), weights(5), weights(4), weights(6)}[look]
		}}
		mustRun(t, followed(f), followOptions(), h)
		if used := asRecorded(t, h.Dir, plain); used != 4 || f.looks != 6 {
			t.Errorf("%d networks were used, the file was looked at %d times", used, f.looks)
		}
		if len(f.notes) != 1 || f.notes[0] != "no such file" {
			t.Errorf("notes %q", f.notes)
		}
		if f.open.Load() != 0 || f.opened < 3 {
			t.Errorf("%d networks were opened, %d are still open", f.opened, f.open.Load())
		}
	}
}

// On a device, where many shards are in play at once, there are never more than two networks.
func TestFollowOnADevice(t *testing.T) {
	f, dir := &toyFile{content: func(look int) []byte { return weights(byte(4 + look%3)) }}, t.TempDir()
	s := followed(f)
	s.Turns, s.AtOnce = nn.NewTurns(2), 7
	mustRun(t, s, followOptions(), Host{Dir: dir, Workers: 2})
	if used := asRecorded(t, dir, allPlain(t)); used < 2 || f.most > 2 || f.open.Load() != 0 {
		t.Errorf("%d networks were used, %d at a time, %d are open", used, f.most, f.open.Load())
	}
}

// What is damaged or does not fit is told once, and the network stays.
func TestFollowKeepsTheNetworkBesideADamagedFile(t *testing.T) {
	files := [][]byte{weights(4), {1}, {1}, weights(0), {}, weights(5)}
	f := &toyFile{content: func(look int) []byte { return files[look] }}
	dir := t.TempDir()
	mustRun(t, followed(f), followOptions(), Host{Dir: dir})
	asRecorded(t, dir, allPlain(t))
	list := recorded(t, dir)
	for k, want := range []byte{4, 4, 4, 4, 4, 5} {
		if list[k].SHA256 != digestOf(weights(want)) {
			t.Errorf("shard %d is of %s, want net-%d", k, list[k].Model, want)
		}
	}
	if len(f.notes) != 1 {
		t.Errorf("notes %q", f.notes)
	}
	if kept, err := filepath.Glob(filepath.Join(dir, "network-*")); err != nil || len(kept) != 2 {
		t.Errorf("%v are kept, want the networks that were used: %v", kept, err)
	}
}

// brokenDisk does so many operations and then none.
type brokenDisk struct {
	samples.Disk
	left *atomic.Int64
}

var errBroken = errors.New("the disk is broken")

func (d brokenDisk) Write(path string, write func(io.Writer) error) error {
	if d.left.Add(-1) < 0 {
		return errBroken
	}
	return d.Disk.Write(path, write)
}

func (d brokenDisk) Append(path string, data []byte) error {
	if d.left.Add(-1) < 0 {
		return errBroken
	}
	return d.Disk.Append(path, data)
}

// A run that ends anywhere goes on with the networks that it recorded, whatever the
// file holds by then: what was decided stays decided.
func TestFollowIsRepeatedByAResume(t *testing.T) {
	plain := allPlain(t)
	before := func(look int) []byte { return [][]byte{weights(4), weights(5)}[look%2] }
	failed, kept := 0, 0
	for operations := int64(1); operations < 64; operations += 3 {
		dir, left := filepath.Join(t.TempDir(), "run"), &atomic.Int64{}
		left.Store(operations)
		_, err := Play(context.Background(), followed(&toyFile{content: before}), followOptions(),
			Host{Dir: dir, Workers: 2, AtOnce: 2, Files: brokenDisk{left: left}})
		if err == nil {
			continue
		}
		if failed++; !errors.Is(err, errBroken) || !oneLine(err) {
			t.Fatalf("error %v", err)
		}
		var list []samples.PlayedBy
		if _, err := os.Stat(filepath.Join(dir, samples.NetworksName)); err == nil {
			list = recorded(t, dir)
		}
		// A torn line, and another network in the file.
		if f, err := os.OpenFile(filepath.Join(dir, samples.NetworksName), os.O_APPEND|os.O_WRONLY, 0); err == nil {
			fmt.Fprint(f, `{"from_game":`)
			f.Close()
		}
		mustRun(t, followed(&toyFile{content: func(int) []byte { return weights(6) }}), followOptions(),
			Host{Dir: dir, Resume: true, Workers: 2})
		asRecorded(t, dir, plain)
		after := recorded(t, dir)
		for k := range list {
			kept++
			if after[k] != list[k] {
				t.Errorf("shard %d was of %s and is of %s", k, list[k].Model, after[k].Model)
			}
		}
		for _, p := range after[len(list):] {
			if p.SHA256 != digestOf(weights(6)) {
				t.Errorf("the shard of game %d is of %s", p.FromGame, p.Model)
			}
		}
	}
	if failed < 10 || kept < 20 {
		t.Errorf("%d runs failed, %d decisions were kept: the test shows too little", failed, kept)
	}
}

// A run that follows is resumed only as one that follows.
func TestFollowedRunsAreVerified(t *testing.T) {
	dir := t.TempDir()
	f := &toyFile{content: func(look int) []byte { return weights(byte(3 + look%3)) }}
	mustRun(t, followed(f), followOptions(), Host{Dir: dir})
	verified(t, dir, mnkCodecOf)
	_, err := Play(t.Context(), followed(nil), followOptions(), Host{Dir: dir, Resume: true})
	if !errors.Is(err, samples.ErrOptions) {
		t.Errorf("resumed without following: %v", err)
	}
}

// Whoever deals the games of a run that follows a file is told for each shard which
// network plays it and from which game on, as the run itself records it.
func TestAssigner(t *testing.T) {
	o := followOptions()
	o.GamesPerShard = 4
	f := &toyFile{content: func(look int) []byte { return weights(byte(4 + look)) }}
	setup, dir := followed(f), t.TempDir()
	run, err := Plan(setup, o)
	if err != nil {
		t.Fatal(err)
	}
	out, err := samples.Open(samples.Disk{}, dir, run, false, func() time.Time { return time.Time{} })
	if err != nil {
		t.Fatal(err)
	}
	defer out.Close()
	a := NewAssigner(setup, o, out)
	for id := range 12 {
		by, err := a.Of(id)
		seed := byte(4 + id/4)
		want := samples.PlayedBy{
			FromGame: id / 4 * 4, Model: fmt.Sprintf("net-%d", seed), SHA256: digestOf(weights(seed)),
		}
		if err != nil || by != want {
			t.Errorf("game %d: %+v, %v, want %+v", id, by, err, want)
		}
	}
	if f.looks != 3 {
		t.Errorf("%d looks at the file, want one for each of 3 shards", f.looks)
	}
}

// breaking is an evaluator whose network gives a result that is not finite after some answers.
type breaking struct {
	nn.Evaluator
	left *int
}

func (b breaking) Wait(ctx context.Context, n int) error {
	if *b.left--; *b.left < 0 {
		return fmt.Errorf("value: %w", nn.ErrBroken)
	}
	return b.Evaluator.Wait(ctx, n)
}

// A followed network that breaks in the middle of a shard is replaced by the one before it, with
// which the shard is played from its first game; the record has both, and one line says so.
func TestANetworkThatBreaksLate(t *testing.T) {
	file := &toyFile{content: func(int) []byte { return weights(5) }}
	setup, o, left := followed(file), followOptions(), 60
	load := setup.Follow.Open
	setup.Follow.Open = func(path string) (Network, error) {
		n, err := load(path)
		made := n.Evaluator
		n.Evaluator = func(worker int, turn *nn.Turn) (nn.Evaluator, error) {
			e, err := made(worker, turn)
			return breaking{e, &left}, err
		}
		return n, err
	}
	dir := t.TempDir()
	if _, err := Play(t.Context(), setup, o, Host{Dir: dir}); err != nil {
		t.Fatal(err)
	}
	five, three := digestOf(weights(5)), digestOf(weights(3))
	broken := 0
	for k, p := range recorded(t, dir) {
		switch {
		case p.Broken == five && p.SHA256 == three && p.Model == "net-3":
			broken++
		case p.Broken != "" || p.SHA256 != five && broken == 0 || p.SHA256 != three && broken > 0:
			t.Errorf("shard %d: %+v", k, p)
		}
	}
	if broken == 0 || len(file.notes) != 1 || !strings.Contains(file.notes[0], "played again from game ") {
		t.Errorf("%d shards, notes %q", broken, file.notes)
	}
	r, err := samples.Verify(t.Context(), func(*samples.Header) (samples.Codec, error) { return mnkCodec(), nil }, 9,
		dir)
	if err != nil || r.Bad > 0 || r.Games != o.Games {
		t.Errorf("%+v, %v", r, err)
	}
	own := setup
	own.Follow, own.Evaluator = nil, func(int, *nn.Turn) (nn.Evaluator, error) {
		return breaking{nn.NewMock(3), new(int)}, nil
	}
	if _, err := Play(t.Context(), own, o, Host{Dir: t.TempDir()}); !errors.Is(err, nn.ErrBroken) ||
		!strings.Contains(err.Error(), "begin another run with another network") {
		t.Error(err)
	}
}
