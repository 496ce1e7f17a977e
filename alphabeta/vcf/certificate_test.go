package vcf_test

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/alphabeta/vcf"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/pattern"
)

var update = flag.Bool("update", false, "write the golden certificates of game/gomoku/certificate/testdata")

// certified are the positions of the golden certificates.
var certified = []struct {
	rule     string
	size     int
	kind     vcf.Kind
	position string
}{
	{"freestyle", 11, vcf.VCF, "d8f6f7a10g6g7j5e6e7h8e5j10i9d6e8c6b6h5d9c10c7f10"},
	{"freestyle", 9, vcf.VCT, "c6e4f4e8e5f5f6g6d3i8h7d6e3d2"},
	{"standard", 9, vcf.VCF, "c4a3d4a1f3c5d3f5e2b5d5d6"},
	{"standard", 13, vcf.VCT, "e7e9c8g9f9f7e8g8d9g10g7g11g12h9i10e6d5f11i8e12d13e10e11"},
	{"renju", 13, vcf.VCF, "i7k6g9j8i8h8j7i9g8g7j10f6e5i6h6f7f9h9g10e7d7e8g11g12f10i10f11f12k7l7h11e11e9d8"},
	{"renju", 9, vcf.VCT, "g4f4g5e6g3g6d6g2e3f6f5h6i6h5f7d4e4e5g7c3b2e7e8c4i4d5b3"},
	{"caro", 11, vcf.VCF, "d4c5e5e4a10d6f6g7c3b2e7g6g5d8h4i3f5h5e6f7e8e9g8i4j3i5i6f10c7"},
	{"caro", 9, vcf.VCT, "g4a4f9d5g5c2f5b5e5h5f6d6"},
	{"caro-overline", 9, vcf.VCF, "c5a3d4d5f9e7f3c4e3b6g6f2b4a2e6a4a5h5f6h6d3g3e5c3"},
	{"caro-overline", 9, vcf.VCT, "g6i4g3i6e7f7c4f5e6c7d5e8b3a2d8d6"},
	{
		"caro-edge", 19, vcf.VCF,
		"k11m10j7m13i6o12m12n11p13n10n12l12k12m11k13o9p8k10" +
			"l10k14o11l9m9j12n8o7j11i14o13j9i11g11m7m8o6k8m6k7k9j10n6l6p6r6o5l8",
	},
	{"caro-edge", 9, vcf.VCT, "g5d5i7c6e7b8f5e5f6d8f8f7d6c5e4"},
	{"caro-edge-overline", 11, vcf.VCF, "g7f7f9g5e6d10e7e5d7f5h5d5c5f4f6d6g3c7b8e4h8d4i9j10b4"},
	{"caro-edge-overline", 9, vcf.VCT, "h6f7b5g5f5e7g4e5b9f8e8a2b2f6h4d6a8"},
	{"school42", 11, vcf.VCF, "e5d4c5g5h6e6f7a5g6e9d5f9"},
	{"school42", 11, vcf.VCT, "g4f3g3e6e5d5f7c4j7b3a2g2e4d6f4d4d3d8d7e3e4h4b4c4i2k2f5h3f1j4c6d4g4h5i4e8b5b6b5c5e5f6"},
}

const goldenFolder = "../../game/gomoku/certificate/testdata"

// The golden certificates, which the readers in Go and in Python are tested with, are
// what the writer writes today.
func TestGoldenCertificates(t *testing.T) {
	s := vcf.New(vcf.Options{})
	for i, tt := range certified {
		r, err := gomoku.Lookup(tt.rule)
		if err != nil {
			t.Fatal(err)
		}
		b, err := gomoku.ParsePosition(r, tt.size, tt.position)
		if err != nil {
			t.Fatal(err)
		}
		before := b.Key()
		s.Solve(t.Context(), pattern.FromBoard(b), tt.kind, 200_000)
		c, err := vcf.WriteCertificate(t.Context(), s, b, tt.kind, vcf.ProofLimits{Nodes: 200_000}, 100_000)
		if err != nil {
			t.Errorf("%s %s: %v", tt.rule, tt.position, err)
			continue
		}
		if b.Key() != before {
			t.Error("the position has changed")
		}
		path := filepath.Join(goldenFolder, fmt.Sprintf("%02d-%s-%v.cert", i, tt.rule, tt.kind))
		if *update {
			if err := os.WriteFile(path, c.Encode(), 0o644); err != nil {
				t.Fatal(err)
			}
		}
		if want, err := os.ReadFile(path); err != nil || !bytes.Equal(want, c.Encode()) {
			t.Errorf("%s: not what the writer writes today; renew it with -update (%v)", path, err)
		}
	}
}
