// Package picture draws positions and games: as SVG, which stays sharp at any size
// and whose pieces a screen reader can name, as PNG, and a whole game as an animated
// GIF.
//
// A [Scene] is what is drawn: the board as its game describes it, with numbers,
// labels and marks. Both kinds of pictures are drawn by the same strokes on a
// canvas. The same scene and options give the same bytes.
package picture
