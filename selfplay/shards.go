package selfplay

import (
	"fmt"
	"reflect"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/selfplay/samples"
)

// SampleVariant returns the variant of a shard's games. It rejects a header
// whose game, rule or size is unknown, and one whose parameters are not those
// of the named rule.
func SampleVariant(h *samples.Header) (games.Variant, error) {
	g, err := games.Find(h.Game)
	if err != nil || h.Game == "" {
		return games.Variant{}, fmt.Errorf("game %q: samples are of %v", h.Game, games.GameNames())
	}
	name, _ := h.Rule.Get("name")
	text, _ := name.(string)
	if text == "" {
		return games.Variant{}, fmt.Errorf("the rule has no name; known are %v", g.RuleSets)
	}
	distance, _ := h.Rule.Get("open_distance")
	dealt, _ := h.Rule.Get("cards")
	cards, _ := dealt.(string)
	v, err := games.NewVariant(games.VariantOptions{
		Game: h.Game, Rule: text, Size: h.Size, OpenRule: distance == int64(games.OpenDistance), Cards: cards,
	})
	if err != nil {
		return games.Variant{}, err
	}
	return v, sameRule(v, h)
}

// SampleCodec returns the codec that replays the games of a shard. It fails
// where SampleVariant does.
func SampleCodec(h *samples.Header) (samples.Codec, error) {
	v, err := SampleVariant(h)
	if err != nil {
		return samples.Codec{}, err
	}
	enc, err := v.Encoder("")
	return samples.Codec{Parse: v.ParseGame, Format: v.FormatGame, Notation: v.Notation(), Encoder: enc}, err
}

// sameRule compares a header's size and parameters to those of the variant.
func sameRule(v games.Variant, h *samples.Header) error {
	want, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		return err
	}
	if h.Size != v.Size {
		return fmt.Errorf("%s: the size is %d, want %d", v, h.Size, v.Size)
	}
	for _, f := range want {
		if got, ok := h.Rule.Get(f.Key); !ok || !reflect.DeepEqual(got, f.Value) {
			return fmt.Errorf("rule %s: parameter %s is %v, want %v", v.Rule(), f.Key, got, f.Value)
		}
	}
	if len(h.Rule) != len(want) {
		return fmt.Errorf("rule %s: %d parameters, want %d", v.Rule(), len(h.Rule), len(want))
	}
	return nil
}
