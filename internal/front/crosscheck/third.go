package crosscheck

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/nn"
)

// Third is a player that is judged beside the two engines, which stay as they are.
type Third struct {
	Engine engine.Engine
	Budget int // of a search, in the engine's unit
}

// thirdSetup is a parsed description of a third player.
type thirdSetup struct {
	text            string
	kind            players.PlayerKind
	budget          int // in the engine's unit
	playouts, nodes int // what the budget is, or comes to; 0 of what it does not use

	tree      players.FixedTree
	classical search.ClassicalOptions
	both      players.FixedBoth
}

// SetThird adds a third player, as in "both:playouts=400". Its tree search has the
// network of the engine MCTS.
func (s *Setup) SetThird(text string) error {
	spec, err := players.ParseSpec(text)
	if err != nil {
		return err
	}
	if _, given := spec.Args.Get("model"); given {
		return fmt.Errorf("player %q: leave out model: the network is that of mcts", text)
	}
	t := &thirdSetup{text: text, kind: spec.Kind}
	switch spec.Kind {
	case players.Both:
		t.both, err = players.ParseFixedBoth(spec)
		t.budget, t.playouts, t.nodes = t.both.Playouts, t.both.Playouts, t.both.Nodes()
	case players.MCTS:
		t.tree, err = players.ParseFixedTree(spec)
		t.budget, t.playouts = t.tree.Playouts, t.tree.Playouts
	case players.AlphaBeta:
		var nodes int64
		t.classical, nodes, err = players.ParseFixedClassical(spec)
		t.budget, t.nodes = int(nodes), int(nodes)
	default:
		return fmt.Errorf("player %q: want both:..., mcts:... or alphabeta:..., as in match", text)
	}
	if err != nil {
		return fmt.Errorf("player %q: %w", text, err)
	}
	s.third = t
	return nil
}

func (t *thirdSetup) setEndgames(e games.Endgames) {
	t.tree.Endgames, t.classical.Endgames = e, e
	t.both.SetEndgames(e)
}

// bytes returns what the player of one worker may take.
func (t *thirdSetup) bytes(v games.Variant) int64 {
	switch t.kind {
	case players.MCTS:
		return t.tree.Bytes(v, t.playouts)
	case players.AlphaBeta:
		return games.ClassicalBytes(1, t.classical.Search.TableMiB)
	}
	return t.both.Bytes(v)
}

// open makes the player for one worker.
func (t *thirdSetup) open(net *networks.Net, cache *nn.CacheTable, seed uint64) (*Third, error) {
	var e engine.Engine
	var err error
	switch t.kind {
	case players.MCTS:
		e, err = t.tree.OpenFixed(net, cache, seed)
	case players.AlphaBeta:
		e, err = search.NewClassical(net.Variant(), t.classical)
	default:
		e, err = t.both.OpenFixed(net, cache, seed)
	}
	return &Third{Engine: e, Budget: t.budget}, err
}

// Weighing says who the third player is, and how its moves are weighed: the position after
// each different move is searched by MCTS with so many playouts, and by alpha-beta with so
// many nodes.
type Weighing struct {
	Player   string `json:"player"` // its description
	Playouts int    `json:"playouts"`
	Nodes    int    `json:"nodes"`
}

// weighTimes is how many times a third player's budget the searches get that weigh its
// moves.
const weighTimes = 20

// Weighing returns the budgets for a third player, at least those of the deeper look; zero
// without one.
func (s *Setup) Weighing(deeper int) Weighing {
	if s.third == nil {
		return Weighing{}
	}
	return Weighing{
		Player:   s.third.text,
		Playouts: max(weighTimes*s.third.playouts, deeper*s.Playouts),
		Nodes:    max(weighTimes*s.third.nodes, deeper*s.Nodes),
	}
}

// ThirdView is what a third player says, and what is found of its move.
type ThirdView struct {
	Move     string   `json:"move"`
	Value    float64  `json:"value"`
	Claim    int      `json:"claim,omitempty"`   // plies to a win, negative to a loss
	Effort   int      `json:"effort"`            // in the unit of its budget
	Decided  string   `json:"decided,omitempty"` // of both searches, the one whose move it is
	Reason   string   `json:"reason,omitempty"`  // and why
	PV       []string `json:"pv"`
	Blunder  string   `json:"blunder,omitempty"` // loses or misses_win
	Unproven string   `json:"unproven,omitempty"`

	// OfMove and Proof belong to a move that neither of the others plays.
	OfMove *MoveView  `json:"of_move,omitempty"`
	Proof  *ProofView `json:"proof,omitempty"`

	// Others are the blunder, or what looks like one, and its proof, of the move in which
	// the two agree and the third player does not.
	OthersBlunder  string     `json:"others_blunder,omitempty"`
	OthersUnproven string     `json:"others_unproven,omitempty"`
	OthersProof    *ProofView `json:"others_proof,omitempty"`

	Weighed []Weighed `json:"weighed,omitempty"` // each of the different moves
}

// Weighed is what searches with many times the budget say of a move, for the side that
// makes it.
type Weighed struct {
	Move      string  `json:"move"`
	MCTS      float64 `json:"mcts"`
	AlphaBeta float64 `json:"alphabeta"`
}

func viewThird(n game.Notation, a *engine.Answer) *ThirdView {
	v := &ThirdView{
		Move: n.FormatMove(a.Move), Value: rounded(a.Value), Claim: a.Proof.Signed(),
		Effort: int(a.Stats.Nodes), PV: formatLine(n, a.Line),
	}
	if a.Halves != nil {
		v.Decided, v.Reason = a.Halves.Decided.String(), a.Halves.Reason.String()
	}
	return v
}

// look is what a closer look has found of the moves of the two engines.
type look struct {
	tree  *engine.Answer // MCTS with more playouts
	win   *Proof         // of the position, or nil
	lost  vcf.Outcome    // as judge takes it
	moves [2]game.Move   // of MCTS and of alpha-beta
	of    [2]finding
}

// judgeThird fills in what is found of a third player's move, which is another than one of
// the two.
func (x *examiner) judgeThird(ctx context.Context, n game.Notation, pos game.Position, r *Row, third *engine.Answer, l *look) error {
	t := r.Third
	var f finding
	var view *MoveView
	switch third.Move {
	case l.moves[0]:
		f = l.of[0]
	case l.moves[1]:
		f = l.of[1]
	default:
		var err error
		if f, view, err = x.inspect(ctx, n, pos, third.Move, l.win, l.tree); err != nil {
			return err
		}
		t.OfMove = view
		if known := l.of[0].loses || l.of[1].loses; f.loses && l.win == nil && !known {
			if l.lost, err = x.lost(ctx, n, pos, r, l.moves[0], l.moves[1], third.Move); err != nil {
				return err
			}
		}
	}
	b := blunderOf(f, l.win != nil, l.lost)
	t.Blunder, t.Unproven = b.proven(), b.unproven()
	if view != nil {
		t.Proof = x.proofOf(ctx, pos, r, t.Blunder, third.Move, view)
	}
	if l.moves[0] == l.moves[1] {
		b := blunderOf(l.of[0], l.win != nil, l.lost)
		t.OthersBlunder, t.OthersUnproven = b.proven(), b.unproven()
		t.OthersProof = x.proofOf(ctx, pos, r, t.OthersBlunder, l.moves[0], r.Deeper.OfMCTS)
	}
	return x.weigh(ctx, n, pos, r, []game.Move{l.moves[0], l.moves[1], third.Move}, []*MoveView{r.Deeper.OfMCTS, r.Deeper.OfAlpha, view})
}

// weigh searches the positions after the different moves with the budgets of Weighing.
func (x *examiner) weigh(ctx context.Context, n game.Notation, pos game.Position, r *Row, moves []game.Move, views []*MoveView) error {
	seen := map[game.Move]bool{}
	for i, m := range moves {
		if seen[m] || views[i] == nil {
			continue
		}
		seen[m] = true
		w, err := x.weighed(ctx, n, pos, m, views[i])
		if err != nil {
			return err
		}
		r.Third.Weighed = append(r.Third.Weighed, w)
	}
	return nil
}

// weighed weighs one move, of which view is known.
func (x *examiner) weighed(ctx context.Context, n game.Notation, pos game.Position, m game.Move, view *MoveView) (Weighed, error) {
	w := Weighed{Move: n.FormatMove(m)}
	if view.Loses != nil {
		w.MCTS, w.AlphaBeta = -1, -1
		return w, nil
	}
	side := pos.ToMove()
	pos.Play(m)
	defer pos.Undo()
	if o := pos.Outcome(); o != game.Undecided {
		w.MCTS = float64(o.Value(side))
		w.AlphaBeta = w.MCTS
		return w, nil
	}
	x.engines.MCTS.Forget()
	tree, err := think(ctx, x.engines.MCTS, pos, x.opts.Third.Playouts)
	if err != nil {
		return w, err
	}
	classical, err := think(ctx, x.engines.AlphaBeta, pos, x.opts.Third.Nodes)
	if err != nil {
		return w, err
	}
	w.MCTS, w.AlphaBeta = -rounded(tree.Value), -rounded(classical.Value)
	return w, nil
}
