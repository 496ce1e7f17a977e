package analysis

// Answer is what is said of one turn of a query. Rates, utilities and bounds are
// seen from the query's [Perspective]. Without results it has neither moveInfos nor
// rootInfo.
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
	Move         string   `json:"move"`
	Order        int      `json:"order"`
	Visits       int      `json:"visits"`
	EdgeVisits   int      `json:"edgeVisits"` // always Visits: the tree merges no positions
	Winrate      float32  `json:"winrate"`    // in 0..1, a draw counts as half a win
	LCB          float32  `json:"lcb"`        // two standard errors below the rate for the side to move; may be outside 0..1
	Utility      float32  `json:"utility"`    // in -1..1
	Prior        float32  `json:"prior"`
	PV           []string `json:"pv"`
	PVVisits     []int    `json:"pvVisits,omitempty"` // includePVVisits; 0 where only a proof knows the move
	PVEdgeVisits []int    `json:"pvEdgeVisits,omitempty"`
	IsSymmetryOf string   `json:"isSymmetryOf,omitempty"` // all else is copied from that move
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
