package gomoku

import (
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/nn"
)

// newSalt returns the salt that makes keys of encoders with different inputs differ. It
// mixes every parameter of the rules except their name.
func newSalt(r *gomoku.Rules, size int, version string) nn.Key {
	traits := uint64(size)<<32 | uint64(r.OpenDistance)<<16
	for i, holds := range [...]bool{
		r.Exact[0], r.Exact[1], r.OpponentBlocks, r.EdgeBlocks, r.OverlineFree,
		r.Renju[0], r.Renju[1], r.DoubleThree, r.Captures,
	} {
		if holds {
			traits |= 1 << i
		}
	}
	text := uint64(0)
	for _, c := range []byte(version) {
		text = mix(text ^ uint64(c))
	}
	first := mix(text ^ traits)
	return nn.Key{first, mix(first)}
}

// Key covers the stones, the side to move, what each side has captured, the
// rules but for their name, the size and the version of the planes. Where the
// opening restriction holds follows from these.
func (e *Encoder) Key(pos game.Position) nn.Key {
	k := e.plain(pos).Key()
	return nn.Key{mix(k[0] ^ e.salt[0]), mix(k[1] ^ e.salt[1])}
}

// mix is the output function of SplitMix64 (Steele, Lea and Flood 2014), a
// permutation of the 64-bit numbers.
func mix(x uint64) uint64 {
	x += 0x9e3779b97f4a7c15
	x = (x ^ x>>30) * 0xbf58476d1ce4e5b9
	x = (x ^ x>>27) * 0x94d049bb133111eb
	return x ^ x>>31
}
