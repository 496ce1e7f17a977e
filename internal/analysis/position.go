package analysis

import (
	"encoding/json"
	"fmt"
	"slices"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Position is what query_position tells: all that a board on a screen shows, so
// that whoever draws it need not know the rules.
type Position struct {
	TurnNumber    int    `json:"turnNumber"`
	Turns         int    `json:"turns"` // moves of the game
	CurrentPlayer string `json:"currentPlayer"`
	Ply           int    `json:"ply"`

	// Stones are pairs of player and point: those of turn 0 by point, then those
	// that moves have put, in their order. Numbers has for each the number of its
	// move, 0 at turn 0.
	Stones  [][2]string `json:"stones"`
	Numbers []int       `json:"numbers"`

	Captured  *[2]int     `json:"captured,omitempty"` // stones taken by Black and White, in games that have it
	LastMove  string      `json:"lastMove,omitempty"`
	Taken     []string    `json:"taken,omitempty"` // points whose stones the last move took
	Forbidden []Forbidden `json:"forbidden"`       // to the side to move

	// Legal lists the moves of games whose moves are no points. It is null where
	// every empty point that is not forbidden is legal.
	Legal []string `json:"legal"`

	Outcome *Outcome    `json:"outcome,omitempty"`
	Line    []string    `json:"line,omitempty"`   // the stones of the runs that have won
	Pieces  [][3]string `json:"pieces,omitempty"` // player, kind and square
	Cards   *Cards      `json:"cards,omitempty"`
	Text    string      `json:"text,omitempty"` // as initialPosition reads it; "" where no text leads to it
	Hash    string      `json:"hash"`

	Endgame *Endgame `json:"endgame,omitempty"` // of a position that solved endgames have
	Inputs  *Inputs  `json:"inputs,omitempty"`  // includeInputs
}

// Inputs are what a network reads of a position, as samples have it. At the end of the
// game there are no moves.
type Inputs struct {
	Version string    `json:"version"` // of the planes
	Shape   [3]int    `json:"shape"`   // planes, rows, columns
	Planes  []byte    `json:"planes"`  // [planes, bytes]: each plane's bits, most significant first
	Globals []float32 `json:"globals"`
	Policy  int       `json:"policy"`  // number of actions
	Moves   []string  `json:"moves"`   // the legal ones
	Actions []int     `json:"actions"` // of the moves, in the same order
}

// Cards are the cards of a game that has some.
type Cards struct {
	Black []string `json:"B"`
	White []string `json:"W"`
	Side  string   `json:"side"` // that nobody holds

	// Steps are what each card lets a piece do: columns to the right and rows
	// ahead, as its owner sees them.
	Steps map[string][][2]int `json:"steps"`
}

// queryPosition answers an action's question about a turn of a game.
func (c *Client) queryPosition(f *fields) {
	o := &c.service.opts
	q := &Query{}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	turn, inputs := len(q.Moves), false
	whole(f, "turnNumber", 0, int64(len(q.Moves)), &turn)
	if f.truth("includeInputs", &inputs); f.wrong != nil {
		return
	}
	p, pos := q.describe(turn)
	p.Endgame = endgame(o.Tree.Endgames, pos, q.notation)
	if inputs {
		enc, err := q.Variant.Encoder("")
		if err != nil {
			f.failAs(Failed, "includeInputs", "%v", err)
			return
		}
		p.Inputs = inputsOf(enc, pos, q.notation)
	}
	f.of["position"] = encoded(p)
}

// inputsOf returns what a network reads of a position.
func inputsOf(enc nn.Encoder, pos game.Position, n game.Notation) *Inputs {
	s := enc.Shape()
	planes := make([]float32, s.PlaneSize())
	in := &Inputs{
		Version: enc.Version(), Shape: [3]int{s.Planes, s.Height, s.Width}, Policy: s.Actions,
		Globals: make([]float32, s.Globals), Moves: []string{}, Actions: []int{},
	}
	enc.Encode(pos, 0, planes, in.Globals)
	in.Planes = samples.PackPlanes(nil, planes, s.Height*s.Width)
	if pos.Outcome() == game.Undecided {
		for _, m := range pos.Moves(nil) {
			in.Moves = append(in.Moves, n.FormatMove(m))
			in.Actions = append(in.Actions, enc.Action(pos, m, 0))
		}
	}
	return in
}

// describe returns what there is to see at a turn, and its position.
func (q *Query) describe(turn int) (*Position, game.Position) {
	v := q.Variant
	shown := replay{query: q, captures: v.About().Captures, pos: q.Start.Clone()}
	for cell, s := range v.Stones(q.Start) {
		if s != games.NoStone {
			shown.stones = append(shown.stones, laidStone{cell: game.Move(cell), side: sideOf(s)})
		}
	}
	for i, m := range q.Moves[:turn] {
		shown.play(m, i+1)
	}
	pos, n := shown.pos, q.notation
	p := &Position{
		TurnNumber: turn, Turns: len(q.Moves), CurrentPlayer: PlayerOf(pos.ToMove()), Ply: pos.Ply(),
		Stones: [][2]string{}, Numbers: []int{}, Forbidden: []Forbidden{}, Hash: fmt.Sprintf("%016X", pos.Hash()),
	}
	for _, s := range shown.stones {
		p.Stones = append(p.Stones, [2]string{PlayerOf(s.side), n.FormatMove(s.cell)})
		p.Numbers = append(p.Numbers, s.number)
	}
	p.Taken = game.Texts(n, shown.taken)
	if turn > 0 {
		p.LastMove = n.FormatMove(q.Moves[turn-1])
	}
	p.addRules(q, pos)
	p.Text = textOf(v, pos)
	p.addDisplay(q, v.Display(pos))
	return p, pos
}

// textOf returns a position as initialPosition reads it, "" where no text leads to it: the
// moves of a game that began without stones, but with another side to move or with captured
// ones, lead to another position.
func textOf(v games.Variant, pos game.Position) string {
	text := v.Text(pos)
	if read, err := v.Parse(text); err != nil || read.Hash() != pos.Hash() {
		return ""
	}
	return text
}

// addRules adds what the rules say.
func (p *Position) addRules(q *Query, pos game.Position) {
	v := q.Variant
	if pos.Outcome() != game.Undecided {
		p.Outcome, p.Legal = outcome(pos), []string{}
		return
	}
	if l := v.Lines(); l != nil {
		for _, f := range l.Forbidden(pos) {
			p.Forbidden = append(p.Forbidden, Forbidden{Point: q.notation.FormatMove(f.Move),
				Kinds: append([]string{}, f.Reasons...)})
		}
	}
	if moves := pos.Moves(nil); v.Columns() == 0 || len(moves)+len(p.Stones)+len(p.Forbidden) != v.Columns()*v.Columns() {
		p.Legal = game.Texts(q.notation, moves)
	}
}

// addDisplay adds what lies on the board and beside it.
func (p *Position) addDisplay(q *Query, d games.Display) {
	p.Captured = d.Captured
	cells := q.Variant.Columns() > 0
	for _, cell := range d.Win {
		if cells {
			p.Line = append(p.Line, q.notation.FormatMove(game.Move(cell)))
		}
	}
	for square, piece := range d.Pieces {
		if cells || piece.Stone == games.NoStone {
			continue
		}
		kind := "student"
		if piece.Master {
			kind = "master"
		}
		p.Pieces = append(p.Pieces, [3]string{PlayerOf(sideOf(piece.Stone)), kind, squareName(d.Size, square)})
	}
	if len(d.Hands) == 0 {
		return
	}
	p.Cards = &Cards{Steps: map[string][][2]int{}}
	for i, of := range []*[]string{&p.Cards.Black, &p.Cards.White, nil} {
		for _, card := range d.Hands[i] {
			p.Cards.Steps[card.Name] = card.Steps
			if of == nil {
				p.Cards.Side = card.Name
			} else {
				*of = append(*of, card.Name)
			}
		}
	}
}

// squareName returns a square as text: its column, a letter from a, and its row from
// the bottom, from 1.
func squareName(size, square int) string {
	return string(rune('a'+square%size)) + strconv.Itoa(square/size+1)
}

// replay follows a game and the stones on its board.
type replay struct {
	query    *Query
	captures bool // whether stones are taken in the game
	pos      game.Position
	stones   []laidStone
	taken    []game.Move // by the last move
}

// laidStone is a stone on the board and the number of the move that put it.
type laidStone struct {
	cell   game.Move
	side   game.Side
	number int
}

// play makes a move.
func (l *replay) play(m game.Move, number int) {
	v, side := l.query.Variant, l.pos.ToMove()
	l.pos.Play(m)
	l.taken = nil
	if v.Columns() == 0 {
		return
	}
	l.stones = append(l.stones, laidStone{m, side, number})
	if !l.captures {
		return
	}
	on := v.Stones(l.pos)
	l.stones = slices.DeleteFunc(l.stones, func(s laidStone) bool {
		gone := on[s.cell] == games.NoStone
		if gone {
			l.taken = append(l.taken, s.cell)
		}
		return gone
	})
}

// sideOf returns whose a stone is.
func sideOf(s games.Stone) game.Side {
	if s == games.FirstStone {
		return game.First
	}
	return game.Second
}

// Game is what the fields of a query say of a game.
type Game struct {
	Variant games.Variant
	Start   game.Position // of turn 0
	Moves   []game.Move   // legal
}

// ParseGame reads those fields of an object that say what a query's game is. With
// openRule it has the opening rule, which the object's own field openRule asks for.
func (s *Service) ParseGame(of map[string]json.RawMessage, openRule bool) (*Game, *Problem) {
	f := &fields{of: of}
	q := &Query{openRule: openRule}
	if q.readGame(f, &s.opts); f.wrong != nil {
		return nil, f.wrong
	}
	return &Game{Variant: q.Variant, Start: q.Start, Moves: q.Moves}, nil
}

// Action is what a line with a field "action" asks for.
type Action string

// The actions. Each is answered by its own fields, with some more.
const (
	QueryVersion Action = "query_version" // adds version and git_hash
	QueryModels  Action = "query_models"  // adds models: the networks that are open
	ClearCache   Action = "clear_cache"   // forgets results of networks

	QueryOpening  Action = "query_opening"  // adds openings: random moves after which the game is even
	QuerySwap2    Action = "query_swap2"    // adds moves or choice: the engine's part in the rule swap2
	QueryPosition Action = "query_position" // adds position: what there is to see at a turn of a game
	QueryBook     Action = "query_book"     // adds book: what the book says of a turn and of the moves there

	QueryCertificate Action = "query_certificate" // adds certificate: the proof that a side wins from a turn of a game

	// Terminate ends the turns of the queries whose id is terminateId, or of them
	// the turnNumbers; TerminateAll those of all queries. What nobody has begun is
	// answered without results before the echo, what is under way soon after with
	// what is known.
	Terminate    Action = "terminate"
	TerminateAll Action = "terminate_all"
)

// actions are all of them.
var actions = []Action{QueryVersion, QueryModels, ClearCache, QueryPosition, QueryBook, QueryCertificate, QueryOpening,
	QuerySwap2, Terminate, TerminateAll}

// act does an action of a line of so many bytes and echoes it.
func (c *Client) act(id string, of map[string]json.RawMessage, size int) {
	f := &fields{of: of}
	name := ""
	f.text("action", &name)
	if f.wrong == nil && !slices.Contains(actions, Action(name)) {
		var names []string
		for _, a := range actions {
			names = append(names, string(a))
		}
		f.fail("action", "unknown action %s: want one of %s", shown(name), strings.Join(names, ", "))
	}
	later := false
	if f.wrong == nil {
		later = c.do(id, Action(name), f, size)
	}
	if f.wrong != nil {
		f.wrong.ID = &id
		c.problem(f.wrong)
		return
	}
	if !later {
		c.send(of, false)
	}
}

// do does an action and adds to its fields, or puts it into the queue and returns
// true: its answer comes later then.
func (c *Client) do(id string, a Action, f *fields, size int) (later bool) {
	s := c.service
	switch a {
	case QueryOpening:
		c.queryOpening(id, f, size)
		return true
	case QuerySwap2:
		c.querySwap2(id, f, size)
		return true
	case QueryCertificate:
		c.queryCertificate(id, f, size)
		return true
	case QueryVersion:
		f.of["version"], f.of["git_hash"] = encoded(s.opts.Version), encoded(s.opts.Commit)
	case QueryModels:
		f.of["models"] = encoded(s.models())
	case ClearCache:
		if s.cache != nil {
			s.cache.Clear()
		}
	case QueryPosition:
		c.queryPosition(f)
	case QueryBook:
		c.queryBook(f)
	case Terminate, TerminateAll:
		c.end(a, f)
	}
	return false
}

// end does what terminate and terminate_all ask for.
func (c *Client) end(a Action, f *fields) {
	var id string
	if a == Terminate && !isText(f.of["terminateId"], &id) {
		f.fail("terminateId", "want the id of the queries to end, a string")
	}
	turns := f.wholes("turnNumbers", -1<<31, 1<<31)
	if f.wrong != nil {
		return
	}
	of := map[int]bool{}
	for _, n := range turns {
		of[int(n)] = true
	}
	some := f.has("turnNumbers")
	c.terminate(func(t *task) bool {
		return (a == TerminateAll || t.query.ID == id) && (!some || of[t.turn])
	})
}

// models describes the networks that were opened so far, the one for the usual
// rules among them if it can be opened; a query that needs it is told why not.
func (s *Service) models() []Model {
	o := &s.opts
	if v, err := games.NewVariant(o.Variant); err == nil {
		_, _ = s.nets.Net(v)
	}
	list := []Model{}
	for _, n := range s.nets.Opened() {
		list = append(list, Model{
			Name: n.Name, InternalName: n.Name, SHA256: n.SHA256,
			MaxBatchSize: nn.DefaultMaxBatch, Version: 1, UsingFP16: "false",
		})
	}
	return list
}

// encoded returns the JSON of something that has one.
func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analysis: %v has no JSON form: %v", v, err)) // strings and lists of numbers have
	}
	return text
}
