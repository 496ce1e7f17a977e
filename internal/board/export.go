package board

import (
	"bytes"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/picture"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/review"
)

// exportFields are those of an export beside the fields of a query's game.
type exportFields struct {
	Format     string      `json:"format"`
	OpenRule   bool        `json:"openRule"`
	TurnNumber *int        `json:"turnNumber"` // of a picture; the last one if it is left out
	Numbers    *bool       `json:"numbers"`    // of moves, on a picture
	Tree       []*TreeNode `json:"tree"`
	Black      string      `json:"black"`
	White      string      `json:"white"`
	Title      string      `json:"title"`
	Result     string      `json:"result"`
	Comment    string      `json:"comment"`

	Turns    []review.Turn `json:"turns"`    // what an engine says of the positions: the game is exported as a review
	Language string        `json:"language"` // of a review
}

// exported is a file that is sent.
type exported struct {
	data []byte
	kind string // media type
	name string // end of the file's name
}

// Export answers /api/export: it writes a game as a file, which the service reads as that of a
// query.
func Export(s *analysis.Service, data []byte) (*Reply, *Problem) {
	var f exportFields
	of, p := Decode(data, &f)
	if p != nil {
		return nil, p
	}
	g, wrong := s.ParseGame(of, f.OpenRule)
	if wrong != nil {
		return nil, ProblemOf(wrong)
	}
	file, p := f.write(g)
	if p != nil {
		return nil, p
	}
	h := map[string]string{"Content-Disposition": fmt.Sprintf(`attachment; filename="%s-%s.%s"`, g.Variant.Game,
		g.Variant.Rule(), file.name)}
	return &Reply{Status: ok, Type: file.kind, Header: h, Body: file.data}, nil
}

// recordKinds are the media types of the formats of records.
var recordKinds = map[record.Format]string{
	record.SGF: "application/x-go-sgf; charset=utf-8", record.Text: "text/plain; charset=utf-8",
}

// write writes a game in the format that is asked for.
func (f *exportFields) write(g *analysis.Game) (*exported, *Problem) {
	if format := record.FormatOf(f.Format); format != record.Unknown {
		return f.record(g, format)
	}
	if f.Format == reviewName {
		return f.review(g)
	}
	names := append(append(record.FormatNames(), pictureNames...), reviewName)
	if !slices.Contains(pictureNames, f.Format) {
		return nil, Invalid("format", "unknown format %s: want one of %s", Shown(f.Format), strings.Join(names, ", "))
	}
	return f.picture(g)
}

// record writes a game as a record.
func (f *exportFields) record(g *analysis.Game, format record.Format) (*exported, *Problem) {
	if of := g.Variant.Of(); format != record.Text && of.SGF == 0 && g.Variant.Columns() > 0 {
		return nil, Invalid("format", "%s has no form as %s", of.Name, f.Format)
	}
	r, p := f.gameRecord(g)
	if p != nil {
		return nil, p
	}
	if format == record.SGF && f.Turns != nil {
		if p := f.annotate(g, r); p != nil {
			return nil, p
		}
	}
	if format == record.Text && len(r.Tree.Setup[0])+len(r.Tree.Setup[1]) > 0 {
		return diagram(g)
	}
	var out bytes.Buffer
	if err := r.Write(&out, format); err != nil {
		return nil, Invalid("format", "%s", OneLine(err))
	}
	if head := out.Bytes()[:min(out.Len(), record.HeadBytes)]; record.Detect(head) != format {
		return nil, Invalid("comment", "the texts have so many control characters that no program reads them: want fewer")
	}
	return &exported{out.Bytes(), recordKinds[format], strings.TrimPrefix(format.Extension(), ".")}, nil
}

// reviewName is the format of a review as a page.
const reviewName = "html"

// judge judges the moves of a game by what is said of its turns.
func (f *exportFields) judge(g *analysis.Game) (*review.Report, *Problem) {
	if known := review.Languages(); f.Language != "" && !slices.Contains(known, f.Language) {
		return nil, Invalid("language", "unknown language %s: want one of %s", Shown(f.Language), strings.Join(known, ", "))
	}
	r, err := review.Judge(&review.Game{
		Variant: g.Variant, Start: g.Start, Moves: g.Moves, Title: f.Title, Black: f.Black, White: f.White, Result: f.Result,
	}, f.Turns)
	if wrong, ok := errors.AsType[*review.TurnError](err); ok {
		return nil, Invalid(fmt.Sprintf("turns[%d].%s", wrong.Index, wrong.Field), "%s", OneLine(err))
	}
	if err != nil {
		return nil, Invalid("turns", "%s", OneLine(err))
	}
	return r, nil
}

// review writes the review of a game as a page.
func (f *exportFields) review(g *analysis.Game) (*exported, *Problem) {
	r, p := f.judge(g)
	if p != nil {
		return nil, p
	}
	var out bytes.Buffer
	if err := r.WritePage(&out, f.Language); err != nil {
		return nil, Invalid("format", "%s", OneLine(err))
	}
	return &exported{data: out.Bytes(), kind: "text/html; charset=utf-8", name: reviewName}, nil
}

// annotate writes the review of a game into its record.
func (f *exportFields) annotate(g *analysis.Game, r *gamefiles.Record) *Problem {
	judged, p := f.judge(g)
	if p != nil {
		return p
	}
	start, _ := g.Variant.Played(g.Start)
	at := int32(0)
	for range start { // the moves before turn 0 come first
		if r.Tree.Nodes[at].Child == 0 {
			break // they were set up
		}
		at = r.Tree.Nodes[at].Child
	}
	if err := judged.Annotate(r.Tree, at, f.Language); err != nil {
		return Invalid("turns", "%s", OneLine(err))
	}
	return nil
}

// diagram draws the last position, as no text of moves leads to it.
func diagram(g *analysis.Game) (*exported, *Problem) {
	pos := g.Start.Clone()
	for _, m := range g.Moves {
		pos.Play(m)
	}
	text, ok := pos.(fmt.Stringer)
	if !ok {
		return nil, Invalid("format", "positions of %s have no drawing", g.Variant.Game)
	}
	return &exported{[]byte(text.String()), recordKinds[record.Text], "txt"}, nil
}

// beginning returns where a record of a game begins, and the moves from there to the
// position of turn 0.
func beginning(g *analysis.Game) (start game.Position, lead []game.Move) {
	start = g.Start.Clone()
	lead, _ = g.Variant.Played(start)
	for range lead {
		start.Undo()
	}
	return start, lead
}

// gameRecord makes the game a record, with the moves that led to the position of turn 0
// or with its stones set up.
func (f *exportFields) gameRecord(g *analysis.Game) (*gamefiles.Record, *Problem) {
	for _, text := range []struct {
		field, text string
		most        int
	}{
		{"black", f.Black, mostName}, {"white", f.White, mostName}, {"title", f.Title, mostName},
		{"result", f.Result, mostResult}, {"comment", f.Comment, mostComment},
	} {
		if p := checkText(text.field, text.text, text.most); p != nil {
			return nil, p
		}
	}
	start, lead := beginning(g)
	r := gamefiles.Begin(g.Variant, start)
	t := r.Tree
	t.Black, t.White, t.Name, t.Comment, t.Result = f.Black, f.White, f.Title, f.Comment, f.Result
	at, err := t.Extend(0, t.ToMove(0), lead, nil)
	if err == nil && f.Tree == nil {
		_, err = t.Extend(at, t.ToMove(at), g.Moves, nil)
	}
	if err != nil {
		return nil, Invalid("moves", "%s", OneLine(err))
	}
	if f.Tree == nil {
		return &r, nil
	}
	return &r, f.grow(&r, at)
}

// Bounds of the texts of an export, in bytes: what is written can be read again, with the
// escapes of SGF and the remarks of a review.
const (
	mostName    = 1000 // of a label too
	mostResult  = 100
	mostComment = 500_000
)

// checkText returns the refusal of the text of a field that is too long, or has what no file of
// texts has; nil if there is none.
func checkText(field, text string, most int) *Problem {
	if len(text) > most {
		return Invalid(field, "a text of %d bytes: want at most %d", len(text), most)
	}
	if i := strings.IndexByte(text, 0); i >= 0 {
		return Invalid(field, "U+0000 at byte %d: want a text without it", i)
	}
	return nil
}

// grow adds the moves of a tree below a node and checks that they are legal.
func (f *exportFields) grow(r *gamefiles.Record, root int32) *Problem {
	t, n := r.Tree, r.Variant.Notation()
	ids := make([]int32, len(f.Tree))
	wrong := func(i int, format string, args ...any) *Problem {
		return Invalid(fmt.Sprintf("tree[%d]", i), "entry %d: %s", i+1, fmt.Sprintf(format, args...))
	}
	if len(f.Tree) > MaxNodes {
		return Refusal(tooLarge, "%d moves: want at most %d", len(f.Tree), MaxNodes).In("tree")
	}
	for i, node := range f.Tree {
		parent := root
		switch {
		case node == nil:
			return wrong(i, "want an object with parent and move")
		case node.Parent < -1 || node.Parent >= i:
			return wrong(i, "its parent is %d: want -1 for the start, or an entry before it", node.Parent)
		case node.Parent >= 0:
			parent = ids[node.Parent]
		}
		moves, err := n.ParseMoves(node.Move)
		if err != nil || len(moves) != 1 {
			return wrong(i, "%s is no move", Shown(node.Move))
		}
		if ids[i], err = t.Play(parent, moves[0]); err != nil {
			return wrong(i, "%s", OneLine(err))
		}
		if p := node.say(t, ids[i], n, fmt.Sprintf("tree[%d].", i)); p != nil {
			return p
		}
	}
	if err := r.Check(); err != nil {
		return Invalid("tree", "%s", OneLine(err)).As(CodeOf(err))
	}
	return nil
}

// say writes what is said of a node into a record; path leads to its fields.
func (n *TreeNode) say(t *record.Tree, id int32, points game.Notation, path string) *Problem {
	if p := checkText(path+"comment", n.Comment, mostComment); p != nil {
		return p
	}
	if n.Comment != "" {
		t.Remark(id).Comment = n.Comment
	}
	if n.Value != nil {
		if *n.Value < 0 || *n.Value > 1 {
			return Invalid(path+"value", "%v: want 0 to 1", *n.Value)
		}
		note := t.Remark(id)
		note.Value, note.Valued = 2**n.Value-1, true
	}
	if len(n.Labels)+len(n.Marks) == 0 {
		return nil
	}
	return n.draw(t, id, points, path)
}

// draw is say for labels and marks.
func (n *TreeNode) draw(t *record.Tree, id int32, points game.Notation, path string) *Problem {
	note := t.Remark(id)
	cell := func(field, point string) (game.Move, *Problem) {
		moves, err := points.ParseMoves(point)
		if err != nil || len(moves) != 1 || int(moves[0]) >= t.Size*t.Size {
			return game.NoMove, Invalid(field, "%s is no point of the board", Shown(point))
		}
		return moves[0], nil
	}
	for _, list := range []struct {
		field string
		n     int
	}{{"labels", len(n.Labels)}, {"marks", len(n.Marks)}} {
		if list.n > record.MaxDepth {
			return Invalid(path+list.field, "%d %s: want at most %d", list.n, list.field, record.MaxDepth)
		}
	}
	for i, l := range n.Labels {
		field := fmt.Sprintf("%slabels[%d]", path, i)
		at, p := cell(field, l[0])
		if p == nil {
			p = checkText(field, l[1], mostName)
		}
		if p != nil {
			return p
		}
		note.Labels = append(note.Labels, record.Label{At: at, Text: l[1]})
	}
	for i, m := range n.Marks {
		field := fmt.Sprintf("%smarks[%d]", path, i)
		at, p := cell(field, m[0])
		kind := slices.Index(markNames[:], m[1])
		if p == nil && kind < 0 {
			p = Invalid(field, "%s is no figure: want one of %s", Shown(m[1]), strings.Join(markNames[:], ", "))
		}
		if p != nil {
			return p
		}
		note.Marks = append(note.Marks, record.Mark{At: at, Kind: record.MarkKind(kind)})
	}
	return nil
}

// pictureNames are the formats of pictures.
var pictureNames = []string{"svg"}

// picture draws a position of the game: the last one, or that of turnNumber.
func (f *exportFields) picture(g *analysis.Game) (*exported, *Problem) {
	plies := len(g.Moves)
	if f.TurnNumber != nil {
		if plies = *f.TurnNumber; plies < 0 || plies > len(g.Moves) {
			return nil, Invalid("turnNumber", "want a turn from 0 to %d", len(g.Moves))
		}
	}
	scene := picture.NewScene(g.Variant, g.Start, g.Moves[:plies], nil)
	if f.Numbers != nil && !*f.Numbers {
		scene.Numbers = nil
	}
	if f.Black != "" || f.White != "" {
		scene.Caption = OneLine(fmt.Errorf("%s – %s  %s", named(f.Black), named(f.White), f.Result))
	}
	var out bytes.Buffer
	if err := picture.SVG(&out, &scene); err != nil {
		return nil, Invalid("format", "%s", OneLine(err))
	}
	return &exported{data: out.Bytes(), kind: "image/svg+xml", name: f.Format}, nil
}
