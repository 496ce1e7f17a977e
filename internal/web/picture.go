package web

import (
	"bytes"
	"fmt"
	"net/http"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/picture"
)

// pictureNames are the formats of pictures.
var pictureNames = []string{"svg"}

// picture draws a position of the game: the last one, or that of turnNumber.
func (f *exportFields) picture(g *analysis.Game) (*exported, *problem) {
	plies := len(g.Moves)
	if f.TurnNumber != nil {
		if plies = *f.TurnNumber; plies < 0 || plies > len(g.Moves) {
			return nil, refusal(http.StatusBadRequest, "want a turn from 0 to %d", len(g.Moves)).in("turnNumber")
		}
	}
	scene := picture.NewScene(g.Variant, g.Start, g.Moves[:plies], nil)
	if f.Numbers != nil && !*f.Numbers {
		scene.Numbers = nil
	}
	if f.Black != "" || f.White != "" {
		scene.Caption = oneLine(fmt.Errorf("%s – %s  %s", named(f.Black), named(f.White), f.Result))
	}
	var out bytes.Buffer
	if err := picture.SVG(&out, &scene); err != nil {
		return nil, refusal(http.StatusBadRequest, "%s", oneLine(err)).in("format")
	}
	return &exported{data: out.Bytes(), kind: "image/svg+xml", name: f.Format}, nil
}
