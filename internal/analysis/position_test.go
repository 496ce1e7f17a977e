package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/onitama"
	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/selfplay/samples"
	"pgregory.net/rapid"
)

// told is ask for the position of a turn.
func told(t rapid.TB, o Options, line string) *Position {
	t.Helper()
	if err := conforms(lineSchema, line); err != nil {
		t.Fatalf("%s\n%v", line, err)
	}
	s := newService(t, o)
	var said []message
	c := s.Connect(func(m any, _ bool) { said = append(said, parsed(t, string(Line(m)))) })
	c.Handle([]byte(line))
	var echo struct{ Position *Position }
	if len(said) != 1 || said[0].Error != "" || json.Unmarshal([]byte(said[0].text), &echo) != nil ||
		echo.Position == nil {
		t.Fatalf("%s: %+v", line, said)
	}
	return echo.Position
}

// The plain rules, played move by move, have the same stones, numbers, captures,
// forbidden points and outcome.
func TestPositionIsThatOfTheRules(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		rule := rapid.SampledFrom(gomoku.Names()).Draw(t, "rule")
		size := rapid.IntRange(5, 9).Draw(t, "size")
		rules, _ := gomoku.Lookup(rule)
		b, err := gomoku.New(rules, size)
		if err != nil {
			t.Fatal(err)
		}
		n := gomoku.Notation{Size: size}
		var moves []string
		number := map[int]int{} // by cell, of the stone that stands there
		var taken []string
		for range rapid.IntRange(0, 30).Draw(t, "plies") {
			if b.Outcome() != game.Undecided {
				break
			}
			legal := b.Moves(nil)
			m := legal[rapid.IntRange(0, len(legal)-1).Draw(t, "move")]
			before := b.Copy()
			b.Play(m)
			moves, taken = append(moves, n.FormatMove(m)), nil
			number[int(m)] = len(moves)
			for c := range size * size {
				if before.At(c) != gomoku.Empty && b.At(c) == gomoku.Empty {
					taken = append(taken, n.FormatMove(game.Move(c)))
				}
			}
		}
		list, _ := json.Marshal(append([]string{}, moves...))
		p := told(t, small(), fmt.Sprintf(`{"id":"p","action":"query_position","rules":%q,"boardXSize":%d,"moves":%s}`, rule,
			size, list))
		checkStones(t, p, b, number)
		slices.Sort(p.Taken)
		if slices.Sort(taken); !slices.Equal(p.Taken, taken) {
			t.Fatalf("taken %v, want %v", p.Taken, taken)
		}
		checkRules(t, p, b)
		if p.Turns != len(moves) || p.TurnNumber != len(moves) || p.Ply != b.Ply() || len(moves) > 0 &&
			p.LastMove != moves[len(moves)-1] {
			t.Fatalf("%+v after %v", p, moves)
		}
		again := told(t, small(), fmt.Sprintf(`{"id":"p","action":"query_position","rules":%q,"boardXSize":%d,`+
			`"initialPosition":%q}`, rule, size, p.Text))
		if again.Hash != p.Hash || again.Text != p.Text || len(again.Stones) != len(p.Stones) {
			t.Fatalf("%q reads as %+v", p.Text, again)
		}
	})
}

// checkStones holds the stones against the board.
func checkStones(t *rapid.T, p *Position, b *gomoku.Board, number map[int]int) {
	stones := 0
	for c := range b.Size() * b.Size() {
		if b.At(c) != gomoku.Empty {
			stones++
		}
	}
	if len(p.Stones) != stones || len(p.Numbers) != stones || !slices.IsSorted(p.Numbers) {
		t.Fatalf("%d stones, numbers %v on\n%v", len(p.Stones), p.Numbers, b)
	}
	for i, s := range p.Stones {
		m, err := gomoku.Notation{Size: b.Size()}.ParseMoves(s[1])
		if err != nil || b.At(int(m[0])) == gomoku.Empty || PlayerOf(b.At(int(m[0])).Side()) != s[0] ||
			number[int(m[0])] != p.Numbers[i] {
			t.Fatalf("stone %v with number %d on\n%v", s, p.Numbers[i], b)
		}
	}
	if captures := b.Rules().Captures; captures != (p.Captured != nil) || captures &&
		*p.Captured != [2]int{b.Captured(game.First), b.Captured(game.Second)} {
		t.Fatalf("captured %v", p.Captured)
	}
}

// checkRules holds what may be played, and the end, against the board.
func checkRules(t *rapid.T, p *Position, b *gomoku.Board) {
	n := gomoku.Notation{Size: b.Size()}
	over := b.Outcome() != game.Undecided
	var forbidden []string
	for c := range b.Size() * b.Size() {
		if !over && b.At(c) == gomoku.Empty && !b.Legal(game.Move(c)) {
			forbidden = append(forbidden, n.FormatMove(game.Move(c)))
		}
	}
	var shown []string
	for _, f := range p.Forbidden {
		shown = append(shown, f.Point)
	}
	if !slices.Equal(shown, forbidden) || (p.Legal != nil) != over || len(p.Legal) > 0 {
		t.Fatalf("forbidden %v, want %v; legal %v\n%v", shown, forbidden, p.Legal, b)
	}
	if over != (p.Outcome != nil) || over &&
		(p.Outcome.Reason != string(b.Reason()) || p.Outcome.Winner != winnerOf(b.Outcome())) {
		t.Fatalf("outcome %+v, want %v by %v", p.Outcome, b.Outcome(), b.Reason())
	}
	if byLine := b.Reason() == game.Line; byLine != (len(p.Line) >= 5) || !byLine && p.Line != nil {
		t.Fatalf("line %v in a game that ends by %q", p.Line, b.Reason())
	}
}

// Onitama's pieces, cards and moves are those of its board.
func TestPositionOfOnitama(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		b, err := onitama.ParsePosition("Tiger,Crab/Monkey,Crane/Dragon")
		if err != nil {
			t.Fatal(err)
		}
		n := onitama.Notation{}
		moves := []string{}
		for range rapid.IntRange(0, 25).Draw(t, "plies") {
			if b.Outcome() != game.Undecided {
				break
			}
			legal := b.Moves(nil)
			m := legal[rapid.IntRange(0, len(legal)-1).Draw(t, "move")]
			moves = append(moves, n.FormatMove(m))
			b.Play(m)
		}
		list, _ := json.Marshal(moves)
		p := told(t, small(), fmt.Sprintf(`{"id":"o","action":"query_position","game":"onitama",`+
			`"initialPosition":"Tiger,Crab/Monkey,Crane/Dragon","moves":%s}`, list))
		var legal []string
		for _, m := range b.Moves(nil) {
			legal = append(legal, n.FormatMove(m))
		}
		if !slices.Equal(p.Legal, legal) || p.Legal == nil || p.Text != onitama.FormatGame(b, b.History()) {
			t.Fatalf("%+v, want %v", p, legal)
		}
		pieces := [2]uint32{}
		for _, piece := range p.Pieces {
			side := map[string]game.Side{"B": game.First, "W": game.Second}[piece[0]]
			sq := int(piece[2][0]-'a') + 5*int(piece[2][1]-'1')
			pieces[side] |= 1 << sq
			if (piece[1] == "master") != (b.Master(side) == sq) {
				t.Fatalf("%v on\n%v", piece, b)
			}
		}
		hand := b.Hand(game.Second)
		if pieces != [2]uint32{b.Pieces(game.First), b.Pieces(game.Second)} || p.Cards.Side != b.SideCard().String() ||
			!slices.Equal(p.Cards.White, []string{hand[0].String(), hand[1].String()}) {
			t.Fatalf("%v, %+v on\n%v", p.Pieces, p.Cards, b)
		}
	})
}

// Set-up stones come first and have no number, an earlier turn knows nothing of
// later moves, and the opening rule shows as forbidden points.
func TestPositionOfATurn(t *testing.T) {
	p := told(t, small(), `{"id":"p","action":"query_position","initialStones":[["W","b2"],["B","a1"]],"moves":[["B",`+
		`"h8"],["W","i9"]],"turnNumber":1}`)
	if fmt.Sprintf("%v %v %s %d %d %q %s", p.Stones, p.Numbers, p.LastMove, p.TurnNumber, p.Turns, p.Text,
		p.CurrentPlayer) != `[[B a1] [W b2] [B h8]] [0 0 1] h8 1 2 "" W` {
		t.Errorf("%+v", p)
	}
	p = told(t, small(),
		`{"id":"p","action":"query_position","rules":{"name":"caro","openRule":true},"moves":["h8","i9"]}`)
	if len(p.Forbidden) != 25-2 || p.Legal != nil || p.Forbidden[0].Kinds == nil {
		t.Errorf("%+v", p.Forbidden)
	}
}

// A position has no text where the text of its moves is that of another one.
func TestPositionsWithoutText(t *testing.T) {
	for fields, text := range map[string]string{
		`"moves":["h8"],"initialPlayer":"W"`:                 "",
		`"initialPlayer":"W"`:                                "",
		`"rules":"school42","captured":[2,2]`:                "",
		`"rules":"school42","captured":[0,0],"moves":["h8"]`: "h8",
		`"initialPosition":"h8i9","moves":["j10"]`:           "h8i9j10",
	} {
		if p := told(t, small(), `{"id":"p","action":"query_position",`+fields+`}`); p.Text != text {
			t.Errorf("%s: %q, want %q", fields, p.Text, text)
		}
	}
}

// The inputs are those of the game's encoder, the actions those of the legal moves, and
// a game that is over has none.
func TestInputsAreTheEncoders(t *testing.T) {
	for _, c := range []struct {
		o     games.VariantOptions
		moves string
	}{
		{games.VariantOptions{Rule: "renju", Size: 9}, "e5e6d5d6"}, {games.VariantOptions{Rule: "school42"}, ""},
		{games.VariantOptions{Rule: "freestyle", Size: 5}, "a1b1a2b2a3b3a4b4a5"},
		{games.VariantOptions{Game: games.Onitama}, "Monkey,Crane/Tiger,Crab/Dragon:crane a1a2"},
	} {
		v := enginetest.Variant(t, c.o)
		pos := enginetest.Parse(t, v, c.moves)
		start, moves, err := v.ParseGame(c.moves)
		if err != nil {
			t.Fatal(err)
		}
		list, _ := json.Marshal(append([]string{}, game.Texts(v.Notation(), moves)...))
		in := told(t, small(), fmt.Sprintf(`{"id":"p","action":"query_position","game":%q,"rules":%q,"boardXSize":%d,`+
			`"initialPosition":%q,"moves":%s,"includeInputs":true}`,
			v.Game, v.Rule(), v.Size, v.FormatGame(start, nil), list)).Inputs
		enc, _ := v.Encoder("")
		s := enc.Shape()
		planes, globals := make([]float32, s.PlaneSize()), make([]float32, s.Globals)
		enc.Encode(pos, 0, planes, globals)
		cells := s.Height * s.Width
		if in.Shape != [3]int{s.Planes, s.Height, s.Width} || in.Version != enc.Version() || in.Policy != s.Actions ||
			!slices.Equal(in.Globals, globals) {
			t.Fatalf("%+v, want %v of %+v", in, globals, s)
		}
		for i, x := range planes {
			if row := in.Planes[i/cells*((cells+7)/8):]; samples.Bit(row, i%cells) != (x == 1) {
				t.Fatalf("plane %d, cell %d: want %v", i/cells, i%cells, x)
			}
		}
		legal, actions := []string{}, []int{}
		if pos.Outcome() == game.Undecided {
			for _, m := range pos.Moves(nil) {
				legal, actions = append(legal, v.Notation().FormatMove(m)), append(actions, enc.Action(pos, m, 0))
			}
		}
		if !slices.Equal(in.Moves, legal) || !slices.Equal(in.Actions, actions) {
			t.Fatalf("%v are %v, want %v, %v", in.Moves, in.Actions, legal, actions)
		}
	}
}

// A game that has only what every game has is analysed by both engines, and played.
func TestAThirdGame(t *testing.T) {
	enginetest.AddToyGame(t)
	const game = `"id":"q","game":"mnk","boardXSize":4,"boardYSize":4,"initialPosition":"b2","moves":["a1"]`
	for _, engine := range []string{"mcts", "alphabeta"} {
		m := talk(t, small(), `{`+game+`,"engine":"`+engine+`"}`)
		if len(m) != 1 || len(m[0].MoveInfos) == 0 || m[0].RootInfo.CurrentPlayer != "B" || m[0].RootInfo.Winrate < 0.6 {
			t.Errorf("%s: %+v", engine, m)
		}
	}
	m := talk(t, small(), `{"id":"p","action":"query_position","game":"mnk","moves":["b2","a1","c3","b1","d4"]}`)
	var echo struct{ Position *Position }
	if err := json.Unmarshal([]byte(m[0].text), &echo); err != nil || echo.Position == nil {
		t.Fatalf("%+v, %v", m, err)
	}
	p := echo.Position
	if p.Stones[2] != [2]string{"B", "c3"} || p.LastMove != "d4" || p.Cards != nil || p.Pieces != nil ||
		p.Outcome == nil || p.Outcome.Winner != "B" || p.Legal == nil || len(p.Legal) != 0 {
		t.Errorf("%+v", p)
	}
}
