package terminal

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/game"
)

// chartLines returns the person's win rate as a bar, and its way through the game
// as a row of small columns, as far as engines have rated the positions.
func (m *model) chartLines(width int) []*strip {
	values := m.rates()
	who := "you"
	if m.people == Both {
		who = "first"
	}
	head, now := words(inkDim, who+" --%"), -1
	for i, v := range values {
		if v >= 0 && i <= m.record.at {
			now = i
		}
	}
	if now >= 0 {
		rate := values[now]
		head = words(inkText, fmt.Sprintf("%s %2.0f%% ", who, 100*rate))
		room := min(width-len(head.letters), 30)
		full := int(rate*float64(room) + 0.5)
		head.add(rateInk(float32(2*rate-1)), strings.Repeat(string(m.glyphs.full), full))
		head.add(inkDim, strings.Repeat(string(m.glyphs.hollow), max(0, room-full)))
	}
	curve := &strip{}
	if len(values) > width {
		values = values[len(values)-width:]
	}
	for _, v := range values {
		if v < 0 {
			curve.add(inkDim, " ")
			continue
		}
		level := min(int(v*float64(len(m.glyphs.sparks))), len(m.glyphs.sparks)-1)
		curve.add(rateInk(float32(2*v-1)), string(m.glyphs.sparks[level]))
	}
	return []*strip{head, curve}
}

// rates returns the person's win rate in the positions of the game, from 0 to 1,
// the last one's by the result once there is one; negative where unknown.
func (m *model) rates() []float64 {
	values := make([]float64, m.record.at+1)
	for i := range values {
		values[i] = -1
		if i < len(m.record.ratings) && m.record.ratings[i].known {
			values[i] = (float64(m.record.ratings[i].value) + 1) / 2
		}
	}
	if m.over() {
		values[m.record.at] = (float64(m.record.outcome().Value(game.First)) + 1) / 2
	}
	if m.person() == game.Second {
		for i, v := range values {
			if v >= 0 {
				values[i] = 1 - v
			}
		}
	}
	return values
}
