package board

import (
	"bytes"
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/gamefiles"
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

// export is a game that is being written as a file.
type export struct {
	exportFields
	*analysis.Game
	out bytes.Buffer
}

// format is one in which games are written.
type format struct {
	name, extension, kind string // kind is the media type
	write                 func(*export) *Problem
}

var formats = []format{
	{"sgf", "sgf", "application/x-go-sgf; charset=utf-8", func(e *export) *Problem { return e.record(record.SGF) }},
	{"text", "txt", "text/plain; charset=utf-8", func(e *export) *Problem { return e.record(record.Text) }},
	{"svg", "svg", "image/svg+xml", (*export).picture},
	{"html", "html", "text/html; charset=utf-8", (*export).review},
}

// Export answers /api/export: it writes a game as a file, which the service reads as that of a
// query.
func Export(s *analysis.Service, data []byte) (*Reply, *Problem) {
	var e export
	of, p := Decode(data, &e.exportFields)
	if p != nil {
		return nil, p
	}
	var wrong *analysis.Problem
	if e.Game, wrong = s.ParseGame(of, e.OpenRule); wrong != nil {
		return nil, ProblemOf(wrong)
	}
	i := slices.IndexFunc(formats, func(f format) bool { return f.name == e.Format })
	if i < 0 {
		var names []string
		for _, f := range formats {
			names = append(names, f.name)
		}
		return nil, Invalid("format", "unknown format %s: want one of %s",
			analysis.Shown(e.Format), strings.Join(names, ", "))
	}
	if p := formats[i].write(&e); p != nil {
		return nil, p
	}
	name := fmt.Sprintf("%s-%s.%s", e.Variant.Game, e.Variant.Rule(), formats[i].extension)
	h := map[string]string{"Content-Disposition": fmt.Sprintf("attachment; filename=%q", name)}
	return &Reply{Status: ok, Type: formats[i].kind, Header: h, Body: e.out.Bytes()}, nil
}

// wrote returns the refusal of a format that an error of writing it is.
func wrote(err error) *Problem {
	if err != nil {
		return Invalid("format", "%s", OneLine(err))
	}
	return nil
}

// record writes the game as a record; where stones were set up, a text is a drawing of the last
// position, as no text of moves leads to it.
func (e *export) record(format record.Format) *Problem {
	if of := e.Variant.Of(); format == record.SGF && of.SGF == 0 && e.Variant.Columns() > 0 {
		return Invalid("format", "%s has no form as %s", of.Name, e.Format)
	}
	r, p := e.gameRecord()
	if p == nil && format == record.SGF && e.Turns != nil {
		p = e.annotate(r)
	}
	if p != nil {
		return p
	}
	if format == record.Text && len(r.Tree.Setup[0])+len(r.Tree.Setup[1]) > 0 {
		text, ok := e.At(len(e.Moves)).(fmt.Stringer)
		if !ok {
			return Invalid("format", "positions of %s have no drawing", e.Variant.Game)
		}
		e.out.WriteString(text.String())
		return nil
	}
	if err := r.Write(&e.out, format); err != nil {
		return wrote(err)
	}
	if head := e.out.Bytes()[:min(e.out.Len(), record.HeadBytes)]; record.Detect(head) != format {
		return Invalid("comment", "the texts have so many control characters that no program reads them: want fewer")
	}
	return nil
}

// judge judges the moves of the game by what is said of its turns.
func (e *export) judge() (*review.Report, *Problem) {
	if known := review.Languages(); e.Language != "" && !slices.Contains(known, e.Language) {
		return nil, Invalid("language", "unknown language %s: want one of %s",
			analysis.Shown(e.Language), strings.Join(known, ", "))
	}
	r, err := review.Judge(&review.Game{
		Variant: e.Variant, Start: e.Start, Moves: e.Moves, Title: e.Title, Black: e.Black, White: e.White, Result: e.Result,
	}, e.Turns)
	if wrong, ok := errors.AsType[*review.TurnError](err); ok {
		return nil, Invalid(fmt.Sprintf("turns[%d].%s", wrong.Index, wrong.Field), "%s", OneLine(err))
	}
	return r, nil
}

// review writes the review of the game as a page.
func (e *export) review() *Problem {
	r, p := e.judge()
	if p != nil {
		return p
	}
	return wrote(r.WritePage(&e.out, e.Language))
}

// annotate writes the review of a game into its record.
func (e *export) annotate(r *gamefiles.Record) *Problem {
	judged, p := e.judge()
	if p != nil {
		return p
	}
	start, _ := e.Variant.Played(e.Start)
	at := int32(0)
	for range start { // the moves before turn 0 come first
		if r.Tree.Nodes[at].Child == 0 {
			break // they were set up
		}
		at = r.Tree.Nodes[at].Child
	}
	if err := judged.Annotate(r.Tree, at, e.Language); err != nil {
		return Invalid("turns", "%s", OneLine(err))
	}
	return nil
}

// gameRecord makes the game a record, with the moves that led to the position of turn 0
// or with its stones set up.
func (e *export) gameRecord() (*gamefiles.Record, *Problem) {
	for _, text := range []struct {
		field, text string
		most        int
	}{
		{"black", e.Black, mostName}, {"white", e.White, mostName}, {"title", e.Title, mostName},
		{"result", e.Result, mostResult}, {"comment", e.Comment, mostComment},
	} {
		if p := checkText(text.field, text.text, text.most); p != nil {
			return nil, p
		}
	}
	start := e.Start.Clone()
	lead, _ := e.Variant.Played(start)
	for range lead {
		start.Undo()
	}
	r := gamefiles.Begin(e.Variant, start)
	t := r.Tree
	t.Black, t.White, t.Name, t.Comment, t.Result = e.Black, e.White, e.Title, e.Comment, e.Result
	at, err := t.Extend(0, t.ToMove(0), lead, nil)
	if err == nil && e.Tree == nil {
		_, err = t.Extend(at, t.ToMove(at), e.Moves, nil)
	}
	if err != nil {
		return nil, Invalid("moves", "%s", OneLine(err))
	}
	if e.Tree == nil {
		return &r, nil
	}
	return &r, e.grow(&r, at)
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
func (e *export) grow(r *gamefiles.Record, root int32) *Problem {
	t, n := r.Tree, r.Variant.Notation()
	ids := make([]int32, len(e.Tree))
	wrong := func(i int, format string, args ...any) *Problem {
		return Invalid(fmt.Sprintf("tree[%d]", i), "entry %d: %s", i+1, fmt.Sprintf(format, args...))
	}
	if len(e.Tree) > MaxNodes {
		return Refusal(tooLarge, "%d moves: want at most %d", len(e.Tree), MaxNodes).In("tree")
	}
	for i, node := range e.Tree {
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
			return wrong(i, "%s is no move", analysis.Shown(node.Move))
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
	note := t.Remark(id)
	for _, said := range []struct {
		field string
		list  [][2]string
	}{{"labels", n.Labels}, {"marks", n.Marks}} {
		if len(said.list) > record.MaxDepth {
			return Invalid(path+said.field, "%d %s: want at most %d", len(said.list), said.field, record.MaxDepth)
		}
		for i, of := range said.list {
			field := fmt.Sprintf("%s%s[%d]", path, said.field, i)
			moves, err := points.ParseMoves(of[0])
			if err != nil || len(moves) != 1 || int(moves[0]) >= t.Size*t.Size {
				return Invalid(field, "%s is no point of the board", analysis.Shown(of[0]))
			}
			if said.field == "labels" {
				if p := checkText(field, of[1], mostName); p != nil {
					return p
				}
				note.Labels = append(note.Labels, record.Label{At: moves[0], Text: of[1]})
				continue
			}
			kind := slices.Index(markNames[:], of[1])
			if kind < 0 {
				return Invalid(field, "%s is no figure: want one of %s", analysis.Shown(of[1]), strings.Join(markNames[:], ", "))
			}
			note.Marks = append(note.Marks, record.Mark{At: moves[0], Kind: record.MarkKind(kind)})
		}
	}
	return nil
}

// picture draws a position of the game: the last one, or that of turnNumber.
func (e *export) picture() *Problem {
	plies := len(e.Moves)
	if e.TurnNumber != nil {
		if plies = *e.TurnNumber; plies < 0 || plies > len(e.Moves) {
			return Invalid("turnNumber", "want a turn from 0 to %d", len(e.Moves))
		}
	}
	scene := gamefiles.NewScene(e.Variant, e.Start, e.Moves[:plies])
	if e.Numbers != nil && !*e.Numbers {
		scene.Numbers = nil
	}
	if e.Black != "" || e.White != "" {
		text := cmp.Or(e.Black, "?") + " – " + cmp.Or(e.White, "?") + "  " + e.Result
		scene.Caption = strings.Join(strings.Fields(text), " ")
	}
	return wrote(gamefiles.SVG(&e.out, &scene))
}
