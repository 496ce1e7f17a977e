package games

import (
	"math/rand/v2"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	gomokusearch "github.com/carozero/carozero/alphabeta/gomoku"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
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

// gomokuGame describes the gomoku family.
var gomokuGame = Game{
	Name:     Gomoku,
	RuleSets: gomoku.Names(),
	SGF:      4,
	Sizes:    true,
	Inputs: []Inputs{{
		Version: gomokunet.Version, Planes: gomokunet.PlaneNames(), Globals: gomokunet.GlobalNames(),
		Encoder: func(v Variant) (nn.Encoder, error) {
			of := v.Rules.(Lines)
			return gomokunet.New(of.rules, of.size)
		},
	}},
	Check: checkGomoku,
}

// Lines are the rules of a variant of gomoku, a game of lines of stones whose forced wins can
// be proven. They implement [Rules] and [Solved]. Positions may have either form, that of the
// rules alone or that of Searchable.
type Lines struct {
	rules gomoku.Rules
	size  int
}

// Lines returns the variant's rules if its game is one of lines, else nil.
func (v Variant) Lines() *Lines {
	if l, ok := v.Rules.(Lines); ok {
		return &l
	}
	return nil
}

// Parameters implements [Rules].
func (v Lines) Parameters() any { return v.rules }

// Deal implements [Rules].
func (v Lines) Deal(*rand.Rand) (game.Position, error) { return gomoku.New(v.rules, v.size) }

// Parse implements [Rules].
func (v Lines) Parse(text string) (game.Position, error) {
	return gomoku.ParsePosition(v.rules, v.size, text)
}

// ParseGame implements [Rules].
func (v Lines) ParseGame(text string) (game.Position, []game.Move, error) {
	moves, err := gomoku.Notation{Size: v.size}.ParseMoves(text)
	if err != nil {
		return nil, nil, err
	}
	start, err := gomoku.New(v.rules, v.size)
	return start, moves, err
}

// FormatGame implements [Rules].
func (v Lines) FormatGame(_ game.Position, moves []game.Move) string {
	return gomoku.Notation{Size: v.size}.FormatMoves(moves)
}

// Notation implements [Rules].
func (v Lines) Notation() game.Notation { return gomoku.Notation{Size: v.size} }

// Columns implements [Rules].
func (v Lines) Columns() int { return v.size }

// ParseDiagram implements [Rules].
func (v Lines) ParseDiagram(d Diagram) (game.Position, error) {
	return setUp(gomoku.ParseDiagram(v.rules, v.size, d.Text, gomoku.DiagramOptions{ToMove: d.ToMove,
		Captured: d.Captured}))
}

// DrawnSize reads only the size of the board of a drawing.
func (Lines) DrawnSize(text string) (int, error) { return gomoku.DiagramRows(text) }

// SetUp returns the position of a setup. The error is a [SetupError] if a part of the setup is
// impossible.
func (v Lines) SetUp(s Setup) (game.Position, error) {
	setup := gomoku.Setup{Stones: s.Stones, Captured: s.Captured}
	var err error
	if s.ToMove != nil {
		setup.ToMove = *s.ToMove
	} else if setup.ToMove, err = setup.Turn(); err != nil {
		return setUp(nil, err)
	}
	return setUp(gomoku.NewSetup(v.rules, v.size, setup))
}

// setUp returns a board that was set up as a position, nil beside an error.
func setUp(board *gomoku.Board, err error) (game.Position, error) {
	if err != nil {
		return nil, err
	}
	return board, nil
}

// checkGomoku implements [Game.Check].
func checkGomoku(o VariantOptions) (VariantOptions, Rules, error) {
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
	return o, Lines{rules, o.Size}, err
}

// Gomoku returns the rule set of a variant of gomoku, for what only that game
// has; ok is false for other games.
func (v Variant) Gomoku() (rules gomoku.Rules, ok bool) {
	of, ok := v.Rules.(Lines)
	return of.rules, ok
}

// Digest implements [Solved].
func (v Lines) Digest(w Weights) string {
	return gomokusearch.Digest(v.rules, w == HandWeights)
}

// Scale is the score of a classical search at which the odds of winning are e to 1.
func (v Lines) Scale() float64 { return gomokusearch.Scale(v.rules) }

// Evaluated implements [Rules]. A network's log odds become scores by the scale that the fitted
// evaluation has, so that margins mean the same; its policy orders moves.
func (v Lines) Evaluated(o Evaluation) alphabeta.Game {
	var g gomokusearch.Game
	if o.Weights == HandWeights {
		g.Models = gomokusearch.Hand
	}
	if o.Judge != nil {
		scale := int64(v.Scale() + 0.5)
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

// ProofShare says that one of so many parts of a classical search's budget goes to the prover.
func (v Lines) ProofShare() int64 {
	if v.rules.Captures {
		return captureShare
	}
	return rootShare
}

// Candidates appends the moves that random openings are made of: the legal ones within two
// columns and rows of a stone, or of the centre of an empty board, or all if there are none.
func (Lines) Candidates(pos game.Position, buf []game.Move) []game.Move {
	const distance = 2
	board := plain(pos)
	var stones []game.Move
	for c := range board.Size() * board.Size() {
		if board.At(c) != gomoku.Empty {
			stones = append(stones, game.Move(c))
		}
	}
	return game.NearOnSquare(board.Size(), distance).Moves(board, stones, buf)
}

// Stones implements [Rules].
func (Lines) Stones(pos game.Position) []Stone {
	board := plain(pos)
	stones := make([]Stone, board.Size()*board.Size())
	for c := range stones {
		stones[c] = board.At(c)
	}
	return stones
}

// Forbidden returns the empty cells that the side to move may not play.
func (Lines) Forbidden(pos game.Position) []Forbidden {
	board := plain(pos)
	var list []Forbidden
	for _, m := range board.Forbidden(nil) {
		list = append(list, Forbidden{m, board.Bans(board.ToMove(), int(m)).Names()})
	}
	return list
}

// Searchable returns a copy of a position in the form on which solvers are fastest.
func (Lines) Searchable(pos game.Position) game.Position {
	if board, ok := pos.(*gomoku.Board); ok {
		return pattern.FromBoard(board)
	}
	return pos.Clone()
}

// patterns returns pos in the form that solvers search, itself if it has that form.
func patterns(pos game.Position) *pattern.Board {
	if board, ok := pos.(*pattern.Board); ok {
		return board
	}
	return pattern.FromBoard(pos.(*gomoku.Board))
}

// plain returns pos as the rules alone have it, itself if it has that form.
func plain(pos game.Position) *gomoku.Board {
	if board, ok := pos.(*pattern.Board); ok {
		return board.Board().Copy()
	}
	return pos.(*gomoku.Board)
}

// Threats returns the points of both sides, by [game.Side].
func (Lines) Threats(pos game.Position) (of [2]Threats) {
	board := patterns(pos)
	for _, side := range []game.Side{game.First, game.Second} {
		t := board.Threats(side)
		of[side] = Threats{Fives: t.Five.Append(nil), Fours: t.Four.Append(nil), OpenFours: t.OpenFour.Append(nil)}
	}
	return of
}

// Step implements [Rules].
func (Lines) Step(m game.Move) Step { return Step{From: -1, To: int(m)} }

// Display implements [Rules].
func (v Lines) Display(pos game.Position) Display {
	board := plain(pos)
	d := Display{Size: v.size, Pieces: make([]Piece, v.size*v.size)}
	for c, stone := range v.Stones(board) {
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

// Played implements [Rules].
func (Lines) Played(pos game.Position) ([]game.Move, bool) {
	board := plain(pos)
	history := board.History()
	return history, len(history) == board.Ply()
}

// gomokuTitles are how rule sets are called, where that is more than their name.
var gomokuTitles = map[string]string{
	"caro-overline": "Caro, overlines win", "caro-edge": "Caro, the edge blocks",
	"caro-edge-overline": "Caro, the edge blocks, overlines win", "school42": "42 School gomoku",
}

// About implements [Rules]: it reads the parameters of the rules alone.
func (v Lines) About() About {
	r := v.rules
	a := About{Title: gomokuTitles[r.Name], Captures: r.Captures, Forbidden: r.Renju}
	if a.Title == "" {
		a.Title = strings.ToUpper(r.Name[:1]) + r.Name[1:]
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
