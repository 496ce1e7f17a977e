package report

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
)

// Halves is which of two searches decided, and what each found.
type Halves struct {
	Decided   string     `json:"decided"` // mcts or alphabeta
	Reason    string     `json:"reason"`  // alone, agreed, proven, claimed, refuted or weighed
	MCTS      *HalfMove  `json:"mcts,omitempty"`
	AlphaBeta *HalfMove  `json:"alphabeta,omitempty"`
	Checked   *HalfMove  `json:"checked,omitempty"`
	Refuted   []HalfMove `json:"refuted,omitempty"`
	Playouts  int64      `json:"playouts"`
	Nodes     int64      `json:"nodes"` // of the classical search
	Text      string     `json:"text"`
}

// HalfMove is what one search says of one move.
type HalfMove struct {
	Move   string  `json:"move"`
	Value  float32 `json:"value"`
	Claim  string  `json:"claim,omitempty"` // "win in n" or "loss in n", which mcts has proven and alphabeta claims
	Visits int     `json:"visits,omitempty"`
	Depth  int     `json:"depth,omitempty"`
}

// NewHalves returns the report of what two searches found; nil of nil.
func NewHalves(n game.Notation, h *engine.Halves) *Halves {
	if h == nil {
		return nil
	}
	r := &Halves{
		Decided: h.Decided.String(), Reason: h.Reason.String(), Playouts: h.Playouts, Nodes: h.Nodes, Text: h.Text(n),
		MCTS: newHalfMove(n, &h.Tree), AlphaBeta: newHalfMove(n, &h.Other), Checked: newHalfMove(n, &h.Checked),
	}
	for i := range h.Refuted {
		r.Refuted = append(r.Refuted, *newHalfMove(n, &h.Refuted[i]))
	}
	return r
}

func newHalfMove(n game.Notation, f *engine.Finding) *HalfMove {
	if f.Move == game.NoMove {
		return nil
	}
	return &HalfMove{Move: n.FormatMove(f.Move), Value: f.Value, Claim: f.Proof.String(), Visits: f.Visits, Depth: f.Depth}
}
