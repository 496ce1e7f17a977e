package gomocup

import "fmt"

// Bits of "INFO rule".
const (
	ruleExact      = 1
	ruleContinuous = 2
	ruleRenju      = 4
	ruleCaro       = 8
)

// RuleMask returns the number by which the protocol names a rule set, and false
// if it has none.
func RuleMask(name string) (int, bool) {
	switch name {
	case "freestyle":
		return 0, true
	case "standard":
		return ruleExact, true
	case "renju":
		return ruleRenju, true
	case "caro-overline":
		return ruleCaro, true
	case "caro":
		return ruleCaro | ruleExact, true
	}
	return 0, false
}

// Rules returns the names of the rule sets that the protocol has.
func Rules() []string { return []string{"freestyle", "standard", "renju", "caro", "caro-overline"} }

// ruleName returns the rule set that a mask stands for. To boards of the Yixin
// family 2 is renju.
func ruleName(mask int, yixin bool) (string, error) {
	switch mask {
	case 0:
		return "freestyle", nil
	case ruleExact:
		return "standard", nil
	case ruleRenju:
		return "renju", nil
	case ruleCaro:
		return "caro-overline", nil
	case ruleCaro | ruleExact:
		return "caro", nil
	}
	switch {
	case mask == ruleContinuous && yixin:
		return "renju", nil
	case mask&ruleContinuous != 0:
		return "", fmt.Errorf("rule %d: continuous games are not supported; use rule 0 (freestyle), 1 (standard), 4 (renju), 8 (caro with overlines) or 9 (caro)", mask)
	}
	return "", fmt.Errorf("rule %d is not supported; use rule 0 (freestyle), 1 (standard), 4 (renju), 8 (caro with overlines) or 9 (caro)", mask)
}
