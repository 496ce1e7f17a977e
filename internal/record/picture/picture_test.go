package picture

import (
	"bytes"
	"context"
	"encoding/xml"
	"errors"
	"flag"
	"image"
	"image/color"
	"image/gif"
	"image/png"
	"io"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

var update = flag.Bool("update", false, "rewrite the golden files")

// scenes are the pictures of the golden files.
func scenes(t testing.TB) map[string]Scene {
	t.Helper()
	all := map[string]Scene{}
	for name, c := range map[string]struct {
		o    games.VariantOptions
		text string
		note *record.Note
	}{
		"renju":    {games.VariantOptions{Rule: "renju"}, "h8h9i7i9h10i6i11i12", nil},
		"win":      {games.VariantOptions{Size: 9}, "e5e9d5f9f5g9g5a9c5", nil},
		"captures": {games.VariantOptions{Rule: "school42", Size: 8}, "a1b1h8c1d1", nil},
		"marks": {games.VariantOptions{Size: 7}, "d4", &record.Note{
			Labels: []record.Label{{At: 0, Text: "A"}, {At: 8, Text: "<&>é"}, {At: 24, Text: "x"}, {At: 500, Text: "outside"}},
			Marks:  []record.Mark{{At: 20, Kind: record.Triangle}, {At: 21, Kind: record.Square}, {At: 22, Kind: record.Circle}, {At: 23, Kind: record.Cross}, {At: 500}},
		}},
		"onitama": {games.VariantOptions{Game: games.GameNames()[1]}, "Monkey,Crane/Tiger,Crab/Dragon:crane c1c2", nil},
	} {
		s, _ := scene(t, c.o, c.text)
		if c.note != nil {
			s.Labels, s.Marks, s.Caption = c.note.Labels, c.note.Marks, `A & B <b>`
		}
		all[name] = s
	}
	return all
}

// scene returns the scene after a game, and the moves.
func scene(t testing.TB, o games.VariantOptions, text string) (Scene, []game.Move) {
	t.Helper()
	v, err := games.NewVariant(o)
	if err != nil {
		t.Fatal(err)
	}
	start, moves, err := v.ParseGame(text)
	if err != nil {
		t.Fatal(err)
	}
	return NewScene(v, start, moves, nil), moves
}

// options of the golden files: small, to be looked at.
func small() Options {
	o := All()
	o.Width = 320
	return o
}

// The same scene gives the same bytes. Pixels may differ by little on processors that
// round otherwise.
func TestGolden(t *testing.T) {
	for name, s := range scenes(t) {
		for _, theme := range ThemeNames() {
			if theme != ThemeNames()[0] && name != "renju" {
				continue
			}
			o := small()
			o.Theme = theme
			var svg, again, pixels bytes.Buffer
			if err := errors.Join(SVG(&svg, &s, o), SVG(&again, &s, o), PNG(&pixels, &s, o)); err != nil {
				t.Fatal(err)
			}
			base := filepath.Join("testdata", name+"-"+theme)
			if *update {
				if err := errors.Join(os.WriteFile(base+".svg", svg.Bytes(), 0o644), os.WriteFile(base+".png", pixels.Bytes(), 0o644)); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(base + ".svg")
			if err != nil || !bytes.Equal(svg.Bytes(), want) || !bytes.Equal(again.Bytes(), want) {
				t.Errorf("%s.svg differs, %v: look at it and run the test with -update", base, err)
			}
			drawn, err := os.ReadFile(base + ".png")
			if err != nil {
				t.Fatal(err)
			}
			if n := apart(t, pixels.Bytes(), drawn); n > 0 {
				t.Errorf("%s.png differs in %d pixels: look at it and run the test with -update", base, n)
			}
		}
	}
}

// apart counts the pixels that differ by more than rounding.
func apart(t *testing.T, a, b []byte) (n int) {
	t.Helper()
	x, err := png.Decode(bytes.NewReader(a))
	if err != nil {
		t.Fatal(err)
	}
	y, err := png.Decode(bytes.NewReader(b))
	if err != nil {
		t.Fatal(err)
	}
	if x.Bounds() != y.Bounds() {
		return x.Bounds().Dx() * x.Bounds().Dy()
	}
	for py := range x.Bounds().Dy() {
		for px := range x.Bounds().Dx() {
			if distance(x.At(px, py), y.At(px, py)) > 3 {
				n++
			}
		}
	}
	return n
}

// distance is the largest difference of two colours in one of red, green and blue.
func distance(a, b color.Color) int {
	r, g, bl, _ := a.RGBA()
	r2, g2, bl2, _ := b.RGBA()
	most := 0
	for _, d := range []int{int(r>>8) - int(r2>>8), int(g>>8) - int(g2>>8), int(bl>>8) - int(bl2>>8)} {
		most = max(most, d, -d)
	}
	return most
}

// An SVG file is well-formed, names every piece, the last move and its number, and
// says what it shows.
func TestSVGIsReadAloud(t *testing.T) {
	for name, want := range map[string][]string{
		"renju":    {"renju 15x15 after 8 moves: first to move", "h8 first move 1", "i12 second move 8"},
		"win":      {"caro 9x9 after 9 moves: first has won", "c5 first move 9"},
		"captures": {"a1 first move 1", "d1 first move 5"},
		"onitama":  {"onitama after 1 moves: second to move", "c2 first master", "c5 second master", "a1 first"},
	} {
		var out bytes.Buffer
		s := scenes(t)[name]
		if err := SVG(&out, &s, All()); err != nil {
			t.Fatal(err)
		}
		titles := map[string]bool{}
		d := xml.NewDecoder(&out)
		for inTitle := false; ; {
			token, err := d.Token()
			if errors.Is(err, io.EOF) {
				break
			}
			if err != nil {
				t.Fatalf("%s: %v", name, err)
			}
			switch token := token.(type) {
			case xml.StartElement:
				inTitle = token.Name.Local == "title"
			case xml.EndElement:
				inTitle = false
			case xml.CharData:
				titles[string(token)] = inTitle || titles[string(token)]
			}
		}
		for _, w := range want {
			if !titles[w] {
				t.Errorf("%s: no title %q in %v", name, w, titles)
			}
		}
		if name == "captures" && titles["b1 second move 2"] {
			t.Error("a captured stone is drawn")
		}
	}
}

// pixel returns the colour in the middle of a square.
func pixel(img image.Image, l *layout, o *Options, square int, dx, dy float64) color.Color {
	x, y := l.at(square)
	scale := float64(o.Width) / l.width
	return img.At(int((x+dx*unit)*scale), int((y+dy*unit)*scale))
}

// What stands on a board is where the board is: on every size, each stone has its
// colour, empty cells that of the board.
func TestPixels(t *testing.T) {
	for _, size := range []int{5, 8, 15, 22} {
		s, moves := scene(t, games.VariantOptions{Rule: "freestyle", Size: size}, "a1b1c2e5d4")
		o := Options{Width: 640}
		var out bytes.Buffer
		if err := PNG(&out, &s, o); err != nil {
			t.Fatal(err)
		}
		img, err := png.Decode(&out)
		if err != nil {
			t.Fatal(err)
		}
		if err := o.settle(); err != nil {
			t.Fatal(err)
		}
		l := newLayout(&s, &o)
		for square := range size * size {
			want := o.theme.Board
			for i, m := range moves {
				if int(m) == square {
					want = o.theme.Pieces[i%2]
				}
			}
			if got := pixel(img, &l, &o, square, 0.22, 0.22); distance(got, want) > 3 {
				t.Errorf("size %d: %s is %v, want %v", size, squareName(size, square), got, want)
			}
		}
	}
}

// The frames of a film, laid over each other, are the pictures of its positions.
func TestGIF(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "school42", Size: 8})
	if err != nil {
		t.Fatal(err)
	}
	start, moves, err := v.ParseGame("a1b1h8c1d1")
	if err != nil {
		t.Fatal(err)
	}
	var all []Scene
	for i := range len(moves) + 1 {
		all = append(all, NewScene(v, start, moves[:i], nil))
	}
	o := small()
	var out, again bytes.Buffer
	if err := errors.Join(GIF(t.Context(), &out, all, time.Second, o), GIF(t.Context(), &again, all, time.Second, o)); err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(out.Bytes(), again.Bytes()) || !Own(out.Bytes()) {
		t.Error("other bytes the second time, or no mark")
	}
	film, err := gif.DecodeAll(&out)
	if err != nil || len(film.Image) != len(all) || film.Delay[0] != 100 || film.Delay[len(all)-1] != 300 {
		t.Fatalf("%d frames, %v, %v", len(film.Image), film.Delay, err)
	}
	screen := image.NewRGBA(film.Image[0].Bounds())
	if err := o.settle(); err != nil {
		t.Fatal(err)
	}
	for i, frame := range film.Image {
		b := frame.Bounds()
		for y := b.Min.Y; y < b.Max.Y; y++ {
			for x := b.Min.X; x < b.Max.X; x++ {
				screen.Set(x, y, frame.At(x, y))
			}
		}
		want, err := raster(&all[i], &o)
		if err != nil {
			t.Fatal(err)
		}
		far := 0
		for y := range want.Bounds().Dy() {
			for x := range want.Bounds().Dx() {
				if distance(screen.At(x, y), want.At(x, y)) > 24 { // 128 colours are all there are
					far++
				}
			}
		}
		if far > 0 || i > 0 && b == screen.Bounds() {
			t.Errorf("frame %d: %d pixels differ, %v", i, far, b)
		}
	}
}

func TestMarks(t *testing.T) {
	s, _ := scene(t, games.VariantOptions{}, "h8")
	var svg, pixels bytes.Buffer
	if err := errors.Join(SVG(&svg, &s, small()), PNG(&pixels, &s, small())); err != nil {
		t.Fatal(err)
	}
	for _, data := range [][]byte{svg.Bytes(), pixels.Bytes()} {
		if !Own(data[:512]) || Own(data[100:]) {
			t.Errorf("%.20q is not known again", data)
		}
	}
	for _, foreign := range []string{"", "<svg >", "notes on what was drawn by carozero", "GIF89a"} {
		if Own([]byte(foreign)) {
			t.Errorf("%q is taken for a picture of this program", foreign)
		}
	}
}

func TestWrongOptions(t *testing.T) {
	s, _ := scene(t, games.VariantOptions{}, "h8")
	for _, o := range []Options{{Width: 63}, {Width: MaxWidth + 1}, {Theme: "pink"}} {
		for _, err := range []error{SVG(io.Discard, &s, o), PNG(io.Discard, &s, o), GIF(t.Context(), io.Discard, []Scene{s}, time.Second, o)} {
			if err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%+v: %v", o, err)
			}
		}
	}
	captures, _ := scene(t, games.VariantOptions{Rule: "school42"}, "h8")
	over, end := context.WithCancel(t.Context())
	end()
	if err := GIF(over, io.Discard, []Scene{captures, captures}, time.Second, All()); !errors.Is(err, context.Canceled) {
		t.Errorf("a film that nobody waits for: %v", err)
	}
	if GIF(t.Context(), io.Discard, nil, time.Second, All()) == nil || GIF(t.Context(), io.Discard, []Scene{s, captures}, time.Second, All()) == nil {
		t.Error("no frames, and frames of two shapes: no error")
	}
}
