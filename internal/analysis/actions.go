package analysis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/arena"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
)

// Openings are random moves after which the game is about even, found as those of
// matches are.

// Opening is one of the answers to query_opening.
type Opening struct {
	Moves []string `json:"moves"`
	Value float32  `json:"value"` // of the position after them, in -1..1
}

// openingQuery is what query_opening asks for.
type openingQuery struct {
	query     *Query
	seed      int64
	count     int
	plies     [2]int // least and most
	tolerance float64
}

// Bounds and defaults of query_opening. So the search of one balance plays as many
// moves as that of a match's opening, and of all of them at most some ten million.
const (
	mostOpenings     = 64
	mostOpeningPlies = 16
	openingTries     = 20
	usualTolerance   = 0.3
)

// queryOpening asks for balanced openings that go on from the end of a game.
func (c *Client) queryOpening(id string, f *fields, size int) {
	q := &Query{}
	if q.readGame(f, &c.service.opts); f.wrong != nil {
		return
	}
	o := openingQuery{query: q, seed: int64(c.service.opts.Seed), count: 1, plies: [2]int{2, 6}, tolerance: usualTolerance}
	whole(f, "seed", 0, mostSeed, &o.seed)
	whole(f, "count", 1, mostOpenings, &o.count)
	f.decimal("tolerance", "number", 0, 1, &o.tolerance)
	plies := f.wholes("plies", 0, mostOpeningPlies)
	switch {
	case !f.has("plies") || f.wrong != nil:
	case len(plies) != 2 || plies[0] > plies[1]:
		f.fail("plies", "want the least and the most moves of an opening, as in [2,6]")
	default:
		o.plies = [2]int{int(plies[0]), int(plies[1])}
	}
	if f.wrong == nil && q.At(len(q.Moves)).Outcome() != game.Undecided {
		f.fail("moves", "the game is over: no opening goes on from there")
	}
	if f.wrong == nil {
		c.enqueue(id, QueryOpening, f, q, size, o.find)
	}
}

// find finds the openings, each once, as far as there are so many. When ctx ends it
// returns those that it has.
func (o *openingQuery) find(ctx context.Context, _ *engines) (map[string]any, error) {
	q := o.query
	balance, err := players.ClassicalBalance(q.Variant)
	if err != nil {
		return nil, err
	}
	start := q.At(len(q.Moves))
	found := []Opening{}
	var last error
	seen := map[string]bool{}
	for try := 0; len(found) < o.count && try < 4*o.count && ctx.Err() == nil; try++ {
		rng := rand.New(rand.NewPCG(uint64(o.seed), uint64(try)))
		random := arena.RandomOpenings{
			Start: start, Plies: o.plies[0] + rng.IntN(o.plies[1]-o.plies[0]+1), Seed: uint64(o.seed),
			Balance: balance, Tolerance: max(o.tolerance, 1e-9), Tries: openingTries, Candidates: q.Variant.Candidates(),
		}
		moves, err := random.Opening(ctx, try)
		if err != nil {
			last = err
			continue
		}
		opening, err := o.judge(ctx, balance, start.Clone(), moves)
		if err != nil && ctx.Err() == nil {
			return nil, err
		}
		if err != nil {
			break
		}
		if key := fmt.Sprint(opening.Moves); !seen[key] {
			seen[key] = true
			found = append(found, opening)
		}
	}
	switch {
	case len(found) > 0:
	case ctx.Err() != nil:
		return nil, nil
	case last != nil:
		return nil, fmt.Errorf("no opening of %d to %d moves leaves the game open: want fewer moves", o.plies[0], o.plies[1])
	}
	return map[string]any{"openings": found}, nil
}

// judge shows an opening with its value.
func (o *openingQuery) judge(
	ctx context.Context, balance arena.Balance, pos game.Position, moves []game.Move,
) (Opening, error) {
	q := o.query
	shown := Opening{Moves: game.Texts(q.notation, moves)}
	for _, m := range moves {
		pos.Play(m)
	}
	value, err := balance(ctx, pos)
	shown.Value = finite(float32(value))
	return shown, err
}

// queryBook answers an action's question about what the book says of a turn of a game.
func (c *Client) queryBook(f *fields) {
	o := &c.service.opts
	q := &Query{}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	turn := len(q.Moves)
	if whole(f, "turnNumber", 0, int64(len(q.Moves)), &turn); f.wrong != nil {
		return
	}
	if o.Book == nil {
		f.failAs(Failed, "action", "no book is open: start the program with --book FILE")
		return
	}
	v, err := o.Book.Look(q.At(turn), q.notation)
	if err != nil {
		f.failAs(Failed, "", "%v", err)
		return
	}
	f.of["book"] = encoded(v)
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

// certificateQuery is what query_certificate asks for.
type certificateQuery struct {
	pos     game.Position
	winners []game.Side // who may win, the likelier one first
	query   *Query
}

// queryCertificate asks for the certificate of a won or lost turn of a game.
func (c *Client) queryCertificate(id string, f *fields, size int) {
	o := &c.service.opts
	q := &Query{MaxNodes: min(games.CertifyNodes, o.Limits.Nodes)}
	if q.readGame(f, o); f.wrong != nil {
		return
	}
	turn, winner := len(q.Moves), ""
	whole(f, "turnNumber", 0, int64(len(q.Moves)), &turn)
	whole(f, "maxNodes", option.Nodes.Min, int64(o.Limits.Nodes), &q.MaxNodes)
	f.text("winner", &winner)
	if f.wrong != nil {
		return
	}
	s := certificateQuery{pos: q.At(turn), query: q}
	side, ok := parsePlayer(winner)
	switch {
	case s.pos.Outcome() != game.Undecided:
		f.fail("turnNumber", "the game is over there: nothing is left to prove")
	case q.Variant.Proofs() == nil:
		f.fail("game", "there are no certificates of %s", q.Variant.Game)
	case ok:
		s.winners = []game.Side{side}
	case f.has("winner"):
		f.fail("winner", "unknown player %s: want B or W", shown(winner))
	default:
		s.winners = []game.Side{s.pos.ToMove(), s.pos.ToMove().Other()}
	}
	if f.wrong == nil {
		c.enqueue(id, QueryCertificate, f, q, size, s.find)
	}
}

// find looks for the certificate.
func (s *certificateQuery) find(ctx context.Context, _ *engines) (map[string]any, error) {
	for _, winner := range s.winners {
		data, err := s.query.Variant.WinCertificate(ctx, s.pos.Clone(), winner, s.query.MaxNodes)
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
	return nil, fmt.Errorf("no certificate was found within %d moves; more maxNodes may find one", s.query.MaxNodes)
}
