package engine

import (
	"fmt"
	"reflect"

	"github.com/carozero/carozero/selfplay/samples"
)

// SampleVariant returns the variant of a shard's games. It refuses a header
// whose game, rule or size is unknown here, and one whose parameters are not
// those that the rule's name stands for.
func SampleVariant(h *samples.Header) (Variant, error) {
	g, err := lookup(h.Game)
	if err != nil || h.Game == "" {
		return Variant{}, fmt.Errorf("game %q: samples are of %v", h.Game, GameNames())
	}
	name, _ := h.Rule.Get("name")
	text, _ := name.(string)
	if text == "" {
		return Variant{}, fmt.Errorf("the rule has no name; known are %v", g.RuleSets)
	}
	distance, _ := h.Rule.Get("open_distance")
	v, err := NewVariant(VariantOptions{Game: h.Game, Rule: text, Size: h.Size, OpenRule: distance == int64(openDistance)})
	if err != nil {
		return Variant{}, err
	}
	return v, v.sameRule(h)
}

// SampleKit returns what the games of a shard are replayed with. It fails
// where SampleVariant does.
func SampleKit(h *samples.Header) (samples.Codec, error) {
	v, err := SampleVariant(h)
	if err != nil {
		return samples.Codec{}, err
	}
	enc, err := v.Encoder()
	return samples.Codec{Parse: v.ParseGame, Format: v.FormatGame, Notation: v.Notation(), Encoder: enc}, err
}

// sameRule compares a header's size and parameters to those of the variant.
func (v Variant) sameRule(h *samples.Header) error {
	want, err := samples.FieldsOf(v.game.parameters(v))
	if err != nil {
		return err
	}
	if h.Size != v.Size {
		return fmt.Errorf("%s: the size is %d, want %d", v, h.Size, v.Size)
	}
	for _, f := range want {
		if got, ok := h.Rule.Get(f.Key); !ok || !reflect.DeepEqual(got, f.Value) {
			return fmt.Errorf("rule %s: parameter %s is %v, want %v", v.rule, f.Key, got, f.Value)
		}
	}
	if len(h.Rule) != len(want) {
		return fmt.Errorf("rule %s: %d parameters, want %d", v.rule, len(h.Rule), len(want))
	}
	return nil
}
