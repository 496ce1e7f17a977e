package games

import (
	"context"
	"errors"
	"testing"

	"github.com/carozero/carozero/game"
)

// A win has a certificate whoever is to move; a position that is not won has none, and no
// other side is certified in its place.
func TestWinCertificate(t *testing.T) {
	for _, tt := range []struct {
		name, rule, moves string
		winner            game.Side
		certified         bool
	}{
		{"a four to make", "freestyle", "h8a1i8a3j8a15", game.First, true},
		{"an open four of the opponent", "freestyle", "h8a1i8a3j8a15k8", game.First, true},
		{"caro", "caro", "h8a1i8a3j8a15", game.First, true},
		{"a three of the opponent", "caro", "h8a1i8a3j8", game.First, false},
		{"the side that loses", "freestyle", "h8a1i8a3j8a15", game.Second, false},
		{"a quiet win", "freestyle", "i6j4l2i4j5k4l4k5l6l5j3k7k6j6h4k8j9j10k9l9k10l11l10j8i8h7h8f8g5f6g9i9f10e11f5h5g11m9l8g10i3h3e9d8e8m10n11k12n9j13i14m11m8l7i13h12i12i11k11c9h14j12j14g14n12n13l14k14j2k1k2m13m12m2n5n6k3l3n10n8e13d6e7e6c6d7i2h2m5i1d9e5h9", game.Second, true},
		{"a quiet position", "freestyle", "h8i9", game.First, false},
	} {
		v := variant(t, VariantOptions{Rule: tt.rule})
		pos := parse(t, v, tt.moves)
		before := pos.Hash()
		data, err := v.WinCertificate(t.Context(), pos, tt.winner, 1_000_000)
		if pos.Hash() != before {
			t.Errorf("%s: the position was changed", tt.name)
		}
		if !tt.certified {
			if !errors.Is(err, ErrUncertified) || data != nil {
				t.Errorf("%s: %v", tt.name, err)
			}
			continue
		}
		if err != nil {
			t.Errorf("%s: %v", tt.name, err)
			continue
		}
		c, err := CheckCertificate(t.Context(), data)
		if err != nil || c.Winner != tt.winner || c.Rule != tt.rule || c.ToMove != pos.ToMove() {
			t.Errorf("%s: %v, %v", tt.name, c, err)
		}
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if _, err := v.WinCertificate(ctx, pos, tt.winner, 1_000); !errors.Is(err, context.Canceled) {
			t.Errorf("%s, cancelled: %v", tt.name, err)
		}
	}
	other := variant(t, VariantOptions{Game: Onitama})
	if _, err := other.WinCertificate(t.Context(), parse(t, other, ""), game.First, 1_000); !errors.Is(err, ErrUncertified) {
		t.Errorf("onitama: %v", err)
	}
}
