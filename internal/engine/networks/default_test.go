package networks

import (
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/games/toygame"
	"github.com/carozero/carozero/internal/support/option"
)

// A game that no network ships for is told of with the option named as the front names
// it.
func TestNoDefaultModel(t *testing.T) {
	v := toygame.Add(t)
	for _, c := range []struct {
		naming option.Naming
		want   string
	}{
		{nil, "; name one with model, or use model uniform"},
		{func(key string) string { return "<" + key + ">" }, "; name one with <model>, or use <model> uniform"},
	} {
		l := NewLoader(LoaderOptions{Naming: c.naming})
		_, lent := NewNets(l, "").Net(v)
		_, opened := l.Open(v, "")
		for _, err := range []error{lent, opened} {
			if err == nil || !strings.HasSuffix(err.Error(), c.want) {
				t.Errorf("%v, want %q at its end", err, c.want)
			}
		}
	}
}
