package selfplay

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/selfplay/samples"
)

// tampered verifies a shard by itself after a change, its checksums made anew.
func tampered(t testing.TB, dir string, change func(s *samples.Shard) bool) string {
	t.Helper()
	for _, s := range readAll(t, dir) {
		if !change(s) {
			continue
		}
		s.Columns.Seal()
		path := filepath.Join(t.TempDir(), samples.ShardName(0))
		f, err := os.Create(path)
		if err != nil {
			t.Fatal(err)
		}
		if err := samples.WriteShard(f, &s.Header, s.Columns); err != nil {
			t.Fatal(err)
		}
		f.Close()
		r, err := samples.Verify(t.Context(), gomokuCodecOf, 3, path)
		if err != nil {
			t.Fatal(err)
		}
		var text []string
		for _, p := range r.Problems {
			text = append(text, p.String())
		}
		return strings.Join(text, "\n")
	}
	return "no shard can be changed like that"

}

// firstRow calls change for rows until one fits.
func firstRow(s *samples.Shard, change func(i int, r samples.Row) bool) bool {
	for i := range s.Columns.Rows {
		if change(i, s.Columns.Row(i)) {
			return true
		}
	}
	return false
}

// What the variants promise is verified beyond the checksums.
func TestVerifyHoldsVariantsToTheirPromises(t *testing.T) {
	s := gomokuSetup(t, "freestyle", 6)
	dirs := map[string]string{}
	for _, v := range variants[:3] {
		dirs[v.name] = t.TempDir()
		o := with(v.change)
		o.Games = 12
		mustRun(t, s, o, Host{Dir: dirs[v.name]})
	}
	for _, c := range []struct {
		variant, want string
		change        func(s *samples.Shard) bool
	}{
		{"forced", "visits left of", func(s *samples.Shard) bool {
			return firstRow(s, func(_ int, r samples.Row) bool {
				most := slices.Max(r.Counts)
				for k, n := range r.Counts { // more than it had: as much as the best
					if r.FullSearch == 1 && r.Proven == samples.ProvenUnknown && n < most && r.Target[k] == 0 {
						best := slices.Index(r.Target, slices.Max(r.Target))
						r.Target[k], r.Target[best] = r.Target[best]/2, r.Target[best]/2
						return true
					}
				}
				return false
			})
		}},
		{"gumbel", "wins at once", func(s *samples.Shard) bool {
			return firstRow(s, func(_ int, r samples.Row) bool {
				if r.FullSearch == 0 || r.Proven != samples.ProvenWin || len(r.Actions) != 1 {
					return false
				}
				for a := range uint16(36) { // another legal move
					if a != r.Actions[0] && samples.Bit(r.Legal, int(a)) {
						r.Actions[0] = a
						return true
					}
				}
				return false
			})
		}},
		{"gumbel", "differs from the visits' shares", func(s *samples.Shard) bool {
			return firstRow(s, func(_ int, r samples.Row) bool {
				if r.FullSearch == 1 || len(r.Target) < 2 || r.Target[0] == r.Target[1] {
					return false
				}
				r.Target[0], r.Target[1] = r.Target[1], r.Target[0]
				return true
			})
		}},
		{"audit", "audited is false", func(s *samples.Shard) bool {
			i := slices.IndexFunc(s.Header.Games, func(g samples.Game) bool { return g.Audit != nil })
			if i >= 0 {
				s.Header.Games[i].Audit = nil
			}
			return i >= 0
		}},
		{"audit", "audited is true", func(s *samples.Shard) bool {
			i := slices.IndexFunc(s.Header.Games, func(g samples.Game) bool { return g.Audit == nil })
			if i >= 0 {
				s.Header.Games[i].Audit = &samples.Audit{Resigns: samples.Nobody}
			}
			return i >= 0
		}},
		{"audit", "would have resigned here", func(s *samples.Shard) bool {
			return firstRow(s, func(_ int, r samples.Row) bool {
				g := &s.Header.Games[r.Game]
				if g.Audit == nil || r.RootQ < 0 {
					return false
				}
				g.Audit.Resigns, g.Audit.Ply = "first", int(r.Ply)
				return true
			})
		}},
	} {
		if got := tampered(t, dirs[c.variant], c.change); !strings.Contains(got, c.want) {
			t.Errorf("%s: verified as %q, want %q", c.variant, got, c.want)
		}
	}
}
