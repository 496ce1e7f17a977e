package web

import (
	"fmt"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
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

	Values []*float64  `json:"values,omitempty"` // Black's win rate at each turn, null where it is unknown
	Turns  []Turn      `json:"turns,omitempty"`  // what a search saw
	Tree   []*TreeNode `json:"tree,omitempty"`   // where there are variations or comments: parents before children, the main line first
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
	TurnNumber int          `json:"turnNumber"`
	Visits     [][2]any     `json:"visits,omitempty"` // move and visits, the most first
	Policy     [][2]any     `json:"policy,omitempty"` // move and share of the training target
	RootQ      *float64     `json:"rootQ,omitempty"`  // in -1..1, for the side to move
	NetQ       *float64     `json:"netQ,omitempty"`
	Played     string       `json:"played,omitempty"`
	FullSearch *bool        `json:"fullSearch,omitempty"`
	Weight     *float64     `json:"weight,omitempty"`
	Proven     *TurnProof   `json:"proven,omitempty"`
	MCTS       *TurnView    `json:"mcts,omitempty"`
	AlphaBeta  *TurnView    `json:"alphabeta,omitempty"`
	Verdict    *TurnVerdict `json:"verdict,omitempty"`
}

// TurnProof is an end that is known, for the side to move. Sample shards do not say
// in how many plies it comes.
type TurnProof struct {
	Result string   `json:"result"`
	By     string   `json:"by,omitempty"`
	Plies  int      `json:"plies,omitempty"`
	Line   []string `json:"line,omitempty"`
}

// TurnView is what one engine thought.
type TurnView struct {
	Move  string   `json:"move"`
	Value float64  `json:"value"` // in -1..1, for the side to move
	Claim int      `json:"claim,omitempty"`
	PV    []string `json:"pv"`
}

// TurnVerdict is what comes of a disagreement; see package crosscheck.
type TurnVerdict struct {
	Verdict           string     `json:"verdict"`
	MCTSMove          string     `json:"mctsMove"`
	AlphaBetaMove     string     `json:"alphabetaMove"`
	MCTSBlunder       string     `json:"mctsBlunder,omitempty"`
	AlphaBetaBlunder  string     `json:"alphabetaBlunder,omitempty"`
	MCTSUnproven      string     `json:"mctsUnproven,omitempty"`
	AlphaBetaUnproven string     `json:"alphabetaUnproven,omitempty"`
	Proof             *TurnProof `json:"proof,omitempty"`
	AlphaBetaProof    *TurnProof `json:"alphabetaProof,omitempty"` // of alpha-beta's blunder beside that of the tree search
}

// newGame returns a game of a variant without moves.
func newGame(v games.Variant) *Game {
	return &Game{Game: v.Game, Rules: v.Rule(), OpenRule: v.OpenRule, Size: v.Size, Moves: []string{}}
}

// resultOf returns how a game ended as SGF writes it.
func resultOf(o game.Outcome, r game.Reason) string {
	var t record.Tree
	t.SetOutcome(o, r)
	return t.Result
}

// variantOf returns the variant of a record: its own rule if that is known here, else
// that of fallback.
func variantOf(t *record.Tree, fallback games.VariantOptions) (games.Variant, error) {
	o := fallback
	if t.Size == 0 {
		return games.NewVariant(games.VariantOptions{Game: games.GameOf(false)})
	}
	if v, err := games.NewVariant(o); err != nil || v.Columns() == 0 || v.Of().SGF == 0 && (t.Sized || t.Rule != "") {
		o = games.VariantOptions{Game: games.GameOf(true)} // the fallback has no such records
	}
	if rule := strings.ToLower(strings.TrimSpace(t.Rule)); slices.Contains(games.RuleNames(), rule) {
		o.Rule, o.OpenRule = rule, false
	}
	o.Size = t.Size
	return games.NewVariant(o)
}

// gameOf turns a record into a game, whose moves are legal then.
func gameOf(t *record.Tree, fallback games.VariantOptions) (*Game, error) {
	v, err := variantOf(t, fallback)
	if err != nil {
		return nil, err
	}
	start, err := startOf(v, t)
	if err != nil {
		return nil, err
	}
	n := v.Notation()
	if err := t.Replay(start, n); err != nil {
		return nil, fmt.Errorf("%w under %v", err, v)
	}
	g := newGame(v)
	g.Result, g.Title, g.Black, g.White, g.Comment = t.Result, titleOf(t), t.Black, t.White, t.Comment
	if _, reason := t.Outcome(); reason != game.NoReason {
		g.Reason = string(reason)
	}
	if t.Size == 0 {
		g.InitialPosition = v.FormatGame(start, nil)
	}
	g.setUp(t, n)
	g.addMoves(t, n)
	return g, nil
}

// startOf returns the position that a record begins at, without the stones that it
// sets up.
func startOf(v games.Variant, t *record.Tree) (game.Position, error) {
	if t.Start == "" {
		return v.Start()
	}
	start, _, err := v.ParseGame(t.Start)
	return start, err
}

// titleOf returns how a record is called.
func titleOf(t *record.Tree) string {
	switch {
	case t.Name != "":
		return t.Name
	case t.Black != "" || t.White != "":
		return named(t.Black) + " - " + named(t.White)
	}
	return t.Event
}

func named(player string) string {
	if player == "" {
		return "?"
	}
	return player
}

// setUp takes over the stones that stood before the first move.
func (g *Game) setUp(t *record.Tree, n game.Notation) {
	for side, stones := range t.Setup {
		for _, m := range stones {
			g.InitialStones = append(g.InitialStones, [2]string{playerOf(game.Side(side)), n.FormatMove(m)})
		}
	}
	if len(g.InitialStones) > 0 {
		g.InitialPlayer = playerOf(t.ToMove(0))
	}
}

// addMoves takes over the tree. What is said between moves belongs to the move
// before.
func (g *Game) addMoves(t *record.Tree, n game.Notation) {
	index := make([]int, len(t.Nodes)) // in g.Tree; -1: the start
	var nodes []*TreeNode
	rated, spoken, branched := false, false, false
	for id := int32(0); ; {
		node := &t.Nodes[id]
		at := -1
		if id > 0 {
			at = index[node.Parent]
		}
		if node.Move != game.NoMove {
			nodes = append(nodes, &TreeNode{Parent: at, Move: n.FormatMove(node.Move)})
			at = len(nodes) - 1
		}
		index[id] = at
		if note := t.Note(id); note != nil {
			var of *TreeNode
			if index[id] >= 0 {
				of = nodes[index[id]]
			}
			g.remark(of, note, n)
			rated = rated || note.Valued
			spoken = spoken || note.Comment != "" || len(note.Labels)+len(note.Marks) > 0
		}
		branched = branched || node.Next != 0
		if id = t.Next(id); id == 0 {
			break
		}
	}
	for _, id := range t.Path(t.MainLeaf()) {
		if m := t.Nodes[id].Move; m != game.NoMove {
			g.Moves = append(g.Moves, n.FormatMove(m))
		}
	}
	if rated {
		g.Values = mainValues(nodes, len(g.Moves))
	}
	if spoken || branched {
		g.Tree = nodes
	}
}

// markNames are the figures of marks.
var markNames = [...]string{record.Triangle: "triangle", record.Square: "square", record.Circle: "circle", record.Cross: "cross"}

// remark takes over what is said of a node, nil for the start.
func (g *Game) remark(of *TreeNode, note *record.Note, n game.Notation) {
	comment := &g.Comment
	if of != nil {
		comment = &of.Comment
		if rate := (note.Value + 1) / 2; note.Valued && rate >= 0 && rate <= 1 {
			of.Value = &rate
		}
		for _, l := range note.Labels {
			of.Labels = append(of.Labels, [2]string{n.FormatMove(l.At), l.Text})
		}
		for _, m := range note.Marks {
			of.Marks = append(of.Marks, [2]string{n.FormatMove(m.At), markNames[m.Kind]})
		}
	}
	switch {
	case note.Comment == "" || note.Comment == *comment:
	case *comment == "":
		*comment = note.Comment
	default:
		*comment += "\n" + note.Comment
	}
}

// mainValues returns the values along the main line, by turn.
func mainValues(nodes []*TreeNode, plies int) []*float64 {
	values := make([]*float64, plies+1)
	for i, node := range nodes[:plies] { // the main line comes first
		values[i+1] = node.Value
	}
	return values
}

// playerOf returns the name of a side.
func playerOf(side game.Side) string {
	if side == game.First {
		return "B"
	}
	return "W"
}
