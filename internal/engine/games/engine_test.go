package games

import (
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/selfplay/samples"
)

func TestEveryVariantStartsAndReadsItself(t *testing.T) {
	for _, o := range append(allRules(), VariantOptions{Game: Onitama}) {
		v, err := NewVariant(o)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := v.Start()
		if err != nil {
			t.Fatal(err)
		}
		var moves []game.Move
		for range 6 {
			list := pos.Moves(nil)
			m := list[len(list)/2]
			moves = append(moves, m)
			pos.Play(m)
		}
		text := v.Notation().FormatMoves(moves)
		if v.Game == Onitama {
			text = DefaultDeal + ":" + text
		}
		again, err := v.Parse(text)
		if err != nil || again.Hash() != pos.Hash() {
			t.Errorf("%s: %q read back: %v", v.Rule(), text, err)
		}
	}
}

func allRules() []VariantOptions {
	var list []VariantOptions
	for _, name := range RuleNames() {
		list = append(list, VariantOptions{Rule: name, Size: 9})
	}
	return list
}

func TestSampleKitRefusesOtherParameters(t *testing.T) {
	v, err := NewVariant(VariantOptions{Rule: "renju", Size: 9, OpenRule: true})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := samples.FieldsOf(gomokuRules(v))
	if err != nil {
		t.Fatal(err)
	}
	h := &samples.Header{Game: Gomoku, Rule: rule, Size: 9}
	kit, err := SampleKit(h)
	if err != nil {
		t.Fatal(err)
	}
	// The opening rule must have come through.
	start, _, err := kit.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	start.Play(start.Moves(nil)[40])
	start.Play(start.Moves(nil)[0])
	if start.Legal(41) {
		t.Error("the third stone beside the first is legal under the opening rule")
	}
	for i := range rule {
		changed := append(samples.Fields{}, rule...)
		changed[i].Value = "other"
		if _, err := SampleKit(&samples.Header{Game: Gomoku, Rule: changed, Size: 9}); err == nil {
			t.Errorf("parameter %s may be anything", rule[i].Key)
		}
	}
	for _, bad := range []*samples.Header{
		{Game: "chess", Rule: rule, Size: 9}, {Game: Gomoku, Size: 9}, {Game: Gomoku, Rule: rule, Size: 99},
		{Game: Gomoku, Rule: append(rule[:len(rule):len(rule)], samples.Field{Key: "more", Value: true}), Size: 9},
	} {
		if _, err := SampleKit(bad); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}

func TestSpecsAreChecked(t *testing.T) {
	for text, want := range map[string]string{
		"mcts:playouts=10,visits=5":            "",
		"mcts:time=200ms":                      "",
		"mcts:playouts=10,guard=true":          "",
		"mcts:playouts=0":                      "budget",
		"mcts:playouts=ten":                    "playouts",
		"mcts:colour=red":                      "colour",
		"mcts:playouts=1,in-flight=1000000":    "in-flight",
		"mcts:playouts=1,temperature=-1":       "temperature",
		"mcts:playouts=1,reuse=perhaps":        "reuse",
		"mcts:playouts=1,memory=0":             "memory",
		"mcts:playouts=1,playouts=2":           "playouts",
		"mcts:playouts=1,model=uniform,tc=1+x": "tc",
		"alphabeta:":                           "",
		"alphabeta:time=200ms,threads=2":       "",
		"alphabeta:tc=60+0.5,ponder=true":      "",
		"alphabeta:depth=5,rfp=off,lmr=80":     "",
		"alphabeta:level=easy,table=1":         "",
		"alphabeta:nodes=0":                    "nodes",
		"alphabeta:nodes=x":                    "nodes",
		"alphabeta:depth=1000":                 "depth",
		"alphabeta:playouts=5":                 "playouts",
		"alphabeta:level=clever":               "medium",
		"alphabeta:level=easy,nodes=5":         "level",
		"alphabeta:rfp=0":                      "rfp",
		"alphabeta:rfp=maybe":                  "rfp",
		"alphabeta:history=3":                  "on or off",
		"alphabeta:threads=0":                  "threads",
		"alphabeta:table=0":                    "table",
		"alphabeta:ponder=sometimes":           "ponder",
	} {
		_, err := parsePlayer(text)
		switch {
		case want == "" && err != nil:
			t.Errorf("%s: %v", text, err)
		case want != "" && (err == nil || !strings.Contains(err.Error(), want) && !strings.Contains(err.Error(), "time control")):
			t.Errorf("%s: %v, want an error about %s", text, err, want)
		}
	}
}

func TestRandomOpeningsStayNearStones(t *testing.T) {
	v, err := NewVariant(VariantOptions{Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	pos, err := v.Start()
	if err != nil {
		t.Fatal(err)
	}
	near := v.Candidates()
	if got := len(near(pos, nil)); got != 25 {
		t.Errorf("%d first moves, want the 25 around the centre", got)
	}
	pos.Play(0)
	if got := near(pos, nil); len(got) != 8 {
		t.Errorf("%d moves near a stone in the corner, want 8", len(got))
	}
}
