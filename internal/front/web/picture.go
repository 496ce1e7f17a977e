package web

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"time"

	"github.com/carozero/carozero/internal/front/analysis"
	"github.com/carozero/carozero/internal/record/picture"
)

// pictureNames are the formats of pictures.
var pictureNames = []string{"svg", "png", "gif"}

// Bounds of a picture that moves.
const (
	mostFrames = 500
	frameTime  = 700 * time.Millisecond
	frameWidth = 480
)

// picture draws a position, or the whole game as a picture that moves; with the end of ctx
// it ends.
func (f *exportFields) picture(ctx context.Context, g *analysis.Game) (*exported, *problem) {
	plies := len(g.Moves)
	if f.TurnNumber != nil && f.Format != "gif" {
		if plies = *f.TurnNumber; plies < 0 || plies > len(g.Moves) {
			return nil, refusal(http.StatusBadRequest, "want a turn from 0 to %d", len(g.Moves)).in("turnNumber")
		}
	}
	o := picture.All()
	if f.Numbers != nil {
		o.Numbers = *f.Numbers
	}
	var out bytes.Buffer
	var err error
	kind := "image/" + f.Format
	switch scene := f.scene(g, plies); f.Format {
	case "svg":
		kind = "image/svg+xml"
		err = picture.SVG(&out, &scene, o)
	case "png":
		err = picture.PNG(&out, &scene, o)
	default:
		if plies > mostFrames {
			return nil, refusal(http.StatusBadRequest, "a game of %d moves: want at most %d for a picture that moves", plies, mostFrames).in("moves")
		}
		o.Width = frameWidth
		scenes := make([]picture.Scene, 0, plies+1)
		for i := range plies + 1 {
			scenes = append(scenes, f.scene(g, i))
		}
		err = picture.GIF(ctx, &out, scenes, frameTime, o)
	}
	if err != nil {
		return nil, refusal(http.StatusBadRequest, "%s", oneLine(err)).in("format")
	}
	return &exported{data: out.Bytes(), kind: kind, name: f.Format}, nil
}

// scene returns the position after so many moves.
func (f *exportFields) scene(g *analysis.Game, plies int) picture.Scene {
	scene := picture.NewScene(g.Variant, g.Start, g.Moves[:plies], nil)
	if f.Black != "" || f.White != "" {
		scene.Caption = oneLine(fmt.Errorf("%s – %s  %s", named(f.Black), named(f.White), f.Result))
	}
	return scene
}
