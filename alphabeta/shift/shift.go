// Package shift changes the weights of an evaluation one by one and by name, as a tuner
// does. Every weight counts a feature of a position, early or late in the game: it is named
// after the feature, with the part of the game, as own.mobility.early.
package shift

import (
	"errors"
	"fmt"
	"math"
	"strconv"
	"strings"
)

// A Shift says by how much one weight is larger than usual, in units of score.
type Shift struct {
	Weight string
	By     int
}

// Shifts are those of several weights, each named once.
type Shifts []Shift

// most bounds a single shift: the weights have 16 bits.
const most = math.MaxInt16

var errForm = errors.New("want a weight and by how much it is larger, as in own.mobility.early+3;tempo.late-2")

// Parse reads what String writes.
func Parse(text string) (Shifts, error) {
	var list Shifts
	seen := map[string]bool{}
	for item := range strings.SplitSeq(text, ";") {
		sign := strings.LastIndexAny(item, "+-")
		if sign < 1 {
			return nil, fmt.Errorf("%q: %w", item, errForm)
		}
		by, err := strconv.Atoi(item[sign:])
		if err != nil || by < -most || by > most {
			return nil, fmt.Errorf("%q: %w", item, errForm)
		}
		s := Shift{item[:sign], by}
		if seen[s.Weight] {
			return nil, fmt.Errorf("%s is given twice", s.Weight)
		}
		seen[s.Weight] = true
		list = append(list, s)
	}
	return list, nil
}

// String returns the shifts in their order, as own.mobility.early+3;tempo.late-2.
func (l Shifts) String() string {
	items := make([]string, len(l))
	for i, s := range l {
		items[i] = fmt.Sprintf("%s%+d", s.Weight, s.By)
	}
	return strings.Join(items, ";")
}

// Of returns by how much a weight is shifted.
func (l Shifts) Of(weight string) int {
	for _, s := range l {
		if s.Weight == weight {
			return s.By
		}
	}
	return 0
}

// Weights are those of an evaluation by feature, an early and a late one of each, and the
// names of the features.
type Weights struct {
	Feature     func(feature int) string
	Early, Late []int16
}

// Early and Late return the names of a feature's two weights.
func Early(feature string) string { return feature + ".early" }
func Late(feature string) string  { return feature + ".late" }

// Apply adds the shifts to weights. It fails if there is no weight of a name, or one would
// not fit in 16 bits; the weights may then be changed in part.
func (l Shifts) Apply(w Weights) error {
	if len(l) == 0 {
		return nil
	}
	byName := make(map[string]*int16, 2*len(w.Early))
	for f := range w.Early {
		name := w.Feature(f)
		byName[Early(name)], byName[Late(name)] = &w.Early[f], &w.Late[f]
	}
	for _, s := range l {
		at := byName[s.Weight]
		if at == nil {
			return fmt.Errorf("no weight is called %q", s.Weight)
		}
		sum := int(*at) + s.By
		if sum < -most || sum > most {
			return fmt.Errorf("%s%+d: the weight is %d, and no more than %d fits", s.Weight, s.By, *at, most)
		}
		*at = int16(sum)
	}
	return nil
}
