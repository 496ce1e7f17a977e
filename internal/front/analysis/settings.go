package analysis

import (
	"encoding/json"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/support/option"
)

// aliases are KataGo's names of settings that these engines have under another.
var aliases = map[string]string{"cpuctExploration": "cpuct"}

// classicalPrefix begins the names of settings of the classical search.
const classicalPrefix = "alphabeta."

// readSettings reads overrideSettings, and returns a warning for each of them that
// nothing has.
func (q *Query) readSettings(f *fields, o *Options) (warnings []Problem) {
	const field = "overrideSettings"
	q.tree, q.classical = o.Tree, o.Classical
	if !f.has(field) {
		return nil
	}
	settings, ok := isObject(f.of[field])
	if !ok {
		f.fail(field, "want an object, found %s", found(f.of[field]))
		return nil
	}
	for _, name := range sortedKeys(settings) {
		text, ok := settingText(settings[name])
		if !ok {
			f.fail(member(field, name), "%s: want a string, a number, true or false, found %s", shown(name), found(settings[name]))
			return nil
		}
		known, err := q.set(name, text, o)
		switch {
		case err != nil:
			f.fail(member(field, name), "%s: %v", clip(name), err)
			return nil
		case !known && !o.Unwarned:
			warnings = append(warnings, Problem{Field: member(field, name), Warning: fmt.Sprintf("unknown setting %s, which changes nothing", shown(name))})
		}
	}
	return warnings
}

// settingText returns the value of a setting as a text.
func settingText(raw json.RawMessage) (text string, ok bool) {
	if isText(raw, &text) {
		return text, len(text) <= longestMove
	}
	return string(raw), len(raw) <= longestMove && len(raw) > 0 && raw[0] != '[' && raw[0] != '{' && string(raw) != "null"
}

// set sets one setting; known is false if there is none of the name.
func (q *Query) set(name, text string, o *Options) (known bool, err error) {
	if own, ok := aliases[name]; ok {
		name = own
	}
	switch name {
	case "reportAnalysisWinratesAs":
		q.Perspective, err = ParsePerspective(text)
		return true, err
	case "rootSymmetryPruning":
		q.PruneSymmetries, err = strconv.ParseBool(text)
		if err != nil {
			err = fmt.Errorf("want true or false")
		}
		return true, err
	case "maxVisits", "maxPlayouts":
		n, err := option.Visits.Parse(text)
		if err == nil && n > int64(o.Limits.Visits) {
			err = fmt.Errorf("%d: want at most %d", n, int64(o.Limits.Visits))
		}
		q.MaxVisits = int(n)
		return true, err
	case "maxTime":
		x, err := strconv.ParseFloat(text, 64)
		if err != nil || !(x >= leastPeriod && x <= mostPeriod) {
			return true, fmt.Errorf("want a number of seconds from %v to %d", leastPeriod, mostPeriod)
		}
		q.MaxTime = time.Duration(x * float64(time.Second))
		return true, nil
	}
	if key, ok := strings.CutPrefix(name, classicalPrefix); ok {
		return q.setClassical(key, text, o)
	}
	return q.setTree(name, text, o)
}

// treeSettings are the settings of the tree search.
var treeSettings = players.FixedTreeSettings

// setTree sets one setting of the tree search. No query gets more memory, or larger
// budgets of solvers, than the service gives to a search.
func (q *Query) setTree(name, text string, o *Options) (known bool, err error) {
	s, known := option.Find(treeSettings, name)
	if !known {
		return false, nil
	}
	tree := q.tree
	if err := s.Set(&tree, text); err != nil {
		return true, fmt.Errorf("%s: %w", text, err)
	}
	if most := o.Tree.MemoryMiB(); tree.MemoryMiB() > most {
		return true, fmt.Errorf("%d MiB: this service gives at most %d to a search", tree.MemoryMiB(), most)
	}
	was, is := q.tree.Solvers, tree.Solvers
	for _, budget := range [][2]int{{was.Leaf, is.Leaf}, {was.Root, is.Root}, {was.Replies, is.Replies}} {
		if most := o.Limits.Solver; most > 0 && budget[1] != budget[0] && budget[1] > most {
			return true, fmt.Errorf("%d moves: this service gives at most %d to a solver", budget[1], most)
		}
	}
	q.tree = tree
	return true, nil
}

// setClassical sets one setting of the classical search. No query gets a larger table
// than the service gives to a search.
func (q *Query) setClassical(name, text string, o *Options) (known bool, err error) {
	s, known := option.Find(players.ClassicalSettingsList, name)
	if !known {
		return false, nil
	}
	classical := q.classical
	if err := s.Set(&classical, text); err != nil {
		return true, fmt.Errorf("%s: %w", text, err)
	}
	if most := o.Classical.TableMiB(); classical.TableMiB() > most {
		return true, fmt.Errorf("%d MiB: this service gives at most %d to a search", classical.TableMiB(), most)
	}
	q.classical = classical
	return true, nil
}
