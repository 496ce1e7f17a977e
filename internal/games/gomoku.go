package games

import (
	"errors"
	"math/rand/v2"
	"strings"

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

// OpenDistance is the distance that the opening restriction demands.
const OpenDistance = 3

// RuleNames returns the names of the rule sets of gomoku.
func RuleNames() []string { return gomoku.Names() }

// gomokuGame describes the gomoku family. A variant's data is its gomoku.Rules.
var gomokuGame = Game{
	Name:     Gomoku,
	RuleSets: gomoku.Names(),
	SGF:      4,
	Inputs: []Inputs{{
		Version: gomokunet.Version, Planes: gomokunet.PlaneNames(), Globals: gomokunet.GlobalNames(),
		Encoder: func(v Variant) (nn.Encoder, error) { return gomokunet.New(gomokuRules(v), v.Size) },
	}},
	Check: checkGomoku,

	Parameters: func(v Variant) any { return gomokuRules(v) },
	Start: func(v Variant, _ *rand.Rand) (game.Position, error) {
		return gomoku.New(gomokuRules(v), v.Size)
	},
	Position: func(v Variant, text string) (game.Position, error) {
		return gomoku.ParsePosition(gomokuRules(v), v.Size, text)
	},
	Parse: func(v Variant, text string) (game.Position, []game.Move, error) {
		moves, err := gomoku.Notation{Size: v.Size}.ParseMoves(text)
		if err != nil {
			return nil, nil, err
		}
		start, err := gomoku.New(gomokuRules(v), v.Size)
		return start, moves, err
	},
	Format: func(v Variant, _ game.Position, moves []game.Move) string {
		return gomoku.Notation{Size: v.Size}.FormatMoves(moves)
	},
	SetUp: gomokuSetUp,
	Diagram: func(v Variant, d Diagram) (game.Position, error) {
		return setUp(gomoku.ParseDiagram(gomokuRules(v), v.Size, d.Text, gomoku.DiagramOptions{ToMove: d.ToMove, Captured: d.Captured}))
	},
	DrawnSize: gomoku.DiagramRows,
	Notation:  func(v Variant) game.Notation { return gomoku.Notation{Size: v.Size} },
	Classical: gomokuClassical,
	Weights: func(v Variant, w Weights) string {
		return gomokusearch.Digest(gomokuRules(v), w == HandWeights)
	},
	Scale:       func(v Variant) float64 { return gomokusearch.Scale(gomokuRules(v)) },
	Columns:     func(v Variant) int { return v.Size },
	Stones:      gomokuStones,
	Forbidden:   gomokuForbidden,
	Display:     gomokuDisplay,
	Threats:     gomokuThreats,
	Symmetries:  gomokuSymmetries,
	Played:      gomokuPlayed,
	About:       gomokuAbout,
	Candidates:  nearStones,
	Form:        searchable,
	Solvers:     newSolvers,
	Prover:      newGomokuProver,
	QuietProver: newGomokuQuietProver,
	Decider:     newGomokuDecider,

	WinCertificate: gomokuCertificate,
	Resistance:     gomokuResistance,
	ProofShare:     proofShareOf,
}

// gomokuSetUp returns the board of a setup.
func gomokuSetUp(v Variant, s Setup) (game.Position, error) {
	setup := gomoku.Setup{Stones: make([]gomoku.Stone, len(s.Stones)), Captured: s.Captured}
	for cell, stone := range s.Stones {
		setup.Stones[cell] = gomoku.Stone(stone)
	}
	var err error
	if s.ToMove != nil {
		setup.ToMove = *s.ToMove
	} else if setup.ToMove, err = setup.Turn(); err != nil {
		return setUp(nil, err)
	}
	return setUp(gomoku.NewSetup(gomokuRules(v), v.Size, setup))
}

// setUp returns a board that was set up, or the error as games have it.
func setUp(board *gomoku.Board, err error) (game.Position, error) {
	if wrong, ok := errors.AsType[*gomoku.SetupError](err); ok {
		return nil, &SetupError{Part: SetupPart(wrong.Part), Err: err}
	}
	if err != nil {
		return nil, err
	}
	return board, nil
}

// checkGomoku returns a rule set and size, and the rules as gomoku.Rules.
func checkGomoku(o VariantOptions) (VariantOptions, any, error) {
	if o.Cards != "" {
		return o, nil, &OptionError{[]string{CardsOption}, "is for onitama, not for gomoku"}
	}
	if o.Rule == "" {
		o.Rule = DefaultRule
	}
	if o.Size == 0 {
		o.Size = DefaultSize
	}
	rules, err := gomoku.Lookup(o.Rule)
	if err != nil {
		return o, nil, err
	}
	if o.OpenRule {
		rules.OpenDistance = OpenDistance
	}
	_, err = gomoku.New(rules, o.Size)
	return o, rules, err
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
func gomokuClassical(v Variant, o Evaluation) alphabeta.Game {
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

// gomokuStones implements Variant.Stones.
func gomokuStones(pos game.Position) []Stone {
	board := plain(pos)
	stones := make([]Stone, board.Size()*board.Size())
	for c := range stones {
		switch board.At(c) {
		case gomoku.FirstStone:
			stones[c] = FirstStone
		case gomoku.SecondStone:
			stones[c] = SecondStone
		}
	}
	return stones
}

// gomokuForbidden implements Variant.Forbidden.
func gomokuForbidden(pos game.Position) []Forbidden {
	board := plain(pos)
	var list []Forbidden
	for _, m := range board.Forbidden(nil) {
		list = append(list, Forbidden{m, board.Bans(board.ToMove(), int(m)).Names()})
	}
	return list
}

// searchable implements Variant.Searchable.
func searchable(pos game.Position) game.Position {
	if board, ok := pos.(*gomoku.Board); ok {
		return pattern.FromBoard(board)
	}
	return pos.Clone()
}

// patterns returns pos in the form that solvers search, itself if it has that
// form; nil if it is no position of gomoku.
func patterns(pos game.Position) *pattern.Board {
	switch pos := pos.(type) {
	case *pattern.Board:
		return pos
	case *gomoku.Board:
		return pattern.FromBoard(pos)
	}
	return nil
}

// plain returns pos as the rules alone have it, itself if it has that form; nil
// if it is no position of gomoku.
func plain(pos game.Position) *gomoku.Board {
	switch pos := pos.(type) {
	case *gomoku.Board:
		return pos
	case *pattern.Board:
		return pos.Board().Copy()
	}
	return nil
}

// gomokuThreats implements Variant.Threats.
func gomokuThreats(pos game.Position) (of [2]Threats) {
	board := patterns(pos)
	for _, side := range []game.Side{game.First, game.Second} {
		t := board.Threats(side)
		of[side] = Threats{Fives: t.Five.Append(nil), Fours: t.Four.Append(nil), OpenFours: t.OpenFour.Append(nil)}
	}
	return of
}

// gomokuSymmetries implements Variant.Symmetries. The legal moves are compared
// too: the opening rule reads more than the stones.
func gomokuSymmetries(pos game.Position) (maps []func(game.Move) game.Move) {
	board := plain(pos)
	size := board.Size()
	for sym := 1; sym < 8; sym++ {
		same := true
		for c := 0; c < size*size && same; c++ {
			to := gomoku.Transform(size, sym, c)
			same = board.At(c) == board.At(to) && board.Legal(game.Move(c)) == board.Legal(game.Move(to))
		}
		if same {
			maps = append(maps, func(m game.Move) game.Move { return game.Move(gomoku.Transform(size, sym, int(m))) })
		}
	}
	return maps
}

// gomokuDisplay implements Variant.Display.
func gomokuDisplay(v Variant, pos game.Position) Display {
	board := plain(pos)
	d := Display{Size: v.Size, Pieces: make([]Piece, v.Size*v.Size)}
	for c, stone := range gomokuStones(board) {
		d.Pieces[c].Stone = stone
	}
	if last := board.Last(); int(last) < len(d.Pieces) {
		d.Last = []int{int(last)}
	}
	if board.Rules().Captures {
		d.Captured = &[2]int{board.Captured(game.First), board.Captured(game.Second)}
	}
	if board.Reason() == game.Line {
		winner := game.First
		if board.Outcome() == game.SecondWins {
			winner = game.Second
		}
		for _, m := range board.AppendWinningRuns(winner, nil) {
			d.Win = append(d.Win, int(m))
		}
	}
	return d
}

// gomokuPlayed implements Variant.Played.
func gomokuPlayed(pos game.Position) ([]game.Move, bool) {
	board := plain(pos)
	history := board.History()
	return history, len(history) == board.Ply()
}

// gomokuTitles are how rule sets are called, where that is more than their name.
var gomokuTitles = map[string]string{
	"caro-overline": "Caro, overlines win", "caro-edge": "Caro, the edge blocks",
	"caro-edge-overline": "Caro, the edge blocks, overlines win", "school42": "42 School gomoku",
}

// gomokuAbout implements Variant.About: it reads the parameters of the rules alone.
func gomokuAbout(v Variant) About {
	r := gomokuRules(v)
	a := About{Title: gomokuTitles[v.rule], Captures: r.Captures, Forbidden: r.Renju}
	if a.Title == "" {
		a.Title = strings.ToUpper(v.rule[:1]) + v.rule[1:]
	}
	if r.DoubleThree {
		a.Forbidden = [2]bool{true, true}
	}
	var text []string
	switch {
	case r.Exact[game.First] && r.Exact[game.Second]:
		text = append(text, "Exactly five in a row win.")
	case r.Exact[game.First]:
		text = append(text, "Five in a row win, for Black exactly five.")
	default:
		text = append(text, "Five or more in a row win.")
	}
	if r.OpponentBlocks {
		ends := "an opponent's stone at both ends"
		if r.EdgeBlocks {
			ends = "an opponent's stone or the edge at both ends"
		}
		text = append(text, "Exactly five with "+ends+" do not.")
	}
	if r.Renju[game.First] {
		text = append(text, "Black may not make an overline, a double-four or a double-three.")
	}
	if r.DoubleThree {
		text = append(text, "Nobody may make two free threes at once, except by a capture.")
	}
	if r.Captures {
		text = append(text, "A pair between two stones is taken; ten stones win, and so does a five that no capture breaks.")
	}
	a.Text = strings.Join(text, " ")
	return a
}
