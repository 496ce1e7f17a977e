package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
)

// aliases are KataGo's names of settings that these engines have under another.
var aliases = map[string]string{"cpuctExploration": "cpuct"}

// classicalPrefix begins the names of settings of the classical search.
const classicalPrefix = "alphabeta."

// readSettings reads overrideSettings, and returns a warning for each of them that
// nothing has.
func (q *Query) readSettings(f *fields, o *Options) (warnings []Problem) {
	const field = "overrideSettings"
	q.tree, q.classical = parsedArgs(engine.MCTS, o.Tree), parsedArgs(engine.AlphaBeta, o.Classical)
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
			f.fail(field, "%s: want a string, a number, true or false, found %s", shown(name), found(settings[name]))
			return nil
		}
		known, err := q.set(name, text, o)
		switch {
		case err != nil:
			f.fail(field, "%s: %v", clip(name), err)
			return nil
		case !known && !o.Unwarned:
			warnings = append(warnings, Problem{Field: field, Warning: fmt.Sprintf("unknown setting %s, which changes nothing", shown(name))})
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
		if err == nil && n > o.mostVisits() {
			err = fmt.Errorf("%d: want at most %d", n, o.mostVisits())
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
	if key, ok := strings.CutPrefix(name, classicalPrefix); ok && slices.Contains(classicalSettings(), key) {
		q.classical = replaced(q.classical, key, text)
		return true, q.checkClassical(o)
	}
	if slices.Contains(treeSettings(), name) {
		q.tree = replaced(q.tree, name, text)
		return true, q.checkTree(o)
	}
	return false, nil
}

// treeSettings and classicalSettings are the settings of the two engines.
func treeSettings() []string {
	return slices.DeleteFunc(engine.FixedTreeArgs(), func(key string) bool { return key == "playouts" || key == "model" })
}

func classicalSettings() []string {
	return slices.DeleteFunc(append(engine.Techniques(), engine.FixedClassicalArgs()...), func(key string) bool { return key == "nodes" || key == "net" })
}

// checkTree refuses settings that make no sense, or take more memory than the
// service gives to a search.
func (q *Query) checkTree(o *Options) error {
	if _, err := engine.ParseFixedTree(treeSpec(q.tree)); err != nil {
		return err
	}
	for _, key := range []string{"solver", "vct", "parries"} {
		if err := notOver(q.tree, key, o.Limits.Solver); err != nil {
			return err
		}
	}
	return notAbove(q.tree, parsedArgs(engine.MCTS, o.Tree), "memory")
}

func (q *Query) checkClassical(o *Options) error {
	if _, _, err := engine.ParseFixedClassical(classicalSpec(q.classical)); err != nil {
		return err
	}
	return notAbove(q.classical, parsedArgs(engine.AlphaBeta, o.Classical), "table")
}

// notAbove refuses a number of MiB above the service's own.
func notAbove(asked, own engine.Args, key string) error {
	text, given := asked.Get(key)
	bound, bounded := own.Get(key)
	if !given || !bounded {
		return nil
	}
	n, err := strconv.ParseInt(text, 0, 64)
	most, errMost := strconv.ParseInt(bound, 0, 64)
	if err == nil && errMost == nil && n > most {
		return fmt.Errorf("%d MiB: this service gives at most %d to a search", n, most)
	}
	return nil
}

// notOver refuses a number of moves above a bound, which is none if it is 0.
func notOver(asked engine.Args, key string, most int) error {
	text, _ := asked.Get(key)
	if n, err := strconv.ParseInt(text, 0, 64); most > 0 && err == nil && n > int64(most) {
		return fmt.Errorf("%d moves: this service gives at most %d to a solver", n, most)
	}
	return nil
}

// replaced returns the arguments with one of them set.
func replaced(args engine.Args, key, value string) engine.Args {
	args = slices.DeleteFunc(slices.Clone(args), func(a engine.Arg) bool { return a.Key == key })
	return append(args, engine.Arg{Key: key, Value: value})
}

// treeSpec and classicalSpec are arguments as descriptions of players.
func treeSpec(args engine.Args) engine.Spec {
	return engine.Spec{Kind: engine.MCTS, Args: args}
}

func classicalSpec(args engine.Args) engine.Spec {
	return engine.Spec{Kind: engine.AlphaBeta, Args: args}
}

// parsedArgs returns the arguments of a text that [Options.Check] has found good.
func parsedArgs(kind engine.PlayerKind, text string) engine.Args {
	spec, err := engine.ParseSpec(string(kind) + ":" + text)
	if err != nil {
		return nil
	}
	return spec.Args
}

// Check returns an error about the first option that makes no sense.
func (o Options) Check() error {
	for kind, text := range map[engine.PlayerKind]string{engine.MCTS: o.Tree, engine.AlphaBeta: o.Classical} {
		if _, err := engine.ParseSpec(string(kind) + ":" + text); err != nil {
			return err
		}
	}
	if _, err := engine.ParseFixedTree(treeSpec(parsedArgs(engine.MCTS, o.Tree))); err != nil {
		return err
	}
	_, _, err := engine.ParseFixedClassical(classicalSpec(parsedArgs(engine.AlphaBeta, o.Classical)))
	return err
}
