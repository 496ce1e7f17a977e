package board

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
)

// Game is a game as the page takes it from an import or a review. What it began
// from is told by the fields that a query has.
type Game struct {
	Game            string      `json:"game"`
	Rules           string      `json:"rules"`
	OpenRule        bool        `json:"openRule,omitempty"`
	Size            int         `json:"size"`
	InitialPosition string      `json:"initialPosition,omitempty"`
	InitialStones   [][2]string `json:"initialStones,omitempty"`
	InitialPlayer   string      `json:"initialPlayer,omitempty"`
	Captured        *[2]int     `json:"captured,omitempty"`
	Moves           []string    `json:"moves"`             // of the main line
	Opening         int         `json:"opening,omitempty"` // leading moves that no player chose

	Result  string `json:"result,omitempty"` // as SGF writes it: B+, W+R, 0
	Reason  string `json:"reason,omitempty"`
	Title   string `json:"title,omitempty"`
	Black   string `json:"black,omitempty"`
	White   string `json:"white,omitempty"`
	Comment string `json:"comment,omitempty"` // before the first move

	// what a record calls its rules, if that names none: Rules are a guess
	UnknownRules string `json:"unknownRules,omitempty"`

	Notes []string `json:"notes,omitempty"` // what was odd in its file, and how it was read

	Values []*float64 `json:"values,omitempty"` // Black's win rate at each turn, null where it is unknown
	Turns  []Turn     `json:"turns,omitempty"`  // what a search saw
	// where there are variations or comments: parents before children, the main line first
	Tree []*TreeNode `json:"tree,omitempty"`
}

// TreeNode is a move of a tree.
type TreeNode struct {
	Parent  int         `json:"parent"` // index in the list, -1: the start
	Move    string      `json:"move"`
	Comment string      `json:"comment,omitempty"`
	Labels  [][2]string `json:"labels,omitempty"` // point and text
	Marks   [][2]string `json:"marks,omitempty"`  // point and triangle, square, circle or cross
	Value   *float64    `json:"value,omitempty"`  // Black's win rate
}

// Turn is what a reviewed file says of one turn.
type Turn struct {
	TurnNumber int      `json:"turnNumber"`
	Visits     [][2]any `json:"visits,omitempty"` // move and visits, the most first
	Policy     [][2]any `json:"policy,omitempty"` // move and share of the training target
	RootQ      *float64 `json:"rootQ,omitempty"`  // in -1..1, for the side to move
	NetQ       *float64 `json:"netQ,omitempty"`
	Played     string   `json:"played,omitempty"`
	FullSearch *bool    `json:"fullSearch,omitempty"`
	Weight     *float64 `json:"weight,omitempty"`

	Proven    *analysis.Proof   `json:"proven,omitempty"` // of a shard in 0 plies, as it does not say in how many
	MCTS      *TurnView         `json:"mcts,omitempty"`
	AlphaBeta *TurnView         `json:"alphabeta,omitempty"`
	Verdict   *analysis.Verdict `json:"verdict,omitempty"`
}

// TurnView is what one engine thought.
type TurnView struct {
	Move  string   `json:"move"`
	Value float64  `json:"value"` // in -1..1, for the side to move
	Claim int      `json:"claim,omitempty"`
	PV    []string `json:"pv"`
}

// newGame returns a game of a variant without moves.
func newGame(v games.Variant) *Game {
	return &Game{Game: v.Game, Rules: v.Rule(), OpenRule: v.OpenRule, Size: v.Size, Moves: []string{}}
}

// gameOf is ShowRecord of a tree's record.
func gameOf(t *record.Tree, fallback games.VariantOptions) (*Game, error) {
	r, err := gamefiles.AnyRecord(t, "", fallback, false)
	if err != nil {
		return nil, err
	}
	return ShowRecord(&r)
}

// ShowRecord returns a record as the page takes it, if all its moves are legal.
func ShowRecord(r *gamefiles.Record) (*Game, error) {
	if err := r.Check(); err != nil {
		return nil, err
	}
	t, v := r.Tree, r.Variant
	g, n := newGame(v), v.Notation()
	g.Result, g.Title, g.Black, g.White, g.Comment, g.Opening = t.Result, t.Title(), t.Black, t.White, t.Comment, r.Opening
	_, reason := r.Result()
	g.Reason, g.UnknownRules = string(reason), r.UnknownRule()
	nowhere := *r
	nowhere.Source = ""
	g.Notes = nowhere.Notes(g.UnknownRules != "")
	if t.Size == 0 {
		start, err := r.Start()
		if err != nil {
			return nil, err
		}
		g.InitialPosition = v.FormatGame(start, nil)
	}
	g.setUp(t, n)
	g.addMoves(t, n)
	return g, nil
}

// setUp takes over the stones that stood before the first move.
func (g *Game) setUp(t *record.Tree, n game.Notation) {
	for side, stones := range t.Setup {
		for _, m := range stones {
			g.InitialStones = append(g.InitialStones, [2]string{analysis.PlayerOf(game.Side(side)), n.FormatMove(m)})
		}
	}
	if len(g.InitialStones) > 0 || t.OutOfTurn() {
		g.InitialPlayer = analysis.PlayerOf(t.ToMove(0))
	}
}

// addMoves takes over the tree. What is said between moves belongs to the move
// before.
func (g *Game) addMoves(t *record.Tree, n game.Notation) {
	nodes := []*TreeNode{{}} // the start, then g.Tree
	comments := [][]byte{[]byte(g.Comment)}
	index := make([]int, len(t.Nodes)) // in nodes
	rated, spoken, branched := false, false, false
	for id := int32(0); ; {
		node := &t.Nodes[id]
		at := index[node.Parent]
		if node.Move != game.NoMove {
			nodes, comments = append(nodes, &TreeNode{Parent: at - 1, Move: n.FormatMove(node.Move)}), append(comments, nil)
			at = len(nodes) - 1
		}
		index[id] = at
		if note := t.Note(id); note != nil {
			nodes[at].remark(note, n)
			comments[at] = addComment(comments[at], note.Comment)
			rated = rated || note.Valued
			spoken = spoken || note.Comment != "" || len(note.Labels)+len(note.Marks) > 0
		}
		branched = branched || node.Next != 0
		if id = t.Next(id); id == 0 {
			break
		}
	}
	for i, comment := range comments {
		nodes[i].Comment = string(comment)
	}
	g.Comment = nodes[0].Comment
	for _, id := range t.Path(t.MainLeaf()) {
		if m := t.Nodes[id].Move; m != game.NoMove {
			g.Moves = append(g.Moves, n.FormatMove(m))
		}
	}
	if rated {
		for _, node := range nodes[:len(g.Moves)+1] { // the main line comes first
			g.Values = append(g.Values, node.Value)
		}
	}
	if spoken || branched {
		g.Tree = nodes[1:]
	}
}

// addComment adds a comment to the others of a node as further lines, unless they say the
// same.
func addComment(others []byte, comment string) []byte {
	if comment == "" || comment == string(others) {
		return others
	}
	if len(others) > 0 {
		others = append(others, '\n')
	}
	return append(others, comment...)
}

// markNames are the figures of marks.
var markNames = [...]string{
	record.Triangle: "triangle", record.Square: "square", record.Circle: "circle", record.Cross: "cross",
}

// remark takes over what is said of a node, but for the comment.
func (n *TreeNode) remark(note *record.Note, points game.Notation) {
	if rate := (note.Value + 1) / 2; note.Valued && rate >= 0 && rate <= 1 {
		n.Value = &rate
	}
	for _, l := range note.Labels {
		n.Labels = append(n.Labels, [2]string{points.FormatMove(l.At), l.Text})
	}
	for _, m := range note.Marks {
		n.Marks = append(n.Marks, [2]string{points.FormatMove(m.At), markNames[m.Kind]})
	}
}
