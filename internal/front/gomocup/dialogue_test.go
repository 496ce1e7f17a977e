package gomocup

import (
	"flag"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

var update = flag.Bool("update", false, "write the answers of the dialogues anew")

// Each file holds a dialogue: lines that begin with "> " are sent, those with
// "< " are the answers, "#" begins a comment.
func TestDialogues(t *testing.T) {
	files, err := filepath.Glob("testdata/dialogues/*.txt")
	if err != nil || len(files) < 8 {
		t.Fatalf("%d dialogues, %v", len(files), err)
	}
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			text, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			var said []string
			k := newTalk()
			for _, l := range strings.Split(strings.TrimSuffix(string(text), "\n"), "\n") {
				if strings.HasPrefix(l, "< ") {
					continue
				}
				said = append(said, l)
				if sent, ok := strings.CutPrefix(l, ">"); ok {
					for _, answer := range k.say(strings.TrimPrefix(sent, " ")) {
						said = append(said, "< "+answer)
					}
				}
			}
			got := strings.Join(said, "\n") + "\n"
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			} else if got != string(text) {
				t.Errorf("the dialogue goes\n%s", got)
			}
		})
	}
}
