package book

import (
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// View is what a book says of a position and of the moves there, as programs read it.
type View struct {
	Found bool          `json:"found"` // the position is in the book
	Here  *ViewPosition `json:"here,omitempty"`
	Moves []ViewMove    `json:"moves"` // the best first
}

// ViewMove is a move, and what the book says of the position after it.
type ViewMove struct {
	Move string `json:"move"`
	ViewPosition
}

// ViewPosition is what a book says of a position. Value and results are of the side to
// move where it is asked about; so those after a move are of the side that plays it.
type ViewPosition struct {
	Value       *float64    `json:"value,omitempty"`
	Proof       string      `json:"proof,omitempty"`
	Wins        int64       `json:"wins"`
	Draws       int64       `json:"draws"`
	Losses      int64       `json:"losses"`
	Label       string      `json:"label,omitempty"` // of the side to move in the position itself
	Comment     string      `json:"comment,omitempty"`
	Certificate bool        `json:"certificate,omitempty"`
	Author      string      `json:"author"`
	Time        string      `json:"time"`
	Values      []ViewValue `json:"values,omitempty"`
}

// ViewValue is an engine's value of a position, for the side to move in it.
type ViewValue struct {
	Engine  string  `json:"engine"`
	Network string  `json:"network,omitempty"`
	Build   string  `json:"build,omitempty"`
	Value   float64 `json:"value"`
	Proof   string  `json:"proof,omitempty"`
	Plies   int     `json:"plies,omitempty"`
	Nodes   int64   `json:"nodes,omitempty"`
	Depth   int     `json:"depth,omitempty"`
	Best    string  `json:"best,omitempty"`
}

// View returns what the book says of a position and of the moves there, in a notation. The
// error wraps ErrVariant if the book is of other rules.
func (b *Book) View(pos *gomoku.Board, n game.Notation) (*View, error) {
	v := &View{Moves: []ViewMove{}}
	p, there, err := b.Get(pos)
	if err != nil {
		return nil, err
	}
	if v.Found = there; there {
		here := viewOf(n, &p, false)
		data, err := b.Certificate(pos)
		if err != nil {
			return nil, err
		}
		here.Certificate = data != nil
		v.Here = &here
	}
	moves, err := b.Moves(pos)
	if err != nil {
		return nil, err
	}
	for i := range moves {
		v.Moves = append(v.Moves, ViewMove{Move: n.FormatMove(moves[i].Move), ViewPosition: viewOf(n, &moves[i].After, true)})
	}
	v.sort()
	return v, nil
}

// viewOf returns what a book says of a position, as the side that moved there sees it if
// after is true.
func viewOf(n game.Notation, p *Position, after bool) ViewPosition {
	r := ViewPosition{
		Wins: p.Results.Wins, Draws: p.Results.Draws, Losses: p.Results.Losses, Comment: p.Comment,
		Author: p.Author, Time: p.Time.Format("2006-01-02 15:04:05"),
	}
	proof, _ := p.Proof()
	value, ok := p.Worth()
	if after {
		r.Wins, r.Losses, value = r.Losses, r.Wins, 0-value
		switch proof {
		case Won:
			proof = Lost
		case Lost:
			proof = Won
		}
	}
	if r.Proof = proof.String(); ok {
		r.Value = &value
	}
	if p.Label != None {
		r.Label = p.Label.String()
	}
	for _, v := range p.Values {
		x := ViewValue{Engine: v.Engine, Network: v.Network, Build: v.Build, Value: v.Value, Proof: v.Proof.String(), Plies: v.Plies, Nodes: v.Nodes, Depth: v.Depth}
		if v.Best != game.NoMove {
			x.Best = n.FormatMove(v.Best)
		}
		r.Values = append(r.Values, x)
	}
	return r
}

// sort puts the moves in order: by value, those without one last, then by results.
func (v *View) sort() {
	value := func(m ViewMove) float64 {
		if m.Value == nil {
			return -2
		}
		return *m.Value
	}
	slices.SortStableFunc(v.Moves, func(a, b ViewMove) int {
		switch x, y := value(a), value(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return int((b.Wins - b.Losses) - (a.Wins - a.Losses))
	})
}
