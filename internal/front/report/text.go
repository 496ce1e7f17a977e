package report

import (
	"strings"
	"time"

	"github.com/carozero/carozero/game"
)

// single returns foreign text for one cell of a table or one row of a list:
// its line ends and tabs are shown as escapes.
func single(text string) string {
	return strings.NewReplacer("\n", `\n`, "\t", `\t`, "\r", `\r`).Replace(text)
}

// formatLine returns moves as text.
func formatLine(n game.Notation, moves []game.Move) []string {
	line := make([]string, len(moves))
	for i, m := range moves {
		line[i] = n.FormatMove(m)
	}
	return line
}

func milliseconds(d time.Duration) float64 { return float64(d.Microseconds()) / 1000 }

// perSecond returns a rate, 0 if no time passed.
func perSecond(n int, d time.Duration) float64 {
	if d <= 0 {
		return 0
	}
	return float64(n) / d.Seconds()
}
