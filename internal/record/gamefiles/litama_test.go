package gamefiles

import (
	"bytes"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/record"
)

// blueBegins and redBegins are states in which either colour began.
const (
	blueBegins = `{"messageType": "state", "usernames": {"blue": "Ann", "red": "Ben"}, "indices": {"blue": 0, "red": 1}, "matchId": "5fa0", "currentTurn": "blue", "cards": {"blue": ["crab", "ox"], "red": ["monkey", "boar"], "side": "tiger"}, "startingCards": {"blue": ["monkey", "ox"], "red": ["tiger", "boar"], "side": "crab"}, "moves": ["monkey:a1b2", "tiger:d5d3"], "board": "0121101000000300000033403", "gameState": "in progress", "winner": "none"}`
	redBegins  = `{"messageType": "state", "usernames": {"blue": "Ann", "red": "Ben"}, "currentTurn": "blue", "cards": {"blue": ["tiger", "monkey"], "red": ["crab", "crane"], "side": "dragon"}, "startingCards": {"blue": ["tiger", "crab"], "red": ["monkey", "crane"], "side": "dragon"}, "moves": ["monkey:e5d4", "crab:b1b2", "dragon:a5c4"], "board": "1021101000000000033003430", "gameState": "ended", "winner": "red"}`
)

// onitama returns the variant of Onitama.
func onitama(t *testing.T) games.Variant {
	t.Helper()
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	return v
}

// What the server tells is read as seen by the player who begins, whatever else it says
// between, and written again with the same words.
func TestLitamaStates(t *testing.T) {
	const waiting = `{"messageType": "state", "matchId": "5fa0", "gameState": "waiting for player", "usernames": {"blue": "Ann", "red": "Ann"}} `
	text := "\ufeff" + waiting + `{"messageType": "move", "matchId": "5fa0"}` + "\n" + blueBegins + redBegins
	v := onitama(t)
	trees, f, err := record.Parse([]byte(text), "", ReadOptions(v))
	if err != nil || f != record.Litama || len(trees) != 2 {
		t.Fatalf("%d games, %v, %v", len(trees), f, err)
	}
	for i, want := range []struct{ line, black, white, result, board string }{
		{"Monkey,Ox/Tiger,Boar/Crab:monkey a1b2 tiger d5d3", "Ann", "Ben", "", `"board":"0121101000000300000033403","gameState":"in progress","winner":"none"`},
		{"Monkey,Crane/Tiger,Crab/Dragon:monkey a1b2 crab d5d4 dragon e1c2", "Ben", "Ann", "B+", `"board":"1021101000000000033003430","gameState":"ended","winner":"red"`},
	} {
		tree := trees[i]
		if got := tree.FormatLine(tree.MainLeaf(), v.Notation()); got != want.line || tree.Black != want.black || tree.White != want.white || tree.Result != want.result {
			t.Errorf("%s, %s - %s %s; want %+v", got, tree.Black, tree.White, tree.Result, want)
		}
		r, err := NewRecord(tree, "", v.Options(), false)
		if err != nil {
			t.Fatal(err)
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		var out bytes.Buffer
		loss, err := r.Write(&out, record.Litama, "")
		if err != nil || loss.String() != "" || !strings.Contains(out.String(), want.board) || strings.Count(out.String(), "\n") != 1 {
			t.Errorf("%s: lost %q, %v", out.String(), loss.String(), err)
		}
		again, _, err := record.Parse(out.Bytes(), "", ReadOptions(v))
		if err != nil || again[0].FormatLine(again[0].MainLeaf(), v.Notation()) != want.line || again[0].Result != want.result {
			t.Errorf("%s: %v", out.String(), err)
		}
	}
}

// What is damaged, or contradicts itself, is refused by a line that says what is wrong.
func TestLitamaRefused(t *testing.T) {
	v := onitama(t)
	change := func(old, new string) string { return strings.ReplaceAll(blueBegins, old, new) }
	for text, want := range map[string]string{
		blueBegins[:len(blueBegins)-9]:                                                     "unexpected EOF",
		change(`"monkey", "ox"`, `"monkey", "monkey"`):                                     "Monkey is there twice",
		change(`"startingCards": {"blue": ["monkey"`, `"startingCards": {"blue": ["puma"`): "no card",
		change(`["tiger", "boar"]`, `["tiger"]`):                                           "red has 1 cards",
		change(`["tiger", "boar"]`, `["tiger", "boar/ox"]`):                                "want the name of a card",
		change(`"startingCards"`, `"cardsAtFirst"`):                                        "startingCards: missing",
		change(`"currentTurn": "blue"`, `"currentTurn": "green"`):                          "want blue or red",
		change(`monkey:a1b2`, `monkey:a1b9`):                                               "want a card and two squares",
		change(`monkey:a1b2`, `boar:a1b2`):                                                 "blue has no such card",
		change(`monkey:a1b2`, `monkey:a2b3`):                                               "blue has no piece on a2",
		change(`monkey:a1b2`, `monkey:a1b1`):                                               "blue has a piece on b1",
		change(`"board": "0`, `"board": "1`):                                               "its moves lead to",
		change(`"side": "tiger"`, `"side": "boar"`):                                        "cards: its moves lead to crab,ox/monkey,boar/tiger",
		change(`"winner": "none"`, `"winner": "green"`):                                    "want blue, red or none",
		change(`"none"`, `"`+strings.Repeat("n", 2<<20)+`"`):                               "more than 1048576 bytes",
	} {
		_, f, err := record.Parse([]byte(text), "", ReadOptions(v))
		if err == nil || f != record.Litama || !strings.Contains(err.Error(), want) || strings.Contains(err.Error(), "\n") {
			t.Errorf("want %q: %v, %v", want, f, err)
		}
	}
	gomoku := variant(t, "caro", 15)
	if _, _, err := record.Parse([]byte(blueBegins), "", ReadOptions(gomoku)); err == nil || !strings.Contains(err.Error(), "choose the game onitama") {
		t.Errorf("for gomoku: %v", err)
	}
	for _, text := range []string{"Boar,Monkey/Tiger,Crab/Dragon:boar c1c2 tiger c5c3 boar c2c3", "Monkey,Crane/Tiger,Crab/Dragon:monkey pass", ""} {
		tree := record.New(0)
		if text != "" {
			trees, _, err := record.Parse([]byte(text), "", ReadOptions(v))
			if err != nil {
				t.Fatal(err)
			}
			tree = trees[0]
		}
		var out bytes.Buffer
		if _, err := record.Write(&out, []*record.Tree{tree}, record.Litama, record.WriteOptions{Notation: v.Notation()}); err == nil || out.Len() > 0 {
			t.Errorf("%q: %s, %v", text, out.String(), err)
		}
	}
}

// What a state does not hold of a result is counted.
func TestLitamaResults(t *testing.T) {
	v := onitama(t)
	for result, want := range map[string]struct{ lost, winner string }{
		"": {"", "none"}, "?": {"", "none"}, "Void": {"1 results", "none"}, "0": {"1 draws", "none"}, "B+": {"", "blue"}, "W+R": {"1 reasons of results", "red"},
	} {
		trees, _, err := record.Parse([]byte(blueBegins), "", ReadOptions(v))
		if err != nil {
			t.Fatal(err)
		}
		trees[0].Result = result
		var out bytes.Buffer
		loss, err := record.Write(&out, trees, record.Litama, record.WriteOptions{Notation: v.Notation()})
		if err != nil || loss.String() != want.lost || !strings.Contains(out.String(), `"winner":"`+want.winner+`"`) {
			t.Errorf("%q: %s: lost %q, %v, want %+v", result, out.String(), &loss, err, want)
		}
	}
}

// A game whose men were set by hand, in which the second player moves first, is a text
// that reads as it was written, and no state of the server.
func TestSecondMovesFirst(t *testing.T) {
	v := onitama(t)
	const line = "Crane,Monkey/Crab,Tiger/Dragon 2O2/5/1o3/5/2X2 second:tiger b3b1 crane c1c2"
	trees, _, err := record.Parse([]byte("# endgames\n"+line+"\n"), "", ReadOptions(v))
	if err != nil || len(trees) != 1 {
		t.Fatal(err)
	}
	r, err := NewRecord(trees[0], "", v.Options(), false)
	if err == nil {
		err = r.Check()
	}
	if err != nil {
		t.Fatal(err)
	}
	start, moves, err := v.ParseGame(line)
	if err != nil {
		t.Fatal(err)
	}
	own := Begin(v, start)
	if _, err := own.Tree.Extend(0, own.Tree.ToMove(0), moves, nil); err != nil {
		t.Fatal(err)
	}
	for _, r := range []*Record{&r, &own} {
		var out bytes.Buffer
		if _, err := r.Write(&out, record.Text, ""); err != nil || strings.TrimSpace(out.String()) != line {
			t.Errorf("%q, %v", out.String(), err)
		}
		if _, err := r.Write(&out, record.Litama, ""); err == nil || !strings.Contains(err.Error(), "usual men") || strings.Contains(err.Error(), "\n") {
			t.Errorf("as a state: %v", err)
		}
		if err := r.Check(); err != nil {
			t.Error(err)
		}
		if r.Tree.ToMove(0) != game.Second || r.Tree.Nodes[1].Side != game.Second {
			t.Error("the first player begins")
		}
	}
}

// What games of cards begin with is known from other text.
func TestDealt(t *testing.T) {
	for text, want := range map[string]bool{
		"Monkey,Crane/Tiger,Crab/Dragon": true, "\ufeff\n monkey,crane/tiger,crab/dragon:crane c1c2": true, blueBegins: true,
		"h8i9": false, "(;GM[4])": false, "": false, "Monkey,Crane": false, "# Monkey,Crane/Tiger,Crab/Dragon": false,
	} {
		if Dealt([]byte(text), "") != want {
			t.Errorf("%q: %v", text, !want)
		}
	}
}
