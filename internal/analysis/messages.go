package analysis

import (
	_ "embed"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/crosscheck"
)

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of the messages: its definition "line" is what a
// peer sends, "message" what it gets.
func Schema() []byte { return schema }

// Code says of which kind an error is, for programs: its text is for people and may
// change. What HTTP refuses has the same codes.
type Code string

// The codes.
const (
	Malformed Code = "malformed" // no JSON object, or no game in a format that is known
	Invalid   Code = "invalid"   // a field is missing or wrong
	Illegal   Code = "illegal"   // a position or a move that the rules forbid
	TooBig    Code = "too_big"   // more bytes, moves or games than are taken
	Busy      Code = "busy"      // so much is under way that there is no room: ask again later
	Failed    Code = "failed"    // what was asked is right, and could not be done
	Internal  Code = "internal"  // a mistake in the program

	// Of HTTP alone.
	NoToken     Code = "token"      // the token is missing or wrong
	NotAllowed  Code = "forbidden"  // a name that the server does not have, or another site's page
	NotFound    Code = "not_found"  // there is nothing at that path
	WrongMethod Code = "method"     // the path wants another method
	WrongType   Code = "media_type" // the path wants another Content-Type
	NoUpgrade   Code = "upgrade"    // the path wants a WebSocket
	Changed     Code = "changed"    // somebody else has changed the same meanwhile
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
	Move       string `json:"move"`
	Order      int    `json:"order"`
	Visits     int    `json:"visits"`
	EdgeVisits int    `json:"edgeVisits"` // always Visits: the tree merges no positions
	Rates
	Prior        float32  `json:"prior"`
	PV           []string `json:"pv"`
	PVVisits     []int    `json:"pvVisits,omitempty"` // includePVVisits; 0 where only a proof knows the move
	PVEdgeVisits []int    `json:"pvEdgeVisits,omitempty"`
	Proven       *Proof   `json:"proven,omitempty"`
	Claim        *Proof   `json:"claim,omitempty"` // classical search: a mate score, which is no proof
	Score        *int     `json:"score,omitempty"` // classical search, for the side to move
	Depth        int      `json:"depth,omitempty"` // classical search: the iteration that judged it
}

// Rates are a value for the side to move.
type Rates struct {
	Winrate float32 `json:"winrate"` // in 0..1, a draw counts as half a win
	LCB     float32 `json:"lcb"`     // two standard errors below it; may be outside 0..1
	Utility float32 `json:"utility"` // in -1..1
}

// boundErrors is how many standard errors a lower confidence bound lies below the
// mean: as many as the tree search chooses by.
const boundErrors = 2

func newRates(value, standardError float32) Rates {
	low := value - boundErrors*standardError
	return Rates{Winrate: (value + 1) / 2, LCB: (low + 1) / 2, Utility: value}
}

// RootInfo is what an engine says of the position.
type RootInfo struct {
	Engine        EngineName `json:"engine"`
	Model         string     `json:"model,omitempty"` // of the tree search
	CurrentPlayer string     `json:"currentPlayer"`   // "B" or "W"
	ThisHash      string     `json:"thisHash"`
	Visits        int        `json:"visits"`
	Rates
	RawWinrate *float32 `json:"rawWinrate,omitempty"` // of the network without a search
	Proven     *Proof   `json:"proven,omitempty"`
	Claim      *Proof   `json:"claim,omitempty"`
	Choice     string   `json:"choice,omitempty"` // level: the move that it plays
	Book       bool     `json:"book,omitempty"`   // the move comes from the book, and nothing was searched
	Nodes      int64    `json:"nodes"`            // playouts, or moves that the classical search played
	Evals      int      `json:"evals"`            // positions given to a network
	Depth      int      `json:"depth"`
	SelDepth   int      `json:"selDepth"`
	MemoryFull bool     `json:"memoryFull,omitempty"` // the tree could not grow any more
}

// Proof is an end of the game that is known.
type Proof struct {
	Result string   `json:"result"`         // win, loss or draw, for the side to move in the turn's position
	Winner string   `json:"winner"`         // "B", "W" or "none"
	Plies  int      `json:"plies"`          // from the turn's position to the end of the game, by the proof that was found
	Line   []string `json:"line,omitempty"` // to the end of the game, if one is known
}

// NewProof returns a known end for the side to move, without a line.
func NewProof(side game.Side, r game.Result, plies int) *Proof {
	return &Proof{Result: r.String(), Winner: winnerOf(r.Winner(side)), Plies: plies}
}

// Outcome is how a game ended.
type Outcome struct {
	Winner string `json:"winner"` // "B", "W" or "none"
	Reason string `json:"reason"`
}

// outcome returns how a game that is over ended.
func outcome(pos game.Position) *Outcome {
	return &Outcome{Winner: winnerOf(pos.Outcome()), Reason: string(pos.Reason())}
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

// NewVerdict returns the verdict of a row of a cross-check.
func NewVerdict(row *crosscheck.Row) *Verdict {
	replayed := func(p *crosscheck.ProofView) *Replayed {
		if p == nil {
			return nil
		}
		return &Replayed{By: p.By, Plies: p.Plies, Line: p.Line, Certificate: p.Certificate}
	}
	return &Verdict{
		Verdict: string(row.Verdict), MCTSMove: row.MCTS.Move, AlphaBetaMove: row.AlphaBeta.Move,
		MCTSBlunder: row.MCTSBlunder, AlphaBetaBlunder: row.AlphaBetaBlunder,
		MCTSUnproven: row.MCTSUnproven, AlphaBetaUnproven: row.AlphaBetaUnproven,
		Proof: replayed(row.Proof), AlphaBetaProof: replayed(row.AlphaBetaProof),
	}
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
