package games

import (
	"cmp"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta"
	onitamasearch "github.com/carozero/carozero/alphabeta/onitama"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/nn"
	onitamanet "github.com/carozero/carozero/nn/onitama"
)

// Onitama names Onitama, and its only rule set.
const Onitama = "onitama"

// DefaultDeal is the Onitama deal used where no position says another.
const DefaultDeal = "Monkey,Crane/Tiger,Crab/Dragon"

// onitamaSize is the side length of the Onitama board.
const onitamaSize = 5

// onitamaGame describes Onitama.
var onitamaGame = Game{
	Name:      Onitama,
	RuleSets:  []string{Onitama},
	MoveLimit: 300,
	Deals:     true,
	Inputs: []Inputs{{
		Version: onitamanet.Version, Planes: onitamanet.PlaneNames(), Globals: onitamanet.GlobalNames(),
		Encoder: func(Variant) (nn.Encoder, error) { return onitamanet.New(), nil },
	}},
	Check:    checkOnitama,
	Endgames: openOnitamaEndgames,
	Cards:    onitamaCards(),
}

// onitamaVariant implements [Rules] and [Solved].
type onitamaVariant struct {
	deck  onitama.Deck // that is dealt from
	cards string       // its name, "" for the usual one
}

// Parameters implements [Rules].
func (v onitamaVariant) Parameters() any {
	if v.cards == "" {
		return struct{ Name string }{Onitama}
	}
	return struct{ Name, Cards string }{Onitama, v.cards}
}

// Deal implements [Rules].
func (v onitamaVariant) Deal(rng *rand.Rand) (game.Position, error) {
	if rng == nil {
		return v.Parse("")
	}
	return onitama.New(v.deck.Random(rng))
}

// Parse implements [Rules].
func (v onitamaVariant) Parse(text string) (game.Position, error) {
	return onitama.ParsePosition(cmp.Or(text, v.usualDeal()))
}

// ParseGame implements [Rules].
func (v onitamaVariant) ParseGame(text string) (game.Position, []game.Move, error) {
	return onitama.ParseGame(cmp.Or(text, v.usualDeal()))
}

// FormatGame implements [Rules].
func (onitamaVariant) FormatGame(start game.Position, moves []game.Move) string {
	return onitama.FormatGame(start.(*onitama.Board), moves)
}

// ParseDiagram implements [Rules].
func (onitamaVariant) ParseDiagram(d Diagram) (game.Position, error) {
	if d.ToMove != nil || d.Captured != [2]int{} {
		return nil, &OptionError{[]string{ToMoveOption, CapturedOption},
			"are for gomoku; an onitama diagram has a line 'to move:'"}
	}
	return onitama.ParseDiagram(d.Text)
}

// Notation, Columns and Stones implement [Rules].
func (onitamaVariant) Notation() game.Notation      { return onitama.Notation{} }
func (onitamaVariant) Columns() int                 { return 0 }
func (onitamaVariant) Stones(game.Position) []Stone { return nil }

// Evaluated implements [Rules].
func (onitamaVariant) Evaluated(o Evaluation) alphabeta.Game {
	return onitamasearch.Game{Weights: onitamaWeights(o.Weights)}
}

// Digest implements [Solved].
func (onitamaVariant) Digest(w Weights) string { return onitamaWeights(w).Digest() }

// About implements [Rules].
func (onitamaVariant) About() About {
	return About{
		Title: "Onitama",
		Text:  "Two moves are on each player's cards; take the master, or bring your own to the other temple.",
	}
}

// onitamaWeights returns the weights of that name.
func onitamaWeights(w Weights) *onitamasearch.Weights {
	if w == HandWeights {
		return onitamasearch.HandWeights()
	}
	return onitamasearch.FittedWeights()
}

// usualDeal is the deal used where no position says another: DefaultDeal, or the first
// five of the cards that the variant names.
func (v onitamaVariant) usualDeal() string {
	if v.cards == "" {
		return DefaultDeal
	}
	c := v.deck.Cards()
	return onitama.Deal{First: [2]onitama.Card{c[0], c[1]}, Second: [2]onitama.Card{c[2], c[3]}, Side: c[4]}.String()
}

// checkOnitama implements [Game.Check].
func checkOnitama(o VariantOptions) (VariantOptions, Rules, error) {
	if o.OpenRule {
		return o, nil, &OptionError{[]string{OpenRuleOption}, "is for gomoku, not for onitama"}
	}
	settled, deck := VariantOptions{Size: onitamaSize, Rule: Onitama}, onitama.BaseDeck
	if o.Cards != "" {
		var err error
		if deck, err = onitama.ParseDeck(o.Cards); err != nil {
			return o, nil, err
		}
	}
	if deck != onitama.BaseDeck {
		settled.Cards = deck.String()
	}
	return settled, onitamaVariant{deck, settled.Cards}, nil
}

// Display implements [Rules].
func (onitamaVariant) Display(pos game.Position) Display {
	board := pos.(*onitama.Board)
	d := Display{
		Size: onitamaSize, Pieces: make([]Piece, onitama.Squares),
		Temples: []int{board.Temple(game.First), board.Temple(game.Second)},
	}
	for side, stone := range map[game.Side]Stone{game.First: FirstStone, game.Second: SecondStone} {
		for sq := range d.Pieces {
			if board.Pieces(side)>>sq&1 != 0 {
				d.Pieces[sq] = Piece{Stone: stone, Master: board.Master(side) == sq}
			}
		}
	}
	if last := board.Last(); last != game.NoMove && !onitama.IsPass(last) {
		from, to := onitama.MoveSquares(last)
		d.Last = []int{to, from}
	}
	for _, side := range []game.Side{game.First, game.Second} {
		hand := board.Hand(side)
		d.Hands = append(d.Hands, []Card{shownCard(hand[0]), shownCard(hand[1])})
	}
	d.Hands = append(d.Hands, []Card{shownCard(board.SideCard())})
	return d
}

// onitamaCards returns all cards.
func onitamaCards() []Card {
	var all []Card
	for _, c := range onitama.AllCards.Cards() {
		all = append(all, shownCard(c))
	}
	return all
}

// shownCard returns what is printed on a card.
func shownCard(c onitama.Card) Card {
	shown := Card{Name: c.String()}
	for _, s := range c.Vectors() {
		shown.Steps = append(shown.Steps, [2]int{int(s.DX), int(s.DY)})
	}
	return shown
}

// Step implements [Rules].
func (onitamaVariant) Step(m game.Move) Step {
	s := Step{From: -1, To: -1, Card: onitama.MoveCard(m).String()}
	if !onitama.IsPass(m) {
		s.From, s.To = onitama.MoveSquares(m)
	}
	return s
}

// Played implements [Rules].
func (onitamaVariant) Played(pos game.Position) ([]game.Move, bool) {
	return pos.(*onitama.Board).History(), true
}
