package archive

import (
	"context"
	"net"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
)

// Unpack removes and changes nothing that it has not written, whatever is at the name
// that it is given.
func TestUnpackLeavesOthers(t *testing.T) {
	dir := t.TempDir()
	file := pack(t, Columns, play(t, dir, "run", setup(3), options(nil)))
	at := func(name string) string { return filepath.Join(dir, name) }
	for path, err := range map[string]error{
		at("text"):     os.WriteFile(at("text"), []byte("mine"), 0o666),
		at("linked"):   os.Symlink(at("text"), at("linked")),
		at("dangling"): os.Symlink(at("nowhere"), at("dangling")),
		file:           nil,
	} {
		if err != nil {
			t.Fatal(err)
		}
		before, _ := os.ReadFile(path)
		_, err := Unpack(context.Background(), disk{}, openKit, unpacking(), file, path, quiet)
		oneLine(t, err, "new or empty")
		if _, err := os.Lstat(path); err != nil {
			t.Errorf("it removed %v", err)
		}
		if after, _ := os.ReadFile(path); string(after) != string(before) {
			t.Errorf("%s: %d bytes of %d are left", path, len(after), len(before))
		}
	}
	socket := at("s")
	l, err := net.Listen("unix", socket)
	if err != nil {
		t.Fatal(err)
	}
	defer l.Close()
	_, err = Unpack(context.Background(), disk{}, openKit, unpacking(), file, socket, quiet)
	oneLine(t, err, "new or empty")
	if _, err := os.Lstat(socket); err != nil {
		t.Errorf("it removed %v", err)
	}
}

// Of two calls that pack into one file at once, each leaves a whole file or is refused.
func TestPackAtOnce(t *testing.T) {
	dir := t.TempDir()
	runs := []string{play(t, dir, "one", setup(3), options(nil)), play(t, dir, "two", setup(4), options(nil))}
	for range 10 {
		out := filepath.Join(t.TempDir(), "x")
		var both sync.WaitGroup
		for _, run := range runs {
			both.Go(func() {
				_, err := Pack(context.Background(), disk{}, openKit, PackOptions{Kind: Columns}, out, quiet, run)
				if err != nil && !strings.Contains(err.Error(), "is there already") {
					t.Error(err)
				}
			})
		}
		both.Wait()
		if l, err := List(context.Background(), disk{}, out); err != nil || len(l.Runs) != 1 {
			t.Fatalf("%d runs, %v", len(l.Runs), err)
		}
		if names, _ := os.ReadDir(filepath.Dir(out)); len(names) != 1 {
			t.Fatal(names)
		}
	}
}
