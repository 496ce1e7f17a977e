package analysis

import (
	"context"
	"fmt"
	"slices"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
)

// Answer is what is said of one turn of a query. Rates, utilities and bounds are
// those of the side to move. Without results it has neither moveInfos nor rootInfo.
type Answer struct {
	ID             string `json:"id"`
	TurnNumber     int    `json:"turnNumber"`
	IsDuringSearch bool   `json:"isDuringSearch"` // false in the final one

	// NoResults: the turn was terminated before it was looked at, the game is over
	// there (see Outcome), or something failed (see Error; Code and Field are as in a
	// [Problem]).
	NoResults bool     `json:"noResults,omitempty"`
	Outcome   *Outcome `json:"outcome,omitempty"`
	Error     string   `json:"error,omitempty"`
	Code      Code     `json:"code,omitempty"`
	Field     string   `json:"field,omitempty"`

	// Shortened: the service ended the search before its own bounds, after as much
	// time as it gives to one, or to one while others wait.
	Shortened bool `json:"shortened,omitempty"`

	*Opinion
	Policy    any      `json:"policy,omitempty"`    // includePolicy: a list by cell, or an object by move
	AlphaBeta *Opinion `json:"alphabeta,omitempty"` // of the second engine, where both were asked
	Verdict   *Verdict `json:"verdict,omitempty"`   // on two engines that disagree
	Threats   *Threats `json:"threats,omitempty"`   // includeThreats
	Endgame   *Endgame `json:"endgame,omitempty"`   // of a position that solved endgames have
}

// Opinion is what one engine says of a position.
type Opinion struct {
	MoveInfos []MoveInfo `json:"moveInfos"` // best first
	RootInfo  RootInfo   `json:"rootInfo"`
}

// MoveInfo is what an engine says of a move. What only playouts have (visits and
// prior) is 0 for the classical search, what only that one has is left out for the
// tree search.
type MoveInfo struct {
	Move       string  `json:"move"`
	Order      int     `json:"order"`
	Visits     int     `json:"visits"`
	EdgeVisits int     `json:"edgeVisits"` // always Visits: the tree merges no positions
	Winrate    float32 `json:"winrate"`    // in 0..1, a draw counts as half a win
	// two standard errors below the rate for the side to move; may be outside 0..1
	LCB          float32  `json:"lcb"`
	Utility      float32  `json:"utility"` // in -1..1
	Prior        float32  `json:"prior"`
	PV           []string `json:"pv"`
	PVVisits     []int    `json:"pvVisits,omitempty"` // includePVVisits; 0 where only a proof knows the move
	PVEdgeVisits []int    `json:"pvEdgeVisits,omitempty"`
	Proven       *Proof   `json:"proven,omitempty"`
	Claim        *Proof   `json:"claim,omitempty"` // classical search: a mate score, which is no proof
	Score        *int     `json:"score,omitempty"` // classical search, for the side to move
	Depth        int      `json:"depth,omitempty"` // classical search: the iteration that judged it
}

// RootInfo is what an engine says of the position.
type RootInfo struct {
	Engine        EngineName `json:"engine"`
	Model         string     `json:"model,omitempty"` // of the tree search
	CurrentPlayer string     `json:"currentPlayer"`   // "B" or "W"
	ThisHash      string     `json:"thisHash"`
	Visits        int        `json:"visits"`
	Winrate       float32    `json:"winrate"`
	LCB           float32    `json:"lcb"`
	Utility       float32    `json:"utility"`
	RawWinrate    *float32   `json:"rawWinrate,omitempty"` // of the network without a search
	Proven        *Proof     `json:"proven,omitempty"`
	Claim         *Proof     `json:"claim,omitempty"`
	Choice        string     `json:"choice,omitempty"` // level: the move that it plays
	Book          bool       `json:"book,omitempty"`   // the move comes from the book, and nothing was searched
	Nodes         int64      `json:"nodes"`            // playouts, or moves that the classical search played
	Evals         int        `json:"evals"`            // positions given to a network
	Depth         int        `json:"depth"`
	SelDepth      int        `json:"selDepth"`
	MemoryFull    bool       `json:"memoryFull,omitempty"` // the tree could not grow any more
}

// Proof is an end of the game that is known.
type Proof struct {
	Result string   `json:"result"`         // win, loss or draw, for the side to move in the turn's position
	Winner string   `json:"winner"`         // "B", "W" or "none"
	Plies  int      `json:"plies"`          // from the turn's position to the end of the game, by the proof that was found
	Line   []string `json:"line,omitempty"` // to the end of the game, if one is known
}

// Outcome is how a game ended.
type Outcome struct {
	Winner string `json:"winner"` // "B", "W" or "none"
	Reason string `json:"reason"`
}

// Verdict is what comes of a disagreement of the engines; see package crosscheck.
type Verdict struct {
	Verdict           string    `json:"verdict"` // differ, unproven, mcts_blunder or alphabeta_blunder
	MCTSMove          string    `json:"mctsMove"`
	AlphaBetaMove     string    `json:"alphabetaMove"`
	MCTSBlunder       string    `json:"mctsBlunder,omitempty"` // loses or misses_win
	AlphaBetaBlunder  string    `json:"alphabetaBlunder,omitempty"`
	MCTSUnproven      string    `json:"mctsUnproven,omitempty"` // the same of what is not shown to be a blunder
	AlphaBetaUnproven string    `json:"alphabetaUnproven,omitempty"`
	Proof             *Replayed `json:"proof,omitempty"`          // of a blunder
	AlphaBetaProof    *Replayed `json:"alphabetaProof,omitempty"` // of alpha-beta's beside that of the tree search
}

// Replayed is a win that was replayed against every legal defence.
type Replayed struct {
	By    string   `json:"by"`
	Plies int      `json:"plies"`
	Line  []string `json:"line"` // from the turn's position

	// Certificate is the file of a certificate of the win, from the turn's position or
	// after the move that loses.
	Certificate []byte `json:"certificate,omitempty"`
}

// Threats are the points of a position that threaten or may not be played.
type Threats struct {
	Forbidden []Forbidden `json:"forbidden"` // to the side to move
	Fives     BySide      `json:"fives"`
	Fours     BySide      `json:"fours"`
	OpenFours BySide      `json:"openFours"`
}

// Forbidden is a point that the side to move may not play.
type Forbidden struct {
	Point string   `json:"point"`
	Kinds []string `json:"kinds"` // the gravest first
}

// BySide holds points of either side.
type BySide struct {
	Black []string `json:"B"`
	White []string `json:"W"`
}

// Problem is an error, which has a code, or a warning, which has none. Field and ID are
// left out where no field is at fault or the id cannot be read.
type Problem struct {
	Error   string  `json:"error,omitempty"`
	Code    Code    `json:"code,omitempty"`
	Warning string  `json:"warning,omitempty"`
	Field   string  `json:"field,omitempty"` // its path in the message, as in moves[3]
	ID      *string `json:"id,omitempty"`
}

// Model is an entry in the answer to query_models.
type Model struct {
	Name               string `json:"name"`
	InternalName       string `json:"internalName"`
	SHA256             string `json:"sha256,omitempty"`
	MaxBatchSize       int    `json:"maxBatchSize"`
	UsesHumanSLProfile bool   `json:"usesHumanSLProfile"` // never
	Version            int    `json:"version"`
	UsingFP16          string `json:"usingFP16"`
}

// view says how answers about one position are shown.
type view struct {
	query *Query
	pos   game.Position
	lines *proofLines // of proofs; nil: none are wanted
}

func (q *Query) newView(pos game.Position, lines *proofLines) *view {
	return &view{query: q, pos: pos, lines: lines}
}

// rates are a value and a bound below it as they are shown.
type rates struct{ winrate, lcb, utility float32 }

// boundErrors is how many standard errors a lower confidence bound lies below the
// mean: as many as the tree search chooses by.
const boundErrors = 2

// ratesOf returns how a value for the side to move and its standard error are shown.
func ratesOf(value, standardError float32) rates {
	value = finite(value)
	low := value - float32(boundErrors*finite(standardError))
	return rates{winrate: (value + 1) / 2, lcb: (low + 1) / 2, utility: value}
}

// opinion shows what an engine answers.
func (v *view) opinion(name EngineName, net *networks.Net, a *engine.Answer) *Opinion {
	o := &Opinion{MoveInfos: []MoveInfo{}, RootInfo: v.root(name, net, a)}
	for i := range a.Moves {
		m := &a.Moves[i]
		if !m.Judged() && m.Move != a.Move {
			continue
		}
		info := v.move(name, a, m)
		info.Order = len(o.MoveInfos)
		o.MoveInfos = append(o.MoveInfos, info)
	}
	return o
}

// root shows what an engine says of the position.
func (v *view) root(name EngineName, net *networks.Net, a *engine.Answer) RootInfo {
	r := ratesOf(a.RootValue, a.Error)
	info := RootInfo{
		Engine: name, CurrentPlayer: PlayerOf(v.pos.ToMove()), ThisHash: fmt.Sprintf("%016X", v.pos.Hash()),
		Visits: a.Stats.Visits, Winrate: r.winrate, LCB: r.lcb, Utility: r.utility,
		Nodes: a.Stats.Nodes, Evals: a.Stats.Evals, Depth: a.Stats.Depth, SelDepth: a.Stats.SelDepth,
		MemoryFull: a.Stats.Full,
	}
	info.Book = a.Book != ""
	if name != AlphaBeta {
		info.Model = net.Name
	}
	if name != AlphaBeta && !info.Book {
		raw := ratesOf(a.NetValue, 0).winrate
		info.RawWinrate = &raw
	}
	info.Proven, info.Claim = v.proofs(a.Proof, a.Line)
	return info
}

// move shows what an engine says of a move.
func (v *view) move(name EngineName, a *engine.Answer, m *engine.Opinion) MoveInfo {
	line := m.Line
	switch {
	case len(line) > 0:
	case m.Move == a.Move:
		line = a.Line
	default:
		line = []game.Move{m.Move}
	}
	r := ratesOf(m.Value, m.Error)
	info := MoveInfo{
		Move: v.query.notation.FormatMove(m.Move), Visits: m.Visits, EdgeVisits: m.Visits,
		Winrate: r.winrate, LCB: r.lcb, Utility: r.utility, Prior: finite(m.Prior),
	}
	info.Proven, info.Claim = v.proofs(m.Proof, line)
	shown := line[:min(len(line), 1+v.query.PVLength)]
	info.PV = v.texts(shown)
	if v.query.PVVisits && name != AlphaBeta {
		info.PVVisits = make([]int, len(shown))
		copy(info.PVVisits, m.LineVisits)
		info.PVEdgeVisits = info.PVVisits
	}
	if name == AlphaBeta {
		score := m.Score
		info.Score, info.Depth = &score, m.Depth
	}
	return info
}

// proofs shows an end that is known, as proven or claimed. line is what is expected
// to lead there.
func (v *view) proofs(p game.Proof, line []game.Move) (proven, claim *Proof) {
	if p.Result == game.Unproven {
		return nil, nil
	}
	shown := NewProof(v.pos.ToMove(), p.Result, p.Plies)
	if p.Claimed {
		return nil, shown
	}
	if v.lines != nil {
		shown.Line = v.texts(v.lines.toTheEnd(v.pos, p, line))
	}
	return shown, nil
}

// NewProof returns a known end for the side to move, without a line.
func NewProof(side game.Side, r game.Result, plies int) *Proof {
	return &Proof{Result: r.String(), Winner: winnerOf(r.Winner(side)), Plies: plies}
}

// texts returns moves as they are written.
func (v *view) texts(moves []game.Move) []string {
	if moves == nil {
		return nil
	}
	return game.Texts(v.query.notation, moves)
}

// policy returns what the network makes of the moves before any search: a number
// for each cell, row by row from the top, and one for passing, -1 for what cannot
// be played; of games whose moves are no cells, an object with a number for each
// move.
func (v *view) policy(a *engine.Answer) any {
	columns := v.query.Variant.Columns()
	if columns == 0 {
		of := map[string]float32{}
		for _, m := range a.Moves {
			of[v.query.notation.FormatMove(m.Move)] = finite(m.Prior)
		}
		return of
	}
	list := make([]float32, columns*columns+1)
	for i := range list {
		list[i] = -1
	}
	for _, m := range a.Moves {
		x, y := int(m.Move)%columns, int(m.Move)/columns
		list[(columns-1-y)*columns+x] = finite(m.Prior)
	}
	return list
}

// outcome shows how a game that is over ended.
func outcome(pos game.Position) *Outcome {
	return &Outcome{Winner: winnerOf(pos.Outcome()), Reason: string(pos.Reason())}
}

// threats shows the points that threaten and those that are forbidden.
func (v *view) threats() *Threats {
	q := v.query
	t := &Threats{Forbidden: []Forbidden{}}
	for _, f := range q.Variant.Lines().Forbidden(v.pos) {
		t.Forbidden = append(t.Forbidden, Forbidden{Point: q.notation.FormatMove(f.Move), Kinds: f.Reasons})
	}
	of := q.Variant.Lines().Threats(v.pos)
	both := func(points func(games.Threats) []game.Move) BySide {
		list := func(side game.Side) []string { return append([]string{}, v.texts(points(of[side]))...) }
		return BySide{Black: list(game.First), White: list(game.Second)}
	}
	t.Fives = both(func(t games.Threats) []game.Move { return t.Fives })
	t.Fours = both(func(t games.Threats) []game.Move { return t.Fours })
	t.OpenFours = both(func(t games.Threats) []game.Move { return t.OpenFours })
	return t
}

// proofLines finds lines to the end of a game that is proven. It belongs to one
// goroutine and one answer.
type proofLines struct {
	ctx    context.Context
	prover *games.Prover // nil: the game has none
	calls  int           // of the prover, that are left
}

// Bounds of proofLines. Every move of a list may be proven: the lines of the first
// have to do.
const (
	lineNodes = 10_000 // moves that the prover plays a call
	lineAsked = 500    // answers that its replay may take
	lineCalls = 3
)

// toTheEnd returns a line from pos to the end of the game that p names, nil if none
// is found. It follows line as far as that goes; from there the winner plays what
// the prover sees, and the loser what does not lose at once. pos is the same
// afterwards.
func (l *proofLines) toTheEnd(pos game.Position, p game.Proof, line []game.Move) []game.Move {
	want := p.Result.Winner(pos.ToMove())
	var whole []game.Move
	defer func() {
		for range whole {
			pos.Undo()
		}
	}()
	for pos.Outcome() == game.Undecided {
		next := l.next(pos, want, line[min(len(whole), len(line)):])
		if len(next) == 0 {
			return nil
		}
		for _, m := range next {
			if pos.Outcome() != game.Undecided || !pos.Legal(m) {
				return nil
			}
			pos.Play(m)
			whole = append(whole, m)
		}
	}
	if pos.Outcome() != want {
		return nil
	}
	return whole
}

// next returns the next move or moves of a line on the way to an end, of which rest
// are those that are known.
func (l *proofLines) next(pos game.Position, want game.Outcome, rest []game.Move) []game.Move {
	switch {
	case len(rest) > 1 || want == game.Draw:
		return rest[:min(1, len(rest))]
	case want == game.WinFor(pos.ToMove()):
		if win := l.win(pos); win != nil && (len(rest) == 0 || win[0] == rest[0]) {
			return win
		}
		return rest
	case len(rest) == 1:
		return rest
	}
	return stubborn(pos)
}

// stubborn returns a reply after which the other side cannot win at once, if there
// is one.
func stubborn(pos game.Position) []game.Move {
	moves := pos.Moves(nil)
	for i, m := range moves {
		pos.Play(m)
		lost := pos.Outcome() == game.WinFor(pos.ToMove()) || pos.Outcome() == game.Undecided && len(pos.Wins(nil)) > 0
		pos.Undo()
		if !lost {
			return moves[i : i+1]
		}
	}
	return moves[:min(1, len(moves))]
}

// win returns a forced win of the side to move.
func (l *proofLines) win(pos game.Position) []game.Move {
	if wins := pos.Wins(nil); len(wins) > 0 {
		return wins[:1]
	}
	if l.prover == nil || l.calls == 0 {
		return nil
	}
	l.calls--
	w, ok := l.prover.Find(l.ctx, pos, vcf.ProofLimits{Nodes: lineNodes, Asked: lineAsked}, vcf.VCF, vcf.VCT)
	if !ok {
		return nil
	}
	return w.Line
}

// Endgame is what solved endgames say of a position that they have: how it ends if both
// sides play as well as they can, and how after each move.
type Endgame struct {
	Proof
	Moves []EndgameMove `json:"moves"` // all legal ones, the best first
}

// EndgameMove is what a move comes to, for the side that plays it.
type EndgameMove struct {
	Move   string `json:"move"`
	Result string `json:"result"` // win, loss or draw
	Plies  int    `json:"plies"`  // to the end of the game, this one included; 0 for a draw
}

// endgame returns what endgames say of a position, nil if they do not have it. nil
// endgames have none.
func endgame(of games.Endgames, pos game.Position, n game.Notation) *Endgame {
	if of == nil || pos.Outcome() != game.Undecided || of.Covers(pos) != nil {
		return nil
	}
	result, plies := of.Probe(pos)
	if result == game.Unproven {
		return nil // it could not be read
	}
	e := &Endgame{Proof: *NewProof(pos.ToMove(), result, plies)}
	e.Line = game.Texts(n, games.BestLine(of, pos))
	ranks := map[string]int{}
	for _, m := range pos.Moves(nil) {
		result, plies := games.After(of, pos, m)
		move := EndgameMove{Move: n.FormatMove(m), Result: result.String(), Plies: plies}
		e.Moves = append(e.Moves, move)
		ranks[move.Move] = games.EndgameRank(result, plies)
	}
	slices.SortStableFunc(e.Moves, func(a, b EndgameMove) int { return ranks[b.Move] - ranks[a.Move] })
	return e
}
