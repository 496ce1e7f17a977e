package web

import (
	"fmt"
	"slices"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// shardReader reads the games of a sample shard. The shard that was read last stays
// in memory, one for all files.
type shardReader struct{ of *reviews }

// shardFile is a shard in memory.
type shardFile struct {
	path    string
	variant games.Variant
	shard   *samples.Shard
}

// mostShard bounds a shard in memory, in bytes.
const mostShard = 256 << 20

// load returns the shard of a file.
func (sr *shardReader) load(path string) (*shardFile, error) {
	if warm := sr.of.warm; warm != nil && warm.path == path {
		return warm, nil
	}
	sr.of.warm = nil
	in, err := disk.Open(path)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	defer in.Close()
	shard, err := samples.ReadShard(in, mostShard)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	v, err := selfplay.SampleVariant(&shard.Header)
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	shard.Columns.Planes = nil // the largest column, which nobody looks at
	sr.of.warm = &shardFile{path: path, variant: v, shard: shard}
	return sr.of.warm, nil
}

// list implements [reviewReader].
func (sr *shardReader) list(f *reviewFile) ([]Listed, error) {
	s, err := sr.load(f.path)
	if err != nil {
		return nil, err
	}
	var list []Listed
	for i := range s.shard.Header.Games {
		if i == mostListed {
			return list, more()
		}
		r, err := s.record(i)
		if err != nil {
			return list, err
		}
		list = append(list, listRecord(&r, i, 0))
	}
	return list, nil
}

// record returns a game of the shard.
func (s *shardFile) record(i int) (gamefiles.Record, error) {
	g := &s.shard.Header.Games[i]
	r, err := gamefiles.OfSample(s.variant, g, "")
	if err == nil {
		r.Tree.Name = fmt.Sprintf("game %d", g.ID)
	}
	return r, err
}

// game implements [reviewReader].
func (sr *shardReader) game(f *reviewFile, entry Listed) (*Game, error) {
	s, err := sr.load(f.path)
	if err != nil {
		return nil, err
	}
	if entry.N >= len(s.shard.Header.Games) {
		return nil, fmt.Errorf("the file has changed: it has fewer games now")
	}
	r, err := s.record(entry.N)
	if err != nil {
		return nil, err
	}
	g, err := showRecord(&r)
	if err != nil {
		return nil, err
	}
	line, err := r.Line(r.Tree.MainLeaf(), -1)
	if err != nil {
		return nil, err
	}
	return g, s.addTurns(g, entry.N, &line)
}

// addTurns adds what the search saw at each turn that has a row.
func (s *shardFile) addTurns(g *Game, number int, line *gamefiles.Game) error {
	enc, err := s.variant.Encoder("")
	if err != nil {
		return err
	}
	pos, err := line.Start()
	if err != nil {
		return err
	}
	c, moves := s.shard.Columns, line.Moves
	g.Values = make([]*float64, len(moves)+1)
	turn := 0
	for i := range c.Rows {
		if int(c.Game[i]) != number {
			continue
		}
		ply := int(c.Ply[i])
		if ply < turn || ply > len(moves) {
			return fmt.Errorf("row %d is of turn %d of %d", i, ply, len(moves))
		}
		for ; turn < ply; turn++ {
			pos.Play(moves[turn])
		}
		t, rate := s.turn(c, i, pos, enc)
		g.Turns = append(g.Turns, t)
		g.Values[ply] = rate
	}
	return nil
}

// turn returns what a row says of a position, and Black's win rate there.
func (s *shardFile) turn(c *samples.Columns, i int, pos game.Position, enc nn.Encoder) (Turn, *float64) {
	n := s.variant.Notation()
	names := map[int]string{}
	for _, m := range pos.Moves(nil) {
		names[enc.Action(pos, m, 0)] = n.FormatMove(m)
	}
	lo, hi := int(c.VisitOffsets[i]), int(c.VisitOffsets[i+1])
	root, net, weight, full := float64(c.RootQ[i]), float64(c.NetQ[i]), float64(c.Weight[i]), c.FullSearch[i] != 0
	t := Turn{
		TurnNumber: int(c.Ply[i]), RootQ: &root, NetQ: &net, Weight: &weight, FullSearch: &full,
		Played: names[int(c.Played[i])],
	}
	for k := lo; k < hi && hi <= len(c.VisitActions); k++ {
		name := names[int(c.VisitActions[k])]
		if name == "" {
			continue
		}
		if c.VisitCounts[k] > 0 {
			t.Visits = append(t.Visits, [2]any{name, c.VisitCounts[k]})
		}
		if c.PolicyTarget[k] > 0 {
			t.Policy = append(t.Policy, [2]any{name, c.PolicyTarget[k]})
		}
	}
	slices.SortStableFunc(t.Visits, func(a, b [2]any) int { return int(b[1].(uint32)) - int(a[1].(uint32)) })
	switch c.Proven[i] {
	case samples.ProvenWin:
		t.Proven = &TurnProof{Result: "win"}
	case samples.ProvenDraw:
		t.Proven = &TurnProof{Result: "draw"}
	case samples.ProvenLoss:
		t.Proven = &TurnProof{Result: "loss"}
	}
	rate := (root + 1) / 2
	if pos.ToMove() == game.Second {
		rate = 1 - rate
	}
	return t, &rate
}
