package picture

import "github.com/carozero/carozero/internal/engine/games"

// cards draws the cards beside the board: the second player's above it, as that
// player's moves go down the board; the first player's below, the spare one to the
// right.
func (l *layout) cards(c canvas, o *Options) {
	if len(l.s.Hands) < 3 {
		return
	}
	n := float64(l.s.Size - 1)
	middle := l.left + n/2*unit
	row := func(cards []games.Card, y float64, turned bool) {
		for i, card := range cards {
			x := middle + (float64(i)-float64(len(cards)-1)/2)*(cardWidth+0.5)*unit
			l.card(c, o, card, x, y, turned)
		}
	}
	bottom := l.top + (n+0.5+0.3)*unit
	if o.Coordinates {
		bottom += 0.4 * unit
	}
	row(l.s.Hands[1], l.top-0.5*unit-(cardHeight)*unit, true)
	row(l.s.Hands[0], bottom, false)
	for _, card := range l.s.Hands[2] {
		l.card(c, o, card, l.left+(n+0.5+0.2+cardWidth/2)*unit, l.top+n/2*unit-cardHeight/2*unit, false)
	}
}

// card draws a card whose upper edge has its middle at x, y: its name and its
// steps on a board of 5x5, from the side of its owner.
func (l *layout) card(c canvas, o *Options, card games.Card, x, y float64, turned bool) {
	const (
		rows = 5
		cell = 0.26 * unit
	)
	t := &o.theme
	c.rect(x-cardWidth/2*unit, y, cardWidth*unit, (cardHeight-0.15)*unit, t.Board)
	c.text(x, y+0.22*unit, 0.27*unit, card.Name, t.Text)
	left, top := x-rows*cell/2, y+0.42*unit
	marked := map[[2]int]bool{}
	for _, step := range card.Steps {
		if turned {
			step = [2]int{-step[0], -step[1]}
		}
		marked[[2]int{2 + step[0], 2 - step[1]}] = true
	}
	for row := range rows {
		for column := range rows {
			fill := t.Back
			switch {
			case row == 2 && column == 2:
				fill = t.Line
			case marked[[2]int{column, row}]:
				fill = t.Accent
			}
			c.rect(left+float64(column)*cell+0.5, top+float64(row)*cell+0.5, cell-1, cell-1, fill)
		}
	}
}
