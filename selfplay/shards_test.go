package selfplay

import (
	"testing"

	"github.com/carozero/carozero/internal/enginetest"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/selfplay/samples"
)

func TestSampleCodecRefusesOtherParameters(t *testing.T) {
	v := enginetest.Variant(t, games.VariantOptions{Rule: "renju", Size: 9, OpenRule: true})
	rule, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		t.Fatal(err)
	}
	h := &samples.Header{Game: games.Gomoku, Rule: rule, Size: 9}
	codec, err := SampleCodec(h)
	if err != nil {
		t.Fatal(err)
	}
	// The opening rule must have come through.
	start, _, err := codec.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	start.Play(start.Moves(nil)[40])
	start.Play(start.Moves(nil)[0])
	if start.Legal(41) {
		t.Error("the third stone beside the first is legal under the opening rule")
	}
	for i := range rule {
		changed := append(samples.OrderedMap{}, rule...)
		changed[i].Value = "other"
		if _, err := SampleCodec(&samples.Header{Game: games.Gomoku, Rule: changed, Size: 9}); err == nil {
			t.Errorf("parameter %s may be anything", rule[i].Key)
		}
	}
	for _, bad := range []*samples.Header{
		{Game: "chess", Rule: rule, Size: 9}, {Game: games.Gomoku, Size: 9}, {Game: games.Gomoku, Rule: rule, Size: 99},
		{
			Game: games.Gomoku, Rule: append(rule[:len(rule):len(rule)], samples.Field{Key: "more", Value: true}),
			Size: 9,
		},
	} {
		if _, err := SampleCodec(bad); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}
