package terminal

import (
	"slices"
	"strconv"

	tea "charm.land/bubbletea/v2"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/support/option"
)

// Lines of the form of a new game.
const (
	lineRule = iota
	lineSize
	lineOpening
	lineSide
	lineStrength
)

// ruleChoice is a rule set of a game.
type ruleChoice struct {
	game, rule string
	sizes      bool // its boards have several sizes
}

// ruleChoices returns every rule set of every game.
func ruleChoices() []ruleChoice {
	var list []ruleChoice
	for _, name := range games.GameNames() {
		v, err := games.NewVariant(games.VariantOptions{Game: name})
		if err != nil {
			continue // a game without a usual variant has none to choose
		}
		for _, rule := range v.Of().RuleSets {
			list = append(list, ruleChoice{name, rule, v.Of().HasSizes()})
		}
	}
	return list
}

// sizes returns the sizes of boards.
func sizes() []string {
	var list []string
	for n := option.BoardSize.Min; n <= option.BoardSize.Max; n++ {
		list = append(list, strconv.FormatInt(n, 10))
	}
	return list
}

// openSettings shows the form of a new game.
func (m *model) openSettings() {
	v := m.record.variant
	rules, list := ruleChoices(), strengths(m.opts.Strength)
	names, levels := make([]string, len(rules)), make([]string, len(list))
	for i, r := range rules {
		names[i] = r.rule
	}
	for i, s := range list {
		levels[i] = s.String()
	}
	size := v.Size
	if !v.Of().HasSizes() {
		size = games.DefaultSize
	}
	opening := 0
	if v.OpenRule {
		opening = 1
	}
	u := &menu{title: "New game"}
	fixed := func() bool { return !rules[u.items[lineRule].value].sizes }
	u.items = []item{
		lineRule:     {text: "rules", values: names, value: max(0, slices.IndexFunc(rules, func(r ruleChoice) bool { return r.game == v.Game && r.rule == v.Rule() }))},
		lineSize:     {text: "size", values: sizes(), value: size - int(option.BoardSize.Min), idle: fixed},
		lineOpening:  {text: "third stone", values: []string{"anywhere", "3 away from the first"}, value: opening, idle: fixed},
		lineSide:     {text: "you play", values: []string{First.String(), Second.String(), Both.String()}, value: int(m.people)},
		lineStrength: {text: "against", values: levels, value: max(0, slices.Index(list, m.strength))},
	}
	u.items = append(u.items, item{text: "start", run: func(m *model) tea.Cmd {
		m.start(u, rules[u.items[lineRule].value], list[u.items[lineStrength].value])
		return nil
	}})
	m.open(u)
}

// start begins the game that a form describes.
func (m *model) start(u *menu, rule ruleChoice, strength Strength) {
	o := games.VariantOptions{Game: rule.game, Rule: rule.rule}
	v, err := games.NewVariant(o)
	if err == nil && v.Of().HasSizes() {
		o.Size = u.items[lineSize].value + int(option.BoardSize.Min)
		o.OpenRule = u.items[lineOpening].value == 1
		v, err = games.NewVariant(o)
	}
	if err != nil {
		m.warn("No such game: %v", err)
		return
	}
	start, err := v.Start()
	if err != nil {
		m.warn("No such game: %v", err)
		return
	}
	m.people, m.strength = Sides(u.items[lineSide].value), strength
	m.begin(newHistory(v, start, nil))
	m.tell("A new game: %v.", v)
}
