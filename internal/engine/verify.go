package engine

import (
	"fmt"
	"reflect"

	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/selfplay/samples"
)

// SampleVariant returns the variant of a shard's games. It refuses a header
// whose game, rule or size is unknown here, and one whose parameters are not
// those that the rule's name stands for.
func SampleVariant(h *samples.Header) (Variant, error) {
	if h.Game != Gomoku {
		return Variant{}, fmt.Errorf("game %q: samples are of %s", h.Game, Gomoku)
	}
	name, _ := h.Rule.Get("name")
	text, _ := name.(string)
	if text == "" {
		return Variant{}, fmt.Errorf("the rule has no name; known are %v", RuleNames())
	}
	distance, _ := h.Rule.Get("open_distance")
	v, err := NewVariant(VariantOptions{Game: h.Game, Rule: text, Size: h.Size, OpenRule: distance == int64(openDistance)})
	if err != nil {
		return Variant{}, err
	}
	return v, sameRule(h.Rule, v.rules)
}

// SampleKit returns what the games of a shard are replayed with. It fails
// where SampleVariant does.
func SampleKit(h *samples.Header) (samples.Kit, error) {
	v, err := SampleVariant(h)
	if err != nil {
		return samples.Kit{}, err
	}
	kit := samples.Kit{Notation: v.Notation()}
	if kit.Start, err = v.Start(); err != nil {
		return samples.Kit{}, err
	}
	kit.Encoder, err = v.Encoder()
	return kit, err
}

// sameRule compares a header's parameters to those of a rule set.
func sameRule(found samples.Fields, rules gomoku.Rules) error {
	want, err := samples.FieldsOf(rules)
	if err != nil {
		return err
	}
	for _, f := range want {
		if got, ok := found.Get(f.Key); !ok || !reflect.DeepEqual(got, f.Value) {
			return fmt.Errorf("rule %s: parameter %s is %v, want %v", rules.Name, f.Key, got, f.Value)
		}
	}
	if len(found) != len(want) {
		return fmt.Errorf("rule %s: %d parameters, want %d", rules.Name, len(found), len(want))
	}
	return nil
}
