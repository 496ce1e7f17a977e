package record

import (
	"io"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
)

// A list of games may be of a board smaller than gomoku's, and of one as large as there
// are letters for its columns.
func TestTextsOfOtherBoards(t *testing.T) {
	for size, text := range map[int]string{3: "a1c3", 4: "a1d4", 26: "a1z26"} {
		r, err := NewReader(strings.NewReader(text), Text, Options{Size: size})
		if err != nil {
			t.Fatal(err)
		}
		tree, err := r.Next()
		if err != nil || tree.Size != size || !slices.Equal(tree.Moves(tree.MainLeaf()), []game.Move{0, game.Move(size*size - 1)}) {
			t.Errorf("%s on %d columns: %+v, %v", text, size, tree, err)
		}
		if _, err := r.Next(); err != io.EOF {
			t.Errorf("after the game: %v", err)
		}
	}
	if _, err := NewReader(strings.NewReader("a1"), Text, Options{Size: 27}); err == nil || !strings.Contains(err.Error(), "at most 26") {
		t.Errorf("27 columns: %v", err)
	}
}
