package selfplay

import (
	"context"
	"errors"
	"testing"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/selfplay/samples"
)

// Rows that say what is so are certified, rows that say the contrary are false, and what
// no solver decides stays open.
func TestProofsOfRows(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "freestyle", Size: 15})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		t.Fatal(err)
	}
	s := &samples.Shard{
		Header: samples.Header{
			Game: games.Gomoku, Rule: rule, Size: 15,
			Games: []samples.Game{{Moves: "h8a1i8a3j8a15k8a9"}},
		},
		Columns: &samples.Columns{
			Game: []uint32{0, 0, 0, 0, 0, 0, 0}, Ply: []uint16{6, 6, 7, 7, 2, 3, 4},
			Proven: []int8{
				samples.ProvenWin, samples.ProvenLoss, // an open three, to move
				samples.ProvenLoss, samples.ProvenWin, // an open four of the opponent
				samples.ProvenWin, // nothing yet
				samples.ProvenDraw, samples.ProvenUnknown,
			},
		},
	}
	p := Proofs{}
	if err := p.rows(t.Context(), s, 20_000, "shard"); err != nil {
		t.Fatal(err)
	}
	if p.Rows != 5 || p.Certified != 2 || p.Open != 1 || p.Draws != 1 || len(p.False) != 2 {
		t.Errorf("%+v", p)
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := new(Proofs).rows(ctx, s, 20_000, "shard"); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled: %v", err)
	}
	s.Columns.Ply[0] = 9
	if err := new(Proofs).rows(t.Context(), s, 20_000, "shard"); err == nil {
		t.Error("a row after the end of its game was believed")
	}
	s.Columns.Ply[0], s.Header.Games[0].Moves = 6, "h8h8i8i9j8j9k8"
	if err := new(Proofs).rows(t.Context(), s, 20_000, "shard"); err == nil {
		t.Error("a game with an illegal move was believed")
	}
}

// In Onitama rows are proven by a search of all moves.
func TestProofsOfOnitamasRows(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Game: games.Onitama})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		t.Fatal(err)
	}
	const game = "Crane,Rooster/Tiger,Ox/Horse:rooster c1d2"
	s := &samples.Shard{
		Header: samples.Header{Game: games.Onitama, Rule: rule, Size: 5, Games: []samples.Game{{Moves: game}}},
		Columns: &samples.Columns{
			Game:   []uint32{0, 0, 0},
			Ply:    []uint16{1, 1, 0},
			Proven: []int8{samples.ProvenWin, samples.ProvenLoss, samples.ProvenWin},
		},
	}
	p := Proofs{}
	if err := p.rows(t.Context(), s, 4_000_000, "shard"); err != nil {
		t.Fatal(err)
	}
	if p.Rows != 3 || p.Decided != 1 || p.Certified != 0 || p.Open != 1 || len(p.False) != 1 {
		t.Errorf("%+v", p)
	}
}

func TestSampleCodecRefusesOtherParameters(t *testing.T) {
	v, err := games.NewVariant(games.VariantOptions{Rule: "renju", Size: 9, OpenRule: true})
	if err != nil {
		t.Fatal(err)
	}
	rule, err := samples.FieldsOf(v.Parameters())
	if err != nil {
		t.Fatal(err)
	}
	h := &samples.Header{Game: games.Gomoku, Rule: rule, Size: 9}
	codec, err := SampleCodec(h)
	if err != nil {
		t.Fatal(err)
	}
	// The opening rule must have come through.
	start, _, err := codec.Parse("")
	if err != nil {
		t.Fatal(err)
	}
	start.Play(start.Moves(nil)[40])
	start.Play(start.Moves(nil)[0])
	if start.Legal(41) {
		t.Error("the third stone beside the first is legal under the opening rule")
	}
	for i := range rule {
		changed := append(samples.OrderedMap{}, rule...)
		changed[i].Value = "other"
		if _, err := SampleCodec(&samples.Header{Game: games.Gomoku, Rule: changed, Size: 9}); err == nil {
			t.Errorf("parameter %s may be anything", rule[i].Key)
		}
	}
	for _, bad := range []*samples.Header{
		{Game: "chess", Rule: rule, Size: 9}, {Game: games.Gomoku, Size: 9}, {Game: games.Gomoku, Rule: rule, Size: 99},
		{
			Game: games.Gomoku, Rule: append(rule[:len(rule):len(rule)], samples.Field{Key: "more", Value: true}),
			Size: 9,
		},
	} {
		if _, err := SampleCodec(bad); err == nil {
			t.Errorf("accepted %+v", bad)
		}
	}
}
