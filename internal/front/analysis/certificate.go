package analysis

import (
	"context"
	"encoding/hex"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/support/option"
)

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
	f.number("turnNumber", 0, int64(len(q.Moves)), &turn)
	f.number("maxNodes", option.Nodes.Min, int64(o.Limits.Nodes), &q.MaxNodes)
	f.text("winner", &winner)
	if f.wrong != nil {
		return
	}
	s := certificateQuery{pos: q.At(turn), query: q}
	side, ok := parsePlayer(winner)
	switch {
	case s.pos.Outcome() != game.Undecided:
		f.fail("turnNumber", "the game is over there: nothing is left to prove")
	case !q.Variant.HasCertificates():
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
