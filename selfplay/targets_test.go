package selfplay

import (
	"encoding/json"
	"errors"
	"hash/fnv"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// variants are the options that change what games leave for the trainer, each by
// itself, the key by which a header tells, and the signature of the run.
var variants = []struct {
	name, key string
	signature uint64
	change    func(o *Options)
}{
	{"forced", "forced_playouts", 0x5a1157b55baf188, func(o *Options) { o.Targets.Forced = 2 }},
	{"gumbel", "gumbel", 0x32f45f4e6296d830, func(o *Options) { o.Targets.Gumbel.Considered = 8 }},
	{"audit", samples.AuditKey, 0x5793a0de1dd0118a, func(o *Options) {
		o.ResignAt, o.ResignTurns, o.ResignAudit = 0.05, 2, 0.5
	}},
	{"all", "forced_playouts", 0x2b6a6c3ff77d3658, func(o *Options) {
		o.Targets.Forced = 2
		o.ResignAt, o.ResignTurns, o.ResignAudit = 0.05, 2, 0.5
	}},
}

// with returns options that reach all of a variant in little time.
func with(change func(o *Options)) Options {
	o := small()
	o.Games, o.GamesPerShard = 6, 4
	o.Opening = Opening{MinPlies: 1, MaxPlies: 4, MaxValue: 0.2}
	change(&o)
	return o
}

// readAll returns the shards of a run.
func readAll(t testing.TB, dir string) (list []*samples.Shard) {
	t.Helper()
	err := samples.Shards(func(_ samples.Source, s *samples.Shard, _ samples.Entry) error {
		list = append(list, s)
		return nil
	}, dir)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// signature stands for all that a run recorded.
func signature(t testing.TB, dir string) uint64 {
	h := fnv.New64a()
	if err := json.NewEncoder(h).Encode(readAll(t, dir)); err != nil {
		t.Fatal(err)
	}
	return h.Sum64()
}

// Each variant writes the same bytes for any number of workers and however often it
// is interrupted, other ones than the plain run, and a run that verifies.
func TestVariantsAreReproducible(t *testing.T) {
	s := gomokuSetup(t, "freestyle", 6)
	plain := t.TempDir()
	mustRun(t, s, with(func(*Options) {}), Host{Dir: plain})
	for _, v := range variants {
		o := with(v.change)
		dir := reproducible(t, s, o, gomokuCodecOf)
		if name := samples.ShardName(0); contents(t, dir)[name] == contents(t, plain)[name] {
			t.Errorf("%s: the same bytes as without it", v.name)
		}
		if got := signature(t, dir); got != v.signature {
			t.Errorf("%s: the signature is %#x, not %#x", v.name, got, v.signature)
		}
		if _, ok := readAll(t, dir)[0].Header.Search.Get(v.key); !ok {
			t.Errorf("%s: the header has no %s", v.name, v.key)
		}
		_, err := Play(t.Context(), s, with(func(*Options) {}), Host{Dir: dir, Resume: true})
		if !errors.Is(err, samples.ErrOptions) {
			t.Errorf("%s: resumed without it: %v", v.name, err)
		}
	}
}

// Pruned targets give less to moves than their visits say, improved ones something
// to moves that were never visited; both keep the visits as they were, and rows of
// cheap searches keep the visits' shares.
func TestTargetsOfFullSearches(t *testing.T) {
	s := gomokuSetup(t, "freestyle", 6)
	for _, v := range variants[:2] {
		o, dir := with(v.change), t.TempDir()
		mustRun(t, s, o, Host{Dir: dir})
		moved, unvisited, cheap := 0, 0, 0
		for _, shard := range readAll(t, dir) {
			for i := range shard.Columns.Rows {
				r := shard.Columns.Row(i)
				shares := make([]float32, len(r.Counts))
				samples.VisitTarget(shares, r.Counts)
				switch same := slices.Equal(shares, r.Target); {
				case r.FullSearch == 0:
					cheap++
					if !same {
						t.Errorf("%s: row %d of a cheap search has another target than its visits", v.name, i)
					}
				case !same:
					moved++
				}
				for k, n := range r.Counts {
					if n == 0 && r.Target[k] > 0 && r.Proven == samples.ProvenUnknown {
						unvisited++
					}
				}
			}
		}
		if moved == 0 || cheap == 0 || (unvisited > 0) != (v.name == "gumbel") {
			t.Errorf("%s: %d targets moved, %d rows of cheap searches, %d shares without visits", v.name, moved, cheap,
				unvisited)
		}
	}
}

// Audited games are those that their seeds choose; they are played on, and say who
// would have resigned; the others are resigned as ever.
func TestResignationIsAudited(t *testing.T) {
	s := gomokuSetup(t, "freestyle", 6)
	o := with(variants[2].change)
	o.Games, o.CheapPlayouts = 16, 0
	dir, all := t.TempDir(), t.TempDir()
	sum := mustRun(t, s, o, Host{Dir: dir})
	o.ResignAt, o.ResignAudit = 0, 0
	mustRun(t, s, o, Host{Dir: all})
	whole := map[uint64]samples.Game{} // the games that nobody may resign
	for _, shard := range readAll(t, all) {
		for _, g := range shard.Header.Games {
			whole[g.ID] = g
		}
	}
	audited, would, falsely, resigned := 0, 0, 0, 0
	for _, shard := range readAll(t, dir) {
		for _, g := range shard.Header.Games {
			if (g.Audit != nil) != samples.Audited(g.Seed, 0.5) {
				t.Errorf("game %d: audited is %v", g.ID, g.Audit != nil)
			}
			if g.Reason == game.Resigned {
				resigned++
			}
			if !strings.HasPrefix(whole[g.ID].Moves, g.Moves) {
				t.Errorf("game %d is another one than without resignation", g.ID)
			}
			if g.Audit == nil {
				continue
			}
			audited++
			if w := whole[g.ID]; g.Moves != w.Moves || g.Result != w.Result {
				t.Errorf("game %d was not played to the end", g.ID)
			}
			if g.Audit.Resigns != samples.Nobody {
				would++
				if whole[g.ID].Result == g.Audit.Resigns || whole[g.ID].Result == "draw" {
					falsely++
				}
			}
		}
	}
	if sum.Audited != audited || sum.WouldResign != would || sum.FalseResigns != falsely || sum.Resigned != resigned {
		t.Errorf("summary %+v; want %d, %d, %d, %d", sum, audited, would, falsely, resigned)
	}
	total, _, err := samples.Inspect(dir)
	if err != nil || total.Audited != audited || total.WouldResign != would || total.FalseResigns != falsely {
		t.Errorf("inspect: %+v, %v", total, err)
	}
	if audited == 0 || would == 0 || falsely == 0 || resigned == 0 || audited == o.Games {
		t.Errorf("%d audited, %d would resign, %d falsely, %d resigned: the test shows too little", audited, would,
			falsely, resigned)
	}
}

// A win at hand takes all of a target, whatever the search has visited.
func TestAWinTakesAllOfTheTarget(t *testing.T) {
	children := []mcts.Child{
		{Move: 1, Visits: 9, Prior: 0.9}, {Move: 2, Prior: 0.05, Proven: game.Won, Q: 1},
		{Move: 3, Visits: 1, Prior: 0.05, Proven: game.Won, Q: 1},
	}
	var p policy
	p.pruned(nil, 2, children)
	if !slices.Equal(p.shares, []float64{0, 0.5, 0.5}) {
		t.Errorf("pruned: %v", p.shares)
	}
	if q := p.improved(mcts.Gumbel{}, &mcts.Result{Children: children}); q != 1 ||
		!slices.Equal(p.shares, []float64{0, 0.5, 0.5}) {
		t.Errorf("improved: %v, worth %v", p.shares, q)
	}
}

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
