package crosscheck

import (
	"math"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// Row is the result for one position: a line of the rows file. Moves and
// positions are text; values are in -1..1 for the side to move in the position
// of the row.
type Row struct {
	Format   string      `json:"format"` // rowsFormat, then rowsFileVersion, then the run
	Version  int         `json:"version"`
	Run      string      `json:"run"`   // fingerprint of the options
	Index    int         `json:"index"` // in the input's order, from 0
	Source   string      `json:"source"`
	Rule     string      `json:"rule"`
	Size     int         `json:"size"`
	Position string      `json:"position"`
	Ply      int         `json:"ply"`
	ToMove   string      `json:"to_move"`
	Outcome  game.Result `json:"outcome"` // of the game for the side to move
	Verdict  Verdict     `json:"verdict"`

	MCTS      MCTSView      `json:"mcts"`
	AlphaBeta AlphaBetaView `json:"alphabeta"`

	// What was found where the moves differ.
	MCTSBlunder      string `json:"mcts_blunder,omitempty"` // loses or misses_win
	AlphaBetaBlunder string `json:"alphabeta_blunder,omitempty"`
	// the same of what looks like a blunder and is not shown to be one
	MCTSUnproven      string     `json:"mcts_unproven,omitempty"`
	AlphaBetaUnproven string     `json:"alphabeta_unproven,omitempty"`
	Win               *ProofView `json:"win,omitempty"` // proven win in the position
	Deeper            *Deeper    `json:"deeper,omitempty"`
	Proof             *ProofView `json:"proof,omitempty"`           // of the verdict, if it is a blunder
	AlphaBetaProof    *ProofView `json:"alphabeta_proof,omitempty"` // of alpha-beta's blunder beside MCTS's
}

// MCTSView is the tree search's opinion.
type MCTSView struct {
	Move     string   `json:"move"`
	Value    float64  `json:"value"`
	NetValue float64  `json:"net_value"`
	Claim    int      `json:"claim,omitempty"` // plies to a win, negative to a loss
	Playouts int      `json:"playouts"`
	PV       []string `json:"pv"`
}

// AlphaBetaView is the classical search's opinion.
type AlphaBetaView struct {
	Move  string   `json:"move"`
	Value float64  `json:"value"`
	Score int      `json:"score"`
	Claim int      `json:"claim,omitempty"`
	Depth int      `json:"depth"`
	Nodes int      `json:"nodes"`
	PV    []string `json:"pv"`
}

// Deeper is what was found with more effort.
type Deeper struct {
	MCTS    MCTSView  `json:"mcts"`
	OfMCTS  *MoveView `json:"of_mcts_move"`      // on MCTS's move
	OfAlpha *MoveView `json:"of_alphabeta_move"` // on alpha-beta's move

	// Holds says, where a move loses, whether another move holds: what win the
	// opponent has left after the best move that was found.
	Holds *EscapeView `json:"holds,omitempty"`
}

// MoveView is what the deeper look says of one move, for the side that makes
// it.
type MoveView struct {
	Move   string  `json:"move"`
	MCTS   float64 `json:"mcts_value"` // 0 if it was not visited
	Visits int     `json:"mcts_visits"`
	// of the position after the move, turned to the mover; nil where the game is over or lost by proof
	AlphaBeta *AlphaBetaView `json:"alphabeta,omitempty"`
	Loses     *ProofView     `json:"loses,omitempty"` // its line begins with the move
	Left      *EscapeView    `json:"left,omitempty"`  // what is left of a proven win after the move
}

// EscapeView is a search for a move that leaves the opponent no win by fours and
// threes.
type EscapeView struct {
	// none: shown for the reply; win: the solver claims one after every reply; unknown
	Left   string `json:"left"`
	Reply  string `json:"reply,omitempty"` // the move that leaves none
	Nodes  int    `json:"nodes"`           // moves that the solver played, of at most
	Budget int    `json:"budget"`
}

// ProofView is a proof in text.
type ProofView struct {
	By    string   `json:"by"`
	Plies int      `json:"plies"` // from the position of the row
	Line  []string `json:"line"`  // from the position of the row
	Asked int      `json:"asked"` // positions that the replay asked about

	// Certificate proves the win of a verdict to a second program, by the rules alone:
	// from the position of the row, or after the move that loses (package certificate).
	// It is empty where the move ends the game, and where none was found.
	Certificate []byte `json:"certificate,omitempty"`
}

// rounded keeps four decimals: enough, and short to read.
func rounded(x float32) float64 { return math.Round(float64(x)*1e4) / 1e4 }

func viewMCTS(n game.Notation, a *engine.Answer) MCTSView {
	return MCTSView{
		Move: n.FormatMove(a.Move), Value: rounded(a.Value), NetValue: rounded(a.NetValue),
		Claim: a.Proof.Signed(), Playouts: int(a.Stats.Nodes), PV: game.Texts(n, a.Line),
	}
}

func viewAlphaBeta(n game.Notation, a *engine.Answer) AlphaBetaView {
	v := AlphaBetaView{
		Move: n.FormatMove(a.Move), Value: rounded(a.Value), Claim: a.Proof.Signed(),
		Depth: a.Stats.Depth, Nodes: int(a.Stats.Nodes), PV: game.Texts(n, a.Line),
	}
	if len(a.Moves) > 0 {
		v.Score = a.Moves[0].Score
	}
	return v
}

// viewProof returns a proof as seen from the row's position, before the given
// moves were played.
func viewProof(n game.Notation, p *Proof, before ...game.Move) *ProofView {
	if p == nil {
		return nil
	}
	return &ProofView{
		By: p.By, Plies: p.Plies + len(before), Asked: p.Asked,
		Line: game.Texts(n, append(before, p.Line...)),
	}
}

// viewEscape returns what an escape found with so many nodes at most; nil for a
// game in which nothing is searched.
func viewEscape(n game.Notation, e vcf.Escape, budget int) *EscapeView {
	if budget == 0 {
		return nil
	}
	v := &EscapeView{Left: e.Left.String(), Nodes: e.Nodes, Budget: budget}
	if e.Left == vcf.None {
		v.Reply = n.FormatMove(e.Reply)
	}
	return v
}

// Summary counts the rows of a run.
type Summary struct {
	Positions        int `json:"positions"`
	Of               int `json:"of"` // positions of the input; more than Positions if the run was interrupted
	Agree            int `json:"agree"`
	Differ           int `json:"differ"`
	Unproven         int `json:"unproven"` // rows in which nothing is proven, but a move looks like a blunder
	MCTSBlunders     int `json:"mcts_blunders"`
	AlphaBetaBlunder int `json:"alphabeta_blunders"` // of alpha-beta alone
	BothBlunders     int `json:"both_blunders"`      // of the MCTS blunders, those where alpha-beta blundered too

	MCTSLoses       int `json:"mcts_loses"`
	MCTSMisses      int `json:"mcts_misses"`
	AlphaBetaLoses  int `json:"alphabeta_loses"`
	AlphaBetaMisses int `json:"alphabeta_misses"`

	MCTSUnproven      int `json:"mcts_unproven"` // moves that look like blunders and are not shown to be
	AlphaBetaUnproven int `json:"alphabeta_unproven"`
}

// add takes in a row.
func (s *Summary) add(r *Row) {
	s.Positions++
	switch r.Verdict {
	case Agree:
		s.Agree++
	case Differ:
		s.Differ++
	case Unproven:
		s.Unproven++
	case MCTSBlunder:
		s.MCTSBlunders++
		if r.AlphaBetaBlunder != "" {
			s.BothBlunders++
		}
	case AlphaBetaBlunder:
		s.AlphaBetaBlunder++
	}
	countKind(r.MCTSBlunder, &s.MCTSLoses, &s.MCTSMisses)
	countKind(r.AlphaBetaBlunder, &s.AlphaBetaLoses, &s.AlphaBetaMisses)
	if r.MCTSUnproven != "" {
		s.MCTSUnproven++
	}
	if r.AlphaBetaUnproven != "" {
		s.AlphaBetaUnproven++
	}
}

func countKind(kind string, loses, misses *int) {
	switch kind {
	case Loses:
		*loses++
	case Misses:
		*misses++
	}
}
