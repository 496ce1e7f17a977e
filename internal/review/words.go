package review

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
)

// words are what a review says in one language.
type words struct {
	Language             string // code
	Title                string
	Sides                [2]string
	Classes              [classes]string
	Accuracy, MoveList   string
	Chances              string // of Black
	First, Back, Forward string
	Hidden               string // above a better move
	Explained            string

	loses, better     string // formats, of a percentage and of a move
	wins, saves, line string // formats: a proven win, a proven draw, what is expected
}

// languages are those of reviews, the first of them where none is asked for.
var languages = []words{
	{
		Language: "en", Title: "Review", Sides: [2]string{"Black", "White"},
		Classes:  [classes]string{"not judged", "best", "good", "inaccuracy", "mistake", "blunder"},
		Accuracy: "Accuracy", MoveList: "Moves", Chances: "Black's chances",
		First: "To the start", Back: "Back", Forward: "Forward", Hidden: "What was better?",
		Explained: "A move's loss is what it takes from the expected result of its side: from 5% an inaccuracy, from 10% " +
			"a mistake, from 20% a blunder.",
		loses: "gives away %s", better: "better %s", wins: "%s wins by force in %d plies", saves: "%s draws by force",
		line: "line: %s",
	},
	{
		Language: "vi", Title: "Nhận xét ván cờ", Sides: [2]string{"Đen", "Trắng"},
		Classes: [classes]string{
			"chưa đánh giá", "tốt nhất", "tốt", "thiếu chính xác", "sai lầm", "sai lầm nặng",
		},
		Accuracy: "Độ chính xác", MoveList: "Nước đi", Chances: "Cơ hội của Đen",
		First: "Về đầu ván", Back: "Lùi", Forward: "Tiến", Hidden: "Nước nào hay hơn?",
		Explained: "Phần mất của một nước là phần kết quả kỳ vọng mà bên đi đánh mất: " +
			"từ 5% là thiếu chính xác, từ 10% là sai lầm, từ 20% là sai lầm nặng.",
		loses: "mất %s", better: "hay hơn là %s", wins: "%s thắng bắt buộc sau %d nước",
		saves: "%s hòa bắt buộc", line: "biến: %s",
	},
}

// Languages returns the codes of the languages that reviews are written in.
func Languages() (codes []string) {
	for _, w := range languages {
		codes = append(codes, w.Language)
	}
	return codes
}

// wordsOf returns the words of a language, of the first one if there are none.
func wordsOf(language string) *words {
	return &languages[max(0, slices.IndexFunc(languages, func(w words) bool { return w.Language == language }))]
}

// percent returns a loss in percent, rounded down, so that none looks like one of the next class.
func percent(p float64) string { return fmt.Sprintf("%.0f%%", math.Floor(100*p+1e-9)) }

// remark returns what is said of a move, "" of one that is good.
func (w *words) remark(m *Move) string {
	if m.Class < Inaccuracy {
		return ""
	}
	name := []rune(w.Classes[m.Class])
	text := strings.ToUpper(string(name[:1])) + string(name[1:]) + ": " + fmt.Sprintf(w.loses, percent(m.Loss))
	if m.Best != "" {
		text += "; " + w.instead(m)
	}
	return text + "."
}

// instead returns what was better than a move, with the line.
func (w *words) instead(m *Move) string {
	text := fmt.Sprintf(w.better, m.Best)
	switch m.Proven.Result {
	case game.Won:
		text = fmt.Sprintf(w.wins, m.Best, m.Proven.Plies)
	case game.Drawn:
		text = fmt.Sprintf(w.saves, m.Best)
	}
	if len(m.Line) > 1 {
		text += "; " + fmt.Sprintf(w.line, strings.Join(m.Line, " "))
	}
	return text
}

// sum returns the accuracy and the counts of a side in a line.
func (w *words) sum(side game.Side, s *Sum) string {
	if s.Moves == 0 {
		return w.Sides[side] + ": –"
	}
	parts := []string{fmt.Sprintf("%s: %s %.1f%%", w.Sides[side], strings.ToLower(w.Accuracy), s.Accuracy)}
	for c := Inaccuracy; c < classes; c++ {
		parts = append(parts, fmt.Sprintf("%s %d", w.Classes[c], s.Counts[c]))
	}
	return strings.Join(parts, ", ")
}
