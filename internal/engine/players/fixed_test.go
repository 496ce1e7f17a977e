package players

import (
	"strings"
	"testing"
)

// What the help names is read, and a value that no argument takes is refused
// under the argument's own name. A model is any text.
func TestFixedTreeArgs(t *testing.T) {
	for _, name := range FixedTreeArgs() {
		text := "mcts:playouts=1"
		if name != "playouts" {
			text += "," + name + "=1"
		}
		spec, err := ParseSpec(text)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := ParseFixedTree(spec); err != nil {
			t.Errorf("%s: %v", text, err)
		}
		if name == "model" {
			continue
		}
		for i := range spec.Args {
			if spec.Args[i].Key == name {
				spec.Args[i].Value = "x"
			}
		}
		if _, err := ParseFixedTree(spec); err == nil || !strings.Contains(err.Error(), name) {
			t.Errorf("%s=x: %v", name, err)
		}
	}
}
