package analysis

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/nn"
)

// actions are what a line with a field "action" can ask for: each is answered by its own
// fields, with what do adds, or what a job adds that do puts into the queue.
var actions = []struct {
	name  string
	ofAll bool // it is about no game
	do    func(a *action)
}{
	{"query_version", true, (*action).version},
	{"query_models", true, (*action).models},
	{"clear_cache", true, (*action).clearCache},
	{"query_position", false, (*action).position},
	{"query_book", false, (*action).book},
	{"query_certificate", false, (*action).certificate},
	{"query_opening", false, (*action).opening},
	{"query_swap2", false, (*action).swap2},
	{"terminate", true, (*action).terminate},
	{"terminate_all", true, (*action).terminate},
}

// action is a line that asks for an action.
type action struct {
	*fields
	actionFields
	Game
	client *Client
	opts   *Options
	id     string
	size   int // bytes of the line
	later  bool
}

// actionFields are the fields of actions beside those of their game.
type actionFields struct {
	Action   string `json:"action"`
	Priority int64  `json:"priority"`

	TurnNumber int     `json:"turnNumber"`
	Inputs     bool    `json:"includeInputs"`
	MaxNodes   int     `json:"maxNodes"`
	Winner     *player `json:"winner"`

	Count     int     `json:"count"` // of openings
	Plies     []int   `json:"plies"` // of an opening, least and most
	Tolerance float64 `json:"tolerance"`
	Seed      int64   `json:"seed"`

	TerminateID string `json:"terminateId"`
	TurnNumbers []int  `json:"turnNumbers"`
}

// Bounds and defaults of query_opening. So the search of one balance plays as many
// moves as that of a match's opening, and of all of them at most some ten million.
const (
	mostOpenings     = 64
	mostOpeningPlies = 16
	openingTries     = 20
	usualTolerance   = 0.3
)

// act does an action of a line of so many bytes and echoes it.
func (c *Client) act(id string, of map[string]json.RawMessage, size int) {
	a := &action{fields: &fields{of: of, wrong: &Problem{}}, client: c, opts: &c.service.opts, id: id, size: size}
	a.value("action", of["action"], &a.Action, [2]int64{})
	var names []string
	for _, known := range actions {
		names = append(names, known.name)
	}
	i := slices.Index(names, a.Action)
	if i < 0 {
		a.fail("action", "unknown action %s: want one of %s", Shown(a.Action), strings.Join(names, ", "))
	} else if !actions[i].ofAll {
		a.Game = a.game(a.opts, false)
	}
	turns, nodes := len(a.Moves), int64(a.opts.Limits.Nodes)
	a.actionFields = actionFields{
		Action: a.Action, TurnNumber: turns, Count: 1, Plies: []int{2, 6}, Tolerance: usualTolerance,
		Seed: int64(a.opts.Seed), MaxNodes: a.opts.MaxNodes,
	}
	if a.Action == "query_certificate" {
		a.MaxNodes = int(min(games.CertifyNodes, nodes))
	}
	a.read(&a.actionFields, bounds{
		"priority": priority, "turnNumber": {0, int64(turns)}, "turnNumbers": {-1 << 31, 1 << 31}, "seed": {0, mostSeed},
		"maxNodes": {option.Nodes.Min, nodes}, "count": {1, mostOpenings}, "plies": {0, mostOpeningPlies},
		"tolerance": {0, 1},
	})
	if !a.failed() {
		actions[i].do(a)
	}
	switch {
	case a.failed():
		a.wrong.ID = &id
		c.send(a.wrong, false)
	case !a.later:
		c.send(of, false)
	}
}

// add adds a field to the answer.
func (a *action) add(name string, value any) { a.of[name] = encoded(value) }

// encoded returns the JSON of something that has one.
func encoded(v any) json.RawMessage {
	text, err := json.Marshal(v)
	if err != nil {
		panic(fmt.Sprintf("analysis: %v has no JSON form: %v", v, err)) // strings and lists of numbers have
	}
	return text
}

// enqueue puts the job of an action into the queue.
func (a *action) enqueue(do func(ctx context.Context, w *worker) (map[string]any, error)) {
	q := &Query{ID: a.id, Game: a.Game, Turns: []int{len(a.Moves)}, bytes: a.size + queryBytes}
	q.Priority, q.job = a.Priority, &job{echo: a.of, do: do}
	a.later = true
	if err := a.client.service.accept(a.client, q); err != nil {
		a.failAs(Busy, "", "%v", err)
	}
}

// version adds the version of the program.
func (a *action) version() {
	a.add("version", a.opts.Version)
	a.add("git_hash", a.opts.Commit)
}

// models adds the networks that were opened so far, the one for the usual
// rules among them if it can be opened; a query that needs it is told why not.
func (a *action) models() {
	nets := a.client.service.nets
	if v, err := games.NewVariant(a.opts.Variant); err == nil {
		_, _ = nets.Net(v)
	}
	list := []Model{}
	for _, n := range nets.Opened() {
		list = append(list, Model{
			Name: n.Name, InternalName: n.Name, SHA256: n.SHA256,
			MaxBatchSize: nn.DefaultMaxBatch, Version: 1, UsingFP16: "false",
		})
	}
	a.add("models", list)
}

// clearCache forgets results of networks.
func (a *action) clearCache() {
	if cache := a.client.service.cache; cache != nil {
		cache.Clear()
	}
}

// terminate ends the turns of the queries whose id is terminateId, or of all queries, or of
// them the turnNumbers. What nobody has begun is answered without results before the echo,
// what is under way soon after with what is known.
func (a *action) terminate() {
	all := a.Action == "terminate_all"
	if !all && !a.has("terminateId") {
		a.fail("terminateId", "want the id of the queries to end, a string")
		return
	}
	a.client.terminate(func(t *task) bool {
		return (all || t.query.ID == a.TerminateID) && (!a.has("turnNumbers") || slices.Contains(a.TurnNumbers, t.turn))
	})
}

// position adds what there is to see at a turn of a game.
func (a *action) position() {
	p, pos := a.describe(a.TurnNumber)
	p.Endgame = endgame(a.opts.Tree.Endgames, pos, a.notation)
	if a.Inputs {
		enc, err := a.Variant.Encoder("")
		if err != nil {
			a.failAs(Failed, "includeInputs", "%v", err)
			return
		}
		p.Inputs = inputsOf(enc, pos, a.notation)
	}
	a.add("position", p)
}

// book adds what the book says of a turn and of the moves there.
func (a *action) book() {
	if a.opts.Book == nil {
		a.failAs(Failed, "action", "no book is open: start the program with --book FILE")
		return
	}
	v, err := a.opts.Book.Look(a.At(a.TurnNumber), a.notation)
	if err != nil {
		a.failAs(Failed, "", "%v", err)
		return
	}
	a.add("book", v)
}

// Certificate is what query_certificate adds: a proof that a side wins from a turn's
// position, which anybody can check who knows the rules.
type Certificate struct {
	Winner string `json:"winner"` // "B" or "W"
	Plies  int    `json:"plies"`  // to the end of the game at most
	Nodes  int    `json:"nodes"`  // moves of the winner
	SHA256 string `json:"sha256"`
	File   []byte `json:"file"` // as "certificate check" reads it
}

// certificate adds the certificate of a won or lost turn of a game: without a winner the side
// to move is tried first.
func (a *action) certificate() {
	pos := a.At(a.TurnNumber)
	winners := []game.Side{pos.ToMove(), pos.ToMove().Other()}
	if a.Winner != nil {
		winners = []game.Side{game.Side(*a.Winner)}
	}
	switch {
	case pos.Outcome() != game.Undecided:
		a.fail("turnNumber", "the game is over there: nothing is left to prove")
		return
	case a.Variant.Lines() == nil:
		a.fail("game", "there are no certificates of %s", a.Variant.Game)
		return
	}
	a.enqueue(func(ctx context.Context, _ *worker) (map[string]any, error) {
		for _, winner := range winners {
			data, err := a.Variant.WinCertificate(ctx, pos.Clone(), winner, a.MaxNodes)
			switch {
			case ctx.Err() != nil:
				return nil, nil
			case errors.Is(err, games.ErrUncertified):
				continue
			case err != nil:
				return nil, err
			}
			facts, err := games.CheckCertificate(ctx, data)
			if err != nil {
				return nil, err
			}
			return map[string]any{"certificate": Certificate{
				Winner: PlayerOf(winner), Plies: facts.Plies, Nodes: facts.Nodes,
				SHA256: hex.EncodeToString(facts.Digest), File: data,
			}}, nil
		}
		return nil, fmt.Errorf("no certificate was found within %d moves; more maxNodes may find one", a.MaxNodes)
	})
}

// Opening is one of the answers to query_opening.
type Opening struct {
	Moves []string `json:"moves"`
	Value float32  `json:"value"` // of the position after them, in -1..1
}

// opening adds random moves from the end of a game after which it is about even, found as
// those of matches are.
func (a *action) opening() {
	if len(a.Plies) != 2 || a.Plies[0] > a.Plies[1] {
		a.fail("plies", "want the least and the most moves of an opening, as in [2,6]")
	} else if a.At(len(a.Moves)).Outcome() != game.Undecided {
		a.fail("moves", "the game is over: no opening goes on from there")
	} else {
		a.enqueue(a.openings)
	}
}

// openings finds the openings, each once, as far as there are so many. When ctx ends it
// returns those that it has.
func (a *action) openings(ctx context.Context, _ *worker) (map[string]any, error) {
	balance, err := players.ClassicalBalance(a.Variant)
	if err != nil {
		return nil, err
	}
	start := a.At(len(a.Moves))
	list := []Opening{}
	var last error
	seen := map[string]bool{}
	for try := 0; len(list) < a.Count && try < 4*a.Count && ctx.Err() == nil; try++ {
		rng := rand.New(rand.NewPCG(uint64(a.Seed), uint64(try)))
		random := arena.RandomOpenings{
			Start: start, Plies: a.Plies[0] + rng.IntN(a.Plies[1]-a.Plies[0]+1), Seed: uint64(a.Seed),
			Balance: balance, Tolerance: max(a.Tolerance, 1e-9), Tries: openingTries, Candidates: a.Variant.Candidates(),
		}
		moves, err := random.Opening(ctx, try)
		if err != nil {
			last = err
			continue
		}
		pos := start.Clone()
		for _, m := range moves {
			pos.Play(m)
		}
		value, err := balance(ctx, pos)
		if ctx.Err() != nil {
			break
		}
		if err != nil {
			return nil, err
		}
		opening := Opening{Moves: game.Texts(a.notation, moves), Value: float32(value)}
		if key := fmt.Sprint(opening.Moves); !seen[key] {
			seen[key] = true
			list = append(list, opening)
		}
	}
	switch {
	case len(list) > 0:
	case ctx.Err() != nil:
		return nil, nil
	case last != nil:
		return nil, fmt.Errorf("no opening of %d to %d moves leaves the game open: want fewer moves", a.Plies[0], a.Plies[1])
	}
	return map[string]any{"openings": list}, nil
}

// swap2 adds the engine's part in the opening rule swap2: three stones, or after three or five
// which colour it takes.
func (a *action) swap2() {
	n := len(a.Moves)
	switch {
	case a.Variant.Columns() == 0:
		a.fail("game", "there is no swap2 in %s", a.Variant.Game)
	case a.Start.Ply() > 0 || a.Start.ToMove() != game.First || n != 0 && n != 3 && n != 5 ||
		a.At(n).Outcome() != game.Undecided:
		a.fail("moves", "%d stones: want none, 3 or 5 from the empty board, Black's first, and no five", n)
	case n == 0:
		a.enqueue(a.offer)
	default:
		a.enqueue(a.takeColour)
	}
}

// judge has the classical search think about a position.
func (a *action) judge(ctx context.Context, w *worker, pos game.Position, nodes int) (*engine.Answer, error) {
	c, err := w.forClassical(&Query{Game: a.Game, classical: a.opts.Classical})
	if err != nil {
		return nil, err
	}
	return c.Think(ctx, pos, engine.Limits{Nodes: int64(nodes)})
}

// offer returns the three stones of the opening that is the most even, with what it
// is worth.
func (a *action) offer(ctx context.Context, w *worker) (map[string]any, error) {
	said, least := map[string]any{}, float32(2)
	for _, o := range gomoku.Offers {
		pos := a.Start.Clone()
		cells, legal := o.On(a.Variant.Columns())
		for _, m := range cells {
			if legal = legal && pos.Outcome() == game.Undecided && pos.Legal(m); legal {
				pos.Play(m)
			}
		}
		if !legal || pos.Outcome() != game.Undecided {
			continue
		}
		found, err := a.judge(ctx, w, pos, max(1, a.MaxNodes/len(gomoku.Offers)))
		if err != nil || ctx.Err() != nil {
			return nil, err
		}
		if v := max(found.Value, -found.Value); v < least {
			least = v
			said["moves"], said["winrate"] = game.Texts(a.notation, cells[:]), newRates(found.Value, 0).Winrate
		}
	}
	return said, nil
}

// takeColour returns the colour that the engine takes, White being to move, and White's
// move if it takes that.
func (a *action) takeColour(ctx context.Context, w *worker) (map[string]any, error) {
	found, err := a.judge(ctx, w, a.At(len(a.Moves)), a.MaxNodes)
	if err != nil || ctx.Err() != nil {
		return nil, err
	}
	said := map[string]any{"choice": "black", "winrate": newRates(found.Value, 0).Winrate}
	if found.Value >= 0 {
		said["choice"], said["move"] = "white", a.notation.FormatMove(found.Move)
	}
	return said, nil
}
