package samples

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// recordOf returns the record of a run of shards of three games.
func recordOf(t *testing.T, dir string) *Networks {
	t.Helper()
	list, _, err := readNetworks(Disk{}, dir, 3)
	if err != nil {
		t.Fatal(err)
	}
	return &Networks{files: Disk{}, dir: dir, perShard: 3, list: list}
}

// A record that is cut anywhere has its whole lines, and each game the line of its
// shard.
func TestNetworksAreReadBack(t *testing.T) {
	dir := t.TempDir()
	n := recordOf(t, dir)
	sums := []string{"", strings.Repeat("a", 64), strings.Repeat("0b", 32)}
	for k, id := range []int{1, 5, 14} { // the last one begins three shards
		if err := n.Begin(id, fmt.Sprint("net ", k), sums[k]); err != nil {
			t.Fatal(err)
		}
		if err := n.Begin(id, "another", ""); err != nil {
			t.Fatal(err)
		}
	}
	for id := range 20 {
		by, ok := recordOf(t, dir).Of(id)
		k := []int{0, 1, 2, 2, 2, 0, 0}[id/3]
		if ok != (id < 15) || ok && (by.FromGame != id/3*3 || by.Model != fmt.Sprint("net ", k) || by.SHA256 != sums[k]) {
			t.Errorf("game %d: %+v, %v", id, by, ok)
		}
	}
	path := filepath.Join(dir, NetworksName)
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for cut := range text {
		if err := os.WriteFile(path, text[:cut], 0o600); err != nil {
			t.Fatal(err)
		}
		list, size, err := readNetworks(Disk{}, dir, 3)
		whole := strings.LastIndexByte(string(text[:cut]), '\n') + 1
		if err != nil || int(size) != whole || !slices.Equal(list, n.list[:len(list)]) || len(list) != strings.Count(string(text[:cut]), "\n") {
			t.Fatalf("cut at %d: %d lines of %d bytes, error %v", cut, len(list), size, err)
		}
	}
}

func TestWrongNetworks(t *testing.T) {
	for text, want := range map[string]string{
		"x\n": "line 1", `{"from_game":3,"sha256":""}` + "\n": "want game 0", `{"from_game":0,"sha256":"../x"}` + "\n": "SHA-256",
		`{"from_game":0,"sha256":""}` + "\n" + `{"from_game":0,"sha256":""}` + "\n": "line 2",
	} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, NetworksName), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		if _, _, err := readNetworks(Disk{}, dir, 3); err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%q: %v, want %q", text, err, want)
		}
	}
}
