package games

import (
	"bytes"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
)

// Positions of alphabeta/pn/testdata/quiet.txt that are proven within two million moves.
var quietWins = []struct{ rule, moves string }{
	{"caro", "g9h10h12e8i12i11g12f12g11g10f10i13e11h8d11f11e12f13"},
	{"freestyle", "j9l10m12m9k11l11l8k8j10l12l13j11h8i9h10i11g10f10g8i8i10k10h7h11g7g11"},
}

// Wins with quiet moves are proven on the classical search's advice, also in a table that is
// far too small, twice to the same bytes, and their certificates hold.
func TestQuietWins(t *testing.T) {
	for _, tt := range quietWins {
		rules, err := gomoku.Lookup(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		pos, err := gomoku.ParsePosition(rules, 15, tt.moves)
		if err != nil {
			t.Fatal(err)
		}
		v, err := VariantOf(tt.rule, 15)
		if err != nil {
			t.Fatal(err)
		}
		if r := vcf.New(vcf.Options{}).Solve(t.Context(), patterns(pos), vcf.VCT, 100_000); r.Outcome == vcf.Win {
			t.Errorf("%s is won by fours and threes", tt.moves)
		}
		prove := func(bytes int64) QuietResult {
			r, err := v.QuietProver(QuietOptions{TableBytes: bytes}).Solve(t.Context(), pos, 20_000_000)
			if err != nil || r.Outcome != vcf.Win {
				t.Fatalf("%s in %d bytes: %v, %v after %d moves", tt.moves, bytes, r.Outcome, err, r.Nodes)
			}
			if _, err := CheckCertificate(t.Context(), r.Certificate); err != nil {
				t.Error(err)
			}
			return r
		}
		one, other := prove(0), prove(0)
		if one.Nodes > 2_000_000 || one.Nodes != other.Nodes || !bytes.Equal(one.Certificate, other.Certificate) {
			t.Errorf("%s: %d and %d moves, want the same and two million at most", tt.moves, one.Nodes, other.Nodes)
		}
		prove(1 << 20)
	}
}
