package games

import (
	"fmt"

	"github.com/carozero/carozero/alphabeta/vcf"
)

// Kinds returns the kinds of forced wins that provers look for.
func Kinds() []string { return []string{vcf.VCF.String(), vcf.VCT.String()} }

// Kind returns the kind of that name.
func Kind(name string) (vcf.Kind, error) {
	for _, k := range []vcf.Kind{vcf.VCF, vcf.VCT} {
		if k.String() == name {
			return k, nil
		}
	}
	return vcf.VCF, fmt.Errorf("unknown kind %q: want %v", name, Kinds())
}
