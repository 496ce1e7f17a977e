package engine

import (
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
	"github.com/carozero/carozero/internal/openings"
	"github.com/carozero/carozero/nn"
	gomokunet "github.com/carozero/carozero/nn/gomoku"
)

// Gomoku names the gomoku family.
const Gomoku = "gomoku"

// Defaults of gomoku.
const (
	DefaultRule = gomoku.DefaultRule
	DefaultSize = 15
)

// openDistance is the distance that the opening restriction demands.
const openDistance = 3

// RuleNames returns the names of the rule sets of gomoku.
func RuleNames() []string { return gomoku.Names() }

// gomokuGame describes the gomoku family. A variant's data is its gomoku.Rules.
var gomokuGame = Game{
	Name:     Gomoku,
	RuleSets: gomoku.Names(),
	SGF:      4,
	Inputs:   Inputs{Version: gomokunet.Version, Planes: gomokunet.PlaneNames(), Globals: gomokunet.GlobalNames()},
	check:    checkGomoku,

	parameters: func(v Variant) any { return gomokuRules(v) },
	start: func(v Variant, _ *rand.Rand) (game.Position, error) {
		return gomoku.New(gomokuRules(v), v.Size)
	},
	position: func(v Variant, text string) (game.Position, error) {
		return gomoku.ParsePosition(gomokuRules(v), v.Size, text)
	},
	parse: func(v Variant, text string) (game.Position, []game.Move, error) {
		moves, err := gomoku.Notation{Size: v.Size}.ParseMoves(text)
		if err != nil {
			return nil, nil, err
		}
		start, err := gomoku.New(gomokuRules(v), v.Size)
		return start, moves, err
	},
	format: func(v Variant, _ game.Position, moves []game.Move) string {
		return gomoku.Notation{Size: v.Size}.FormatMoves(moves)
	},
	diagram: func(v Variant, d Diagram) (game.Position, error) {
		return gomoku.ParseDiagram(gomokuRules(v), v.Size, d.Text, gomoku.DiagramOptions{ToMove: d.ToMove, Captured: d.Captured})
	},
	drawnSize: gomoku.DiagramRows,
	notation:  func(v Variant) game.Notation { return gomoku.Notation{Size: v.Size} },
	encoder:   func(v Variant) (nn.Encoder, error) { return gomokunet.New(gomokuRules(v), v.Size) },
	classical: gomokuClassical,
	weights: func(v Variant, w Weights) string {
		return gomokusearch.Digest(gomokuRules(v), w == HandWeights)
	},
	scale:      func(v Variant) float64 { return gomokusearch.Scale(gomokuRules(v)) },
	columns:    func(v Variant) int { return v.Size },
	stones:     gomokuStones,
	forbidden:  gomokuForbidden,
	display:    gomokuDisplay,
	step:       gomokuStep,
	threats:    gomokuThreats,
	symmetries: gomokuSymmetries,
	text:       gomokuText,
	about:      gomokuAbout,
	candidates: nearStones,
	form:       searchable,
	solvers:    newSolvers,
	prover:     newGomokuProver,
	resistance: gomokuResistance,
	proofShare: proofShareOf,
}

// checkGomoku returns the variant of a rule set and size.
func checkGomoku(o VariantOptions) (Variant, error) {
	v := Variant{Size: o.Size, OpenRule: o.OpenRule, rule: o.Rule}
	if v.rule == "" {
		v.rule = DefaultRule
	}
	if v.Size == 0 {
		v.Size = DefaultSize
	}
	rules, err := gomoku.Lookup(v.rule)
	if err != nil {
		return Variant{}, err
	}
	if o.OpenRule {
		rules.OpenDistance = openDistance
	}
	v.data = rules
	if _, err = gomoku.New(rules, v.Size); err != nil {
		return Variant{}, fmt.Errorf("%w", err)
	}
	return v, nil
}

// Gomoku returns the rule set of a variant of gomoku, for what only that game
// has; ok is false for other games.
func (v Variant) Gomoku() (rules gomoku.Rules, ok bool) {
	rules, ok = v.data.(gomoku.Rules)
	return rules, ok
}

// gomokuRules returns the rule set of a variant that is one of gomoku.
func gomokuRules(v Variant) gomoku.Rules {
	rules, _ := v.Gomoku()
	return rules
}

// gomokuClassical returns the classical search of gomoku with the evaluation that
// the options name. A network's log odds become scores by the scale that the fitted
// evaluation has, so that margins mean the same; its policy orders moves.
func gomokuClassical(v Variant, o ClassicalOptions) alphabeta.Game {
	var g gomokusearch.Game
	if o.Weights == HandWeights {
		g.Models = gomokusearch.Hand
	}
	if o.Judge != nil {
		scale := int64(gomokusearch.Scale(gomokuRules(v)) + 0.5)
		g.Evaluator = func(b *pattern.Board) gomokusearch.Evaluator {
			j := o.Judge.BoardEvaluator(b)
			return gomokusearch.Evaluator{Policy: j.PolicyAt, Value: func() alphabeta.Score {
				return alphabeta.Score(int64(j.Odds()) * scale >> nn.OddsBits)
			}}
		}
	}
	return g
}

// Of so many parts of a classical search's budget one goes to the proof before it:
// more where stones are captured, since the search itself sees less there.
const (
	rootShare    = 32
	captureShare = 8
)

// proofShareOf returns the share of a rule set.
func proofShareOf(v Variant) int64 {
	if gomokuRules(v).Captures {
		return captureShare
	}
	return rootShare
}

// nearStones appends the legal moves within two columns and rows of a stone, or
// of the centre of an empty board, or all if there are none.
func nearStones(pos game.Position, buf []game.Move) []game.Move {
	const distance = 2
	board := plain(pos)
	var stones []game.Move
	for c := range board.Size() * board.Size() {
		if board.At(c) != gomoku.Empty {
			stones = append(stones, game.Move(c))
		}
	}
	return openings.Square(board.Size(), distance).Moves(board, stones, buf)
}
