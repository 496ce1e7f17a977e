package analysis

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Position is what query_position tells: all that a board on a screen shows, so
// that whoever draws it need not know the rules.
type Position struct {
	TurnNumber    int    `json:"turnNumber"`
	Turns         int    `json:"turns"` // moves of the game
	CurrentPlayer string `json:"currentPlayer"`
	Ply           int    `json:"ply"`

	// Stones are pairs of player and point: those of turn 0 by point, then those
	// that moves have put, in their order. Numbers has for each the number of its
	// move, 0 at turn 0.
	Stones  [][2]string `json:"stones"`
	Numbers []int       `json:"numbers"`

	Captured  *[2]int     `json:"captured,omitempty"` // stones taken by Black and White, in games that have it
	LastMove  string      `json:"lastMove,omitempty"`
	Taken     []string    `json:"taken,omitempty"` // points whose stones the last move took
	Forbidden []Forbidden `json:"forbidden"`       // to the side to move

	// Legal lists the moves of games whose moves are no points. It is null where
	// every empty point that is not forbidden is legal.
	Legal []string `json:"legal"`

	Outcome *Outcome    `json:"outcome,omitempty"`
	Line    []string    `json:"line,omitempty"`   // the stones of the runs that have won
	Pieces  [][3]string `json:"pieces,omitempty"` // player, kind and square
	Cards   *Cards      `json:"cards,omitempty"`
	Text    string      `json:"text,omitempty"` // as initialPosition reads it; "" where no text leads to it
	Hash    string      `json:"hash"`

	Endgame *Endgame `json:"endgame,omitempty"` // of a position that solved endgames have
	Inputs  *Inputs  `json:"inputs,omitempty"`  // includeInputs
}

// Inputs are what a network reads of a position, as samples have it. At the end of the
// game there are no moves.
type Inputs struct {
	Version string    `json:"version"` // of the planes
	Shape   [3]int    `json:"shape"`   // planes, rows, columns
	Planes  []byte    `json:"planes"`  // [planes, bytes]: each plane's bits, most significant first
	Globals []float32 `json:"globals"`
	Policy  int       `json:"policy"`  // number of actions
	Moves   []string  `json:"moves"`   // the legal ones
	Actions []int     `json:"actions"` // of the moves, in the same order
}

// Cards are the cards of a game that has some.
type Cards struct {
	Black []string `json:"B"`
	White []string `json:"W"`
	Side  string   `json:"side"` // that nobody holds

	// Steps are what each card lets a piece do: columns to the right and rows
	// ahead, as its owner sees them.
	Steps map[string][][2]int `json:"steps"`
}

// describe returns what there is to see at a turn, and its position.
func (g *Game) describe(turn int) (*Position, game.Position) {
	v, n, pos := g.Variant, g.notation, g.Start.Clone()
	p := &Position{
		TurnNumber: turn, Turns: len(g.Moves), Stones: [][2]string{}, Numbers: []int{}, Forbidden: []Forbidden{},
	}
	var laid, taken []game.Move   // cells with stones, and those whose stones the last move took
	number := map[game.Move]int{} // of the move that put the stone there
	for cell, s := range v.Stones(pos) {
		if s != games.NoStone {
			laid = append(laid, game.Move(cell))
		}
	}
	for i, m := range g.Moves[:turn] {
		pos.Play(m)
		if v.Columns() == 0 {
			continue
		}
		laid, taken, number[m] = append(laid, m), nil, i+1
		stones := v.Stones(pos)
		laid = slices.DeleteFunc(laid, func(cell game.Move) bool {
			gone := stones[cell] == games.NoStone
			if gone {
				taken = append(taken, cell)
			}
			return gone
		})
	}
	stones := v.Stones(pos)
	for _, cell := range laid {
		p.Stones = append(p.Stones, [2]string{PlayerOf(sideOf(stones[cell])), n.FormatMove(cell)})
		p.Numbers = append(p.Numbers, number[cell])
	}
	if p.Taken = game.Texts(n, taken); turn > 0 {
		p.LastMove = n.FormatMove(g.Moves[turn-1])
	}
	p.CurrentPlayer, p.Ply, p.Hash = PlayerOf(pos.ToMove()), pos.Ply(), fmt.Sprintf("%016X", pos.Hash())
	// No text leads to a position whose game began without stones, but with another side to
	// move or with captured ones.
	text := v.Text(pos)
	if read, err := v.Parse(text); err == nil && read.Hash() == pos.Hash() {
		p.Text = text
	}
	p.addRules(g, pos)
	p.addDisplay(g, v.Display(pos))
	return p, pos
}

// addRules adds what the rules say.
func (p *Position) addRules(g *Game, pos game.Position) {
	if pos.Outcome() != game.Undecided {
		p.Outcome, p.Legal = outcome(pos), []string{}
		return
	}
	if l := g.Variant.Lines(); l != nil {
		p.Forbidden = forbidden(l, pos, g.notation)
	}
	cells := g.Variant.Columns() * g.Variant.Columns()
	if moves := pos.Moves(nil); cells == 0 || len(moves)+len(p.Stones)+len(p.Forbidden) != cells {
		p.Legal = game.Texts(g.notation, moves)
	}
}

// addDisplay adds what lies on the board and beside it.
func (p *Position) addDisplay(g *Game, d games.Display) {
	p.Captured = d.Captured
	if g.Variant.Columns() > 0 {
		for _, cell := range d.Win {
			p.Line = append(p.Line, g.notation.FormatMove(game.Move(cell)))
		}
		return
	}
	for square, piece := range d.Pieces {
		if piece.Stone == games.NoStone {
			continue
		}
		kind := "student"
		if piece.Master {
			kind = "master"
		}
		at := fmt.Sprintf("%c%d", 'a'+square%d.Size, square/d.Size+1)
		p.Pieces = append(p.Pieces, [3]string{PlayerOf(sideOf(piece.Stone)), kind, at})
	}
	if len(d.Hands) == 0 {
		return
	}
	p.Cards = &Cards{Steps: map[string][][2]int{}}
	for i, of := range []*[]string{&p.Cards.Black, &p.Cards.White, nil} {
		for _, card := range d.Hands[i] {
			p.Cards.Steps[card.Name] = card.Steps
			if of == nil {
				p.Cards.Side = card.Name
			} else {
				*of = append(*of, card.Name)
			}
		}
	}
}

// sideOf returns whose a stone is.
func sideOf(s games.Stone) game.Side { return game.Side(s - games.FirstStone) }

// inputsOf returns what a network reads of a position.
func inputsOf(enc nn.Encoder, pos game.Position, n game.Notation) *Inputs {
	s := enc.Shape()
	planes := make([]float32, s.PlaneSize())
	in := &Inputs{
		Version: enc.Version(), Shape: [3]int{s.Planes, s.Height, s.Width}, Policy: s.Actions,
		Globals: make([]float32, s.Globals), Moves: []string{}, Actions: []int{},
	}
	enc.Encode(pos, 0, planes, in.Globals)
	in.Planes = samples.PackPlanes(nil, planes, s.Height*s.Width)
	if pos.Outcome() == game.Undecided {
		for _, m := range pos.Moves(nil) {
			in.Moves = append(in.Moves, n.FormatMove(m))
			in.Actions = append(in.Actions, enc.Action(pos, m, 0))
		}
	}
	return in
}
