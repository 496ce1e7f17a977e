package web

import (
	"encoding/json"
	"os"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/games"
)

// lesson is a picture of the page's lessons.json.
type lesson struct {
	Name, Black, White, Side, Move string
	Captured                       [2]int
	Open                           bool
	Verdicts                       []struct {
		Verdict string
		Moves   int // of a threat: by so many further moves of the side it wins, whatever the opponent does
		Text    string
		Rules   []string
	}
}

type lessons struct {
	Size    int
	Gomoku  []lesson
	Onitama []struct {
		Deal, Verdict, Text string
		Moves               []string
	}
}

func readLessons(t *testing.T) (l lessons) {
	t.Helper()
	data, err := os.ReadFile("page/lessons.json")
	if err != nil {
		t.Fatal(err)
	}
	if err := json.Unmarshal(data, &l); err != nil {
		t.Fatal(err)
	}
	return l
}

// board returns the position of a picture under a rule set, before its move.
func (l *lesson) board(t *testing.T, size int, rule string) *gomoku.Board {
	t.Helper()
	r, err := gomoku.Lookup(rule)
	if err != nil {
		t.Fatal(err)
	}
	if l.Open {
		r.OpenDistance = 3
		b, err := gomoku.ParsePosition(r, size, l.Black+l.White)
		if err != nil {
			t.Fatal(err)
		}
		return b
	}
	s := gomoku.Setup{Stones: make([]gomoku.Stone, size*size), Captured: l.Captured}
	if l.Side == "W" {
		s.ToMove = game.Second
	}
	for side, points := range []string{l.Black, l.White} {
		for i := 0; i < len(points); i += 2 {
			s.Stones[int(points[i+1]-'1')*size+int(points[i]-'a')] = gomoku.StoneOf(game.Side(side))
		}
	}
	b, err := gomoku.NewSetup(r, size, s)
	if err != nil {
		t.Fatalf("%s under %s: %v", l.Name, rule, err)
	}
	return b
}

// threatens reports whether the side that is not to move wins by at most so many moves,
// whatever the opponent plays.
func threatens(b *gomoku.Board, moves int) bool {
	for _, reply := range b.Moves(nil) {
		b.Play(reply)
		won := b.Outcome() == game.Undecided && slices.ContainsFunc(b.Moves(nil), func(m game.Move) bool {
			b.Play(m)
			defer b.Undo()
			return b.Outcome() != game.Undecided && b.Outcome() != game.Draw || moves > 1 && b.Outcome() == game.Undecided &&
				threatens(b, moves-1)
		})
		b.Undo()
		if !won {
			return false
		}
	}
	return true
}

// What a picture says of a move comes of it by the rules.
func TestLessonsAreRight(t *testing.T) {
	l := readLessons(t)
	for _, p := range l.Gomoku {
		for _, v := range p.Verdicts {
			for _, rule := range v.Rules {
				b := p.board(t, l.Size, rule)
				side := b.ToMove()
				parsed, err := gomoku.Notation{Size: l.Size}.ParseMoves(p.Move)
				if err != nil || len(parsed) != 1 {
					t.Fatal(p.Name, p.Move, err)
				}
				m := parsed[0]
				if v.Verdict == "forbidden" {
					if b.Legal(m) || b.Bans(side, int(m)) == 0 {
						t.Errorf("%s under %s: %s is allowed", p.Name, rule, p.Move)
					}
					continue
				}
				if !b.Legal(m) {
					t.Errorf("%s under %s: %s is illegal", p.Name, rule, p.Move)
					continue
				}
				before := b.Captured(side)
				b.Play(m)
				won := b.Outcome().Value(side) > 0
				switch v.Verdict {
				case "wins":
					if !won {
						t.Errorf("%s under %s does not win: %v", p.Name, rule, b.Outcome())
					}
				case "continues", "captures", "threatens":
					if b.Outcome() != game.Undecided {
						t.Errorf("%s under %s ends the game: %v", p.Name, rule, b.Outcome())
					}
					if v.Verdict == "captures" && b.Captured(side) != before+2 {
						t.Errorf("%s under %s takes %d stones", p.Name, rule, b.Captured(side)-before)
					}
					if v.Verdict == "threatens" && !threatens(b, v.Moves) {
						t.Errorf("%s under %s does not win by force in %d", p.Name, rule, v.Moves)
					}
				default:
					t.Errorf("%s: unknown verdict %q", p.Name, v.Verdict)
				}
			}
		}
	}
	for _, p := range l.Onitama {
		v, err := games.NewVariant(games.VariantOptions{Game: "onitama"})
		if err != nil {
			t.Fatal(err)
		}
		pos, err := v.Parse(p.Deal)
		if err != nil {
			t.Fatal(err)
		}
		for _, text := range p.Moves {
			m, err := v.Notation().ParseMoves(text)
			if err != nil || len(m) != 1 || !slices.Contains(pos.Moves(nil), m[0]) {
				t.Fatalf("%s: %s: %v", p.Text, text, err)
			}
			pos.Play(m[0])
		}
		if p.Verdict == "continues" {
			if pos.Outcome() != game.Undecided {
				t.Errorf("%s: %v", p.Text, pos.Outcome())
			}
		} else if pos.Outcome() != game.FirstWins || string(pos.Reason()) != p.Verdict {
			t.Errorf("%s: %v by %v", p.Text, pos.Outcome(), pos.Reason())
		}
	}
}
