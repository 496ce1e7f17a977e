package selfplay

import (
	"context"
	"errors"
	"fmt"
	"reflect"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/selfplay/samples"
)

// SampleVariant returns the variant of a shard's games. It rejects a header
// whose game, rule or size is unknown, and one whose parameters are not those
// of the named rule.
func SampleVariant(h *samples.Header) (games.Variant, error) {
	g, err := games.Find(h.Game)
	if err != nil || h.Game == "" {
		return games.Variant{}, fmt.Errorf("game %q: samples are of %v", h.Game, games.GameNames())
	}
	name, _ := h.Rule.Get("name")
	text, _ := name.(string)
	if text == "" {
		return games.Variant{}, fmt.Errorf("the rule has no name; known are %v", g.RuleSets)
	}
	distance, _ := h.Rule.Get("open_distance")
	dealt, _ := h.Rule.Get("cards")
	cards, _ := dealt.(string)
	v, err := games.NewVariant(games.VariantOptions{
		Game: h.Game, Rule: text, Size: h.Size, OpenRule: distance == int64(games.OpenDistance), Cards: cards,
	})
	if err != nil {
		return games.Variant{}, err
	}
	return v, sameRule(v, h)
}

// SampleCodec returns the codec that replays the games of a shard. It fails
// where SampleVariant does.
func SampleCodec(h *samples.Header) (samples.Codec, error) {
	v, err := SampleVariant(h)
	if err != nil {
		return samples.Codec{}, err
	}
	enc, err := v.Encoder("")
	return samples.Codec{Parse: v.ParseGame, Format: v.FormatGame, Notation: v.Notation(), Encoder: enc}, err
}

// sameRule compares a header's size and parameters to those of the variant.
func sameRule(v games.Variant, h *samples.Header) error {
	want, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		return err
	}
	if h.Size != v.Size {
		return fmt.Errorf("%s: the size is %d, want %d", v, h.Size, v.Size)
	}
	for _, f := range want {
		if got, ok := h.Rule.Get(f.Key); !ok || !reflect.DeepEqual(got, f.Value) {
			return fmt.Errorf("rule %s: parameter %s is %v, want %v", v.Rule(), f.Key, got, f.Value)
		}
	}
	if len(h.Rule) != len(want) {
		return fmt.Errorf("rule %s: %d parameters, want %d", v.Rule(), len(h.Rule), len(want))
	}
	return nil
}

// Proofs are what CheckProofs has found of the rows that say proven.
type Proofs struct {
	Rows      int      `json:"rows"`      // that say won or lost
	Certified int      `json:"certified"` // of them, by a certificate that holds
	Decided   int      `json:"decided"`   // of them, by a search of all moves, in games without certificates
	Open      int      `json:"open"`      // for which neither was found within the budget
	Draws     int      `json:"draws"`     // that say drawn, of which there are no certificates
	False     []string `json:"false"`     // whose opponent was proven to win
}

// CheckProofs looks for a certificate of each row of runs and shards that says it is won
// or lost, with about so many moves of the solvers for each, and where there is none for
// a certificate that the other side wins, which shows the row to be false. In games without
// certificates it searches all moves. Rows of a shard that cannot be read are an error.
func CheckProofs(ctx context.Context, nodes int, paths ...string) (p Proofs, err error) {
	p.False = []string{}
	err = samples.Shards(func(source samples.Source, s *samples.Shard, _ samples.Entry) error {
		return p.rows(ctx, s, nodes, source.Path)
	}, paths...)
	return p, err
}

// rows checks the rows of a shard that was read from a file of that name.
func (p *Proofs) rows(ctx context.Context, s *samples.Shard, nodes int, file string) error {
	v, err := SampleVariant(&s.Header)
	if err != nil {
		return fmt.Errorf("%s: %w", file, err)
	}
	for i, proven := range s.Columns.Proven {
		if proven == samples.ProvenDraw {
			p.Draws++
		}
		if proven != samples.ProvenWin && proven != samples.ProvenLoss {
			continue
		}
		pos, err := position(v, s, i)
		if err != nil {
			return fmt.Errorf("%s: row %d: %w", file, i, err)
		}
		winner := pos.ToMove()
		if proven == samples.ProvenLoss {
			winner = winner.Other()
		}
		p.Rows++
		found, err := wins(ctx, v, pos, winner, nodes)
		switch {
		case err != nil:
			return err
		case found == game.Undecided:
			p.Open++
		case found != game.WinFor(winner):
			p.False = append(p.False,
				fmt.Sprintf("%s: row %d: %v is said to win, and %v does", file, i, winner, winner.Other()))
		case v.Proofs() != nil:
			p.Certified++
		default:
			p.Decided++
		}
	}
	return nil
}

// wins returns the outcome of a position that a side is said to win: its win or that of the
// other side by a certificate or, in games without certificates, the outcome by a search of
// all moves; Undecided if the budget was too small.
func wins(ctx context.Context, v games.Variant, pos game.Position, winner game.Side, nodes int) (game.Outcome, error) {
	if v.Proofs() == nil {
		decider, err := v.Decider(games.DecideOptions{})
		if err != nil { // there is none
			return game.Undecided, nil
		}
		d, err := decider.Solve(ctx, pos, int64(nodes))
		return d.Outcome, err
	}
	for _, side := range []game.Side{winner, winner.Other()} {
		if _, err := v.WinCertificate(ctx, pos, side, nodes); err == nil || !errors.Is(err, games.ErrUncertified) {
			return game.WinFor(side), err
		}
	}
	return game.Undecided, nil
}

// position returns the position of a row.
func position(v games.Variant, s *samples.Shard, row int) (game.Position, error) {
	g, ply := int(s.Columns.Game[row]), int(s.Columns.Ply[row])
	if g >= len(s.Header.Games) {
		return nil, fmt.Errorf("game %d of %d", g, len(s.Header.Games))
	}
	pos, moves, err := v.ParseGame(s.Header.Games[g].Moves)
	if err != nil {
		return nil, err
	}
	if ply > len(moves) {
		return nil, fmt.Errorf("ply %d of %d", ply, len(moves))
	}
	for _, m := range moves[:ply] {
		if pos.Outcome() != game.Undecided || !pos.Legal(m) {
			return nil, fmt.Errorf("move %s is not legal", v.Notation().FormatMove(m))
		}
		pos.Play(m)
	}
	if pos.Outcome() != game.Undecided {
		return nil, errors.New("the game is over")
	}
	return pos, nil
}
