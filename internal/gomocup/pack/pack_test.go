package main

import (
	"archive/zip"
	"bufio"
	"bytes"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"

	"github.com/carozero/carozero/internal/gomocup"
	"github.com/carozero/carozero/internal/search"
)

var archive = flag.String("archive", "", "zip archive whose program plays; by default one of this test's own")

// asEngine makes the test's program the engine.
const asEngine = "CAROZERO_TEST_ENGINE"

func TestMain(m *testing.M) {
	if os.Getenv(asEngine) == "" {
		os.Exit(m.Run())
	}
	searches := gomocup.NewClassicalSetup(search.ClassicalOptions{})
	if err := gomocup.New(searches.Open, gomocup.ClassicalBudget()).Run(context.Background(), os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// program begins the names of the archives' programs.
const program = "pbrain-carozero"

// brain is the program that plays.
var brain = flag.String("brain", program, "name of the program in the archive")

var date = time.Date(2026, 11, 22, 13, 14, 16, 0, time.UTC)

// packed returns the archive, which it makes of this program where none was given.
func packed(t *testing.T) string {
	t.Helper()
	if *archive != "" {
		return *archive
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "engine.zip")
	if _, err := run(path, 0, date, []string{program + "=" + self}); err != nil {
		t.Fatal(err)
	}
	return path
}

// unpack puts the files of an archive into an empty folder.
func unpack(t *testing.T, path string) string {
	t.Helper()
	z, err := zip.OpenReader(path)
	if err != nil {
		t.Fatal(err)
	}
	defer z.Close()
	dir := t.TempDir()
	for _, f := range z.File {
		if f.Name != filepath.Base(f.Name) || !strings.HasPrefix(f.Name, program) && !strings.HasPrefix(f.Name, "libonnxruntime") {
			t.Errorf("%s is in the archive", f.Name)
		}
		in, err := f.Open()
		if err != nil {
			t.Fatal(err)
		}
		text, err := io.ReadAll(in)
		if err == nil {
			err = os.WriteFile(filepath.Join(dir, f.Name), text, f.Mode())
		}
		if err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// player is the unpacked program, alone in its folder, with an environment that
// names nothing.
type player struct {
	in  io.Writer
	out *bufio.Scanner
}

func start(t *testing.T, dir string) *player {
	t.Helper()
	ctx, cancel := context.WithCancel(context.Background())
	cmd := exec.CommandContext(ctx, filepath.Join(dir, *brain))
	cmd.Dir, cmd.Env = dir, []string{asEngine + "=1", "HOME=" + dir}
	in, err := cmd.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err == nil {
		err = cmd.Start()
	}
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		fmt.Fprintln(in, "END")
		if err := cmd.Wait(); err != nil {
			t.Error(err)
		}
		cancel()
	})
	return &player{in, bufio.NewScanner(out)}
}

// ask sends lines and returns the line that answers the last.
func (p *player) ask(t *testing.T, lines ...string) string {
	t.Helper()
	fmt.Fprintln(p.in, strings.Join(lines, "\r\n"))
	if !p.out.Scan() {
		t.Fatalf("no answer to %q: %v", lines, p.out.Err())
	}
	return p.out.Text()
}

// The packed program plays a whole game against itself, by what clients say.
func TestPackedProgramPlays(t *testing.T) {
	dir := unpack(t, packed(t))
	players := [2]*player{start(t, dir), start(t, dir)}
	for _, p := range players {
		if got := p.ask(t, "START 15"); got != "OK" {
			t.Fatalf("START 15: %q", got)
		}
		fmt.Fprintln(p.in, "INFO rule 1\nINFO timeout_turn 30000\nINFO timeout_match 1000000\nINFO max_memory 367001600\nINFO max_node 150")
	}
	rules, err := gomoku.Lookup("standard")
	if err != nil {
		t.Fatal(err)
	}
	board, err := gomoku.New(rules, 15)
	if err != nil {
		t.Fatal(err)
	}
	said := "BEGIN"
	for board.Outcome() == game.Undecided {
		answer := players[board.Ply()%2].ask(t, said)
		move, err := gomocup.ParseCell(15, answer)
		if err != nil || !board.Legal(move) {
			t.Fatalf("%q after %q: %v", answer, said, err)
		}
		board.Play(move)
		said = "TURN " + answer
	}
	if board.Ply() < 9 {
		t.Errorf("a game of %d moves", board.Ply())
	}
}

// The same files make the same archive; one that is too large, or in the place of
// something else, is not written.
func TestPack(t *testing.T) {
	dir := t.TempDir()
	text := bytes.Repeat([]byte("engine "), 1000)
	a, b := filepath.Join(dir, "a"), filepath.Join(dir, "b")
	for _, path := range []string{a, b} {
		if err := os.WriteFile(path, text, 0o600); err != nil {
			t.Fatal(err)
		}
		text = append(text, '!')
	}
	var archives [2]string
	for i := range archives {
		path := filepath.Join(dir, fmt.Sprintf("%d.zip", i))
		if _, err := run(path, 1000, date, []string{"one=" + a, "two=" + b}); err != nil {
			t.Fatal(err)
		}
		got, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		archives[i] = string(got)
	}
	if archives[0] != archives[1] {
		t.Error("other bytes")
	}
	z, err := zip.NewReader(strings.NewReader(archives[0]), int64(len(archives[0])))
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range z.File {
		if !f.Modified.Equal(date) {
			t.Errorf("%s is of %v, want %v", f.Name, f.Modified, date)
		}
	}
	// What programs read that know MS-DOS's date and time alone, in the first header.
	const dosTime, dosDate = 13<<11 | 14<<5 | 16/2, (2026-1980)<<9 | 11<<5 | 22
	if got := binary.LittleEndian.Uint32([]byte(archives[0][10:])); got != dosDate<<16|dosTime {
		t.Errorf("the older date is %#x", got)
	}
	for _, bad := range []time.Time{{}, earliest.Add(-1), latest.Add(time.Second)} {
		if _, err := run(filepath.Join(dir, "0.zip"), 0, bad, []string{"one=" + a}); err == nil || !strings.Contains(err.Error(), "1980-01-01") {
			t.Errorf("%v: %v", bad, err)
		}
	}
	for _, args := range [][]string{{"one"}, {"x/one=" + a}, {"one=" + a + "x"}, nil} {
		if _, err := run(filepath.Join(dir, "0.zip"), 0, date, args); err == nil {
			t.Errorf("%q is taken", args)
		}
	}
	if _, err := run(a, 0, date, []string{"one=" + b}); err == nil {
		t.Error("another's file is replaced")
	}
	if _, err := run(filepath.Join(dir, "0.zip"), 10, date, []string{"one=" + a}); err == nil || !strings.Contains(err.Error(), "limit of 10") {
		t.Error(err)
	}
	if got, err := os.ReadFile(filepath.Join(dir, "0.zip")); err != nil || string(got) != archives[0] {
		t.Error("an archive that is too large takes the place of another")
	}
}
