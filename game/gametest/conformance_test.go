package gametest

import (
	"fmt"
	"testing"

	"github.com/carozero/carozero/game"
)

func TestConformanceOfMNK(t *testing.T) {
	for _, shape := range [][3]int{{3, 3, 3}, {4, 3, 3}, {5, 4, 4}, {8, 8, 5}, {2, 1, 2}, {1, 5, 1}} {
		t.Run(fmt.Sprint(shape), func(t *testing.T) {
			Conformance(t, func() game.Position { return NewMNK(shape[0], shape[1], shape[2]) })
		})
	}
}

// A set-up position with a history before its start conforms as well.
func TestConformanceFromTheMiddle(t *testing.T) {
	Conformance(t, func() game.Position {
		p := NewMNK(4, 4, 4)
		for _, m := range []game.Move{5, 6, 9} {
			p.Play(m)
		}
		return p
	})
}
