package selfplay

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/selfplay/samples"
)

// OptionsOf returns the options that the header of a shard records, to play its run
// again, except Games and GamesPerShard, which are not in the header. taught says that a
// teacher searched its positions. rest are the fields that the Setup had added to the
// header's search map. Plan tells whether the options are the run's.
func OptionsOf(h *samples.Header, taught bool) (o Options, rest samples.Fields, err error) {
	o.Seed = h.Seed
	if taught {
		rest, err = o.readTaught(h.Search)
	} else {
		rest, err = h.Search.Fill(&o)
	}
	if err == nil {
		rest, err = o.readExtras(rest)
	}
	if err != nil {
		err = fmt.Errorf("the search's options: %w", err)
	}
	return o, rest, err
}

// readTaught is the inverse of taughtFields, but for what readExtras reads.
func (o *Options) readTaught(f samples.Fields) (rest samples.Fields, err error) {
	if rest, err = f.Fill(&o.Teacher); err != nil {
		return rest, err
	}
	var s optionsTaught
	rest, err = rest.Fill(&s)
	o.Opening, o.MaxPlies, o.ResignAt, o.ResignTurns, o.StopAtProof = s.Opening, s.MaxPlies, s.ResignAt, s.ResignTurns, s.StopAtProof
	return rest, err
}

// readExtras reads the options that a header has only if they are on.
func (o *Options) readExtras(f samples.Fields) (rest samples.Fields, err error) {
	rest = slices.DeleteFunc(f, func(e samples.Field) bool {
		if err != nil {
			return false
		}
		switch e.Key {
		case samples.TargetKey:
		case "forced_playouts":
			var v float64
			v, err = number(e)
			o.Targets.Forced = float32(v)
		case "gumbel":
			g, _ := e.Value.(samples.Fields)
			var left samples.Fields
			if left, err = g.Fill(&o.Targets.Gumbel); err == nil && len(left) > 0 {
				err = fmt.Errorf("gumbel: %s is unknown", left[0].Key)
			}
		case samples.AuditKey:
			o.ResignAudit, err = number(e)
		default:
			return false
		}
		return true
	})
	return rest, err
}

// number returns the value of a numeric field.
func number(f samples.Field) (float64, error) {
	v, ok := f.Value.(float64)
	if !ok {
		return 0, fmt.Errorf("%s: %v of type %T, want a number", f.Key, f.Value, f.Value)
	}
	return v, nil
}
