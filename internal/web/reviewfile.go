package web

import (
	"bufio"
	"cmp"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"slices"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Kinds of files that are no formats of package record.
const (
	shardKind = "shard"
	rowsKind  = "crosscheck"
)

// kindOf returns the kind of a file by its beginning.
func kindOf(path string) (string, error) {
	head, err := gamefiles.Head(path)
	if err != nil {
		return "", err
	}
	switch format := record.Detect(head); {
	case gamefiles.IsShard(head):
		return shardKind, nil
	case crosscheck.IsRows(head):
		return rowsKind, nil
	case format != record.Unknown && len(head) > 0:
		return format.String(), nil
	}
	return "", fmt.Errorf("%s: want a sample shard, rows of a cross-check, or games in SGF, psq, lib or text", path)
}

// fileGame is a game of a file, with what the file says of its turns.
type fileGame struct {
	gamefiles.Record
	wrong error // why the record is of no variant

	shard *gamefiles.Shard // whose n-th game it is; nil: of none
	n     int
	rows  []crosscheck.Row // of a cross-check; they have no record
}

// each calls found with the games of a file until it returns false.
func (r *reviews) each(f *reviewFile, found func(*fileGame) bool) error {
	switch f.kind {
	case rowsKind:
		return eachOfRows(f.path, found)
	case shardKind:
		return r.eachOfShard(f.path, found)
	}
	v, err := games.NewVariant(r.fallback)
	if err != nil {
		return err
	}
	trees, err := gamefiles.OpenTrees([]string{f.path}, gamefiles.Options{Variant: v, AnyGame: true})
	if err != nil {
		return err
	}
	defer trees.Close()
	for {
		rec, err := trees.Next()
		switch {
		case errors.Is(err, io.EOF):
			return nil
		case rec.Tree == nil:
			return err
		case !found(&fileGame{Record: rec, wrong: err}):
			return nil
		}
	}
}

// eachOfShard is each of a shard. The shard that was read last stays in memory.
func (r *reviews) eachOfShard(path string, found func(*fileGame) bool) (err error) {
	if r.warm == nil || r.warm.Path != path {
		r.warm = nil
		if r.warm, err = gamefiles.OpenShard(path); err != nil {
			return err
		}
		r.warm.Columns.Planes = nil // the largest column, which nobody looks at
	}
	for n := range r.warm.Header.Games {
		rec, err := r.warm.Game(n)
		if err != nil {
			return err
		}
		rec.Tree.Name = fmt.Sprintf("game %d", r.warm.Header.Games[n].ID)
		if !found(&fileGame{Record: rec, shard: r.warm, n: n}) {
			break
		}
	}
	return nil
}

// mostRow bounds a line of a cross-check, in bytes.
const mostRow = 4 << 20

// eachOfRows is each of rows of a cross-check. Rows that follow one another and are of one
// game make one: the longest position has its moves, each row is about a turn. A line that an
// interruption has cut off ends the file.
func eachOfRows(path string, found func(*fileGame) bool) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	in := bufio.NewReaderSize(file, mostRow)
	g := &fileGame{}
	for number := 1; ; number++ {
		line, err := in.ReadSlice('\n')
		if errors.Is(err, io.EOF) {
			break
		}
		var row crosscheck.Row
		if err == nil {
			row, err = crosscheck.ParseRow(line)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, number, err)
		}
		if n := len(g.rows); n > 0 && !sameGame(&g.rows[n-1], &row) {
			if !found(g) {
				return nil
			}
			g = &fileGame{}
		}
		g.rows = append(g.rows, row)
	}
	if len(g.rows) > 0 {
		found(g)
	}
	return nil
}

// sameGame reports whether the second row goes on with the game of the first.
func sameGame(a, b *crosscheck.Row) bool {
	return a.Source == b.Source && a.Rule == b.Rule && a.Size == b.Size && a.Ply < b.Ply &&
		strings.HasPrefix(b.Position, a.Position)
}

// listed returns the entry of a game, the n-th.
func (g *fileGame) listed(n int) Listed {
	if len(g.rows) > 0 {
		last := &g.rows[len(g.rows)-1]
		return Listed{N: n, Rules: last.Rule, Size: last.Size, Plies: last.Ply, Title: titleOfRows(g.rows)}
	}
	t := g.Tree
	_, reason := g.Result()
	return Listed{
		N: n, Rules: g.Variant.Rule(), Size: cmp.Or(g.Variant.Size, t.Size), Plies: len(t.Moves(t.MainLeaf())),
		Result: t.Result, Reason: string(reason), Title: t.Title(),
	}
}

// titleOfRows says where a game comes from, and the gravest that was found in it.
func titleOfRows(rows []crosscheck.Row) string {
	grave, differ := 0, 0
	for i := range rows {
		switch rows[i].Verdict {
		case crosscheck.MCTSBlunder, crosscheck.AlphaBetaBlunder:
			grave++
		case crosscheck.Differ:
			differ++
		}
	}
	text := filepath.Base(rows[0].Source)
	if grave > 0 {
		text += fmt.Sprintf(", %d blunders", grave)
	}
	if differ > 0 {
		text += fmt.Sprintf(", %d differ", differ)
	}
	return text
}

// show returns the game as the page takes it.
func (g *fileGame) show() (*board.Game, error) {
	switch {
	case len(g.rows) > 0:
		return showRows(g.rows)
	case g.wrong != nil:
		return nil, g.wrong
	case len(g.Tree.Nodes) > board.MaxNodes:
		return nil, fmt.Errorf("%d moves: want at most %d; cut it with carozero convert", len(g.Tree.Nodes), board.MaxNodes)
	}
	shown, err := board.ShowRecord(&g.Record)
	if err == nil && g.shard != nil {
		err = g.addSearches(shown)
	}
	return shown, err
}

// showRows makes a game of rows.
func showRows(rows []crosscheck.Row) (*board.Game, error) {
	last := &rows[len(rows)-1]
	v, err := games.VariantOf(last.Rule, last.Size)
	if err != nil {
		return nil, err
	}
	start, moves, err := v.ParseGame(last.Position)
	if err != nil {
		return nil, err
	}
	r := gamefiles.Begin(v, start)
	r.Tree.Name = last.Source
	if _, err := r.Tree.Extend(0, start.ToMove(), moves, nil); err != nil {
		return nil, err
	}
	g, err := board.ShowRecord(&r)
	if err != nil {
		return nil, err
	}
	g.Values = make([]*float64, len(moves)+1)
	for i := range rows {
		row := &rows[i]
		_, own, err := v.ParseGame(row.Position)
		if err != nil || len(own) > len(moves) {
			return nil, fmt.Errorf("row %d: %q is no position of the game", row.Index, row.Position)
		}
		side := game.First
		if row.ToMove == game.Second.String() {
			side = game.Second
		}
		g.Turns = append(g.Turns, turnOfRow(row, len(own), side))
		g.Values[len(own)] = blackRate(row.MCTS.Value, side)
	}
	return g, nil
}

// blackRate returns Black's win rate for a value in -1..1 of the side to move.
func blackRate(value float64, side game.Side) *float64 {
	rate := (value + 1) / 2
	if side == game.Second {
		rate = 1 - rate
	}
	return &rate
}

// turnOfRow shows a row.
func turnOfRow(row *crosscheck.Row, turn int, side game.Side) board.Turn {
	m, a := &row.MCTS, &row.AlphaBeta
	t := board.Turn{
		TurnNumber: turn, NetQ: &m.NetValue,
		MCTS:      &board.TurnView{Move: m.Move, Value: m.Value, Claim: m.Claim, PV: append([]string{}, m.PV...)},
		AlphaBeta: &board.TurnView{Move: a.Move, Value: a.Value, Claim: a.Claim, PV: append([]string{}, a.PV...)},
		Verdict:   analysis.NewVerdict(row),
	}
	for _, p := range []*analysis.Replayed{t.Verdict.Proof, t.Verdict.AlphaBetaProof} {
		if p != nil {
			p.Certificate = nil
		}
	}
	if w := row.Win; w != nil {
		t.Proven = analysis.NewProof(side, game.Won, w.Plies)
		t.Proven.Line = w.Line
	}
	return t
}

// addSearches adds what the search saw at each turn that has a row in the shard.
func (g *fileGame) addSearches(shown *board.Game) error {
	enc, err := g.Variant.Encoder("")
	if err != nil {
		return err
	}
	line, err := g.Line(g.Tree.MainLeaf(), -1)
	if err != nil {
		return err
	}
	pos, err := line.Start()
	if err != nil {
		return err
	}
	c, moves := g.shard.Columns, line.Moves
	shown.Values = make([]*float64, len(moves)+1)
	turn := 0
	for i := range c.Rows {
		if int(c.Game[i]) != g.n {
			continue
		}
		ply := int(c.Ply[i])
		if ply < turn || ply > len(moves) {
			return fmt.Errorf("row %d is of turn %d of %d", i, ply, len(moves))
		}
		for ; turn < ply; turn++ {
			pos.Play(moves[turn])
		}
		shown.Turns = append(shown.Turns, turnOfSample(c, i, pos, enc, g.Variant.Notation()))
		shown.Values[ply] = blackRate(float64(c.RootQ[i]), pos.ToMove())
	}
	return nil
}

// provenResults are the values of the column proven, which does not say in how many plies.
var provenResults = map[int8]game.Result{
	samples.ProvenWin: game.Won, samples.ProvenDraw: game.Drawn, samples.ProvenLoss: game.Lost,
}

// turnOfSample returns what a row says of a position.
func turnOfSample(c *samples.Columns, i int, pos game.Position, enc nn.Encoder, n game.Notation) board.Turn {
	names := map[int]string{}
	for _, m := range pos.Moves(nil) {
		names[enc.Action(pos, m, 0)] = n.FormatMove(m)
	}
	root, net, weight, full := float64(c.RootQ[i]), float64(c.NetQ[i]), float64(c.Weight[i]), c.FullSearch[i] != 0
	t := board.Turn{
		TurnNumber: int(c.Ply[i]), RootQ: &root, NetQ: &net, Weight: &weight, FullSearch: &full,
		Played: names[int(c.Played[i])],
	}
	for k := int(c.VisitOffsets[i]); k < min(int(c.VisitOffsets[i+1]), len(c.VisitActions)); k++ {
		name := names[int(c.VisitActions[k])]
		if name != "" && c.VisitCounts[k] > 0 {
			t.Visits = append(t.Visits, [2]any{name, c.VisitCounts[k]})
		}
		if name != "" && c.PolicyTarget[k] > 0 {
			t.Policy = append(t.Policy, [2]any{name, c.PolicyTarget[k]})
		}
	}
	slices.SortStableFunc(t.Visits, func(a, b [2]any) int { return int(b[1].(uint32)) - int(a[1].(uint32)) })
	if result := provenResults[c.Proven[i]]; result != game.Unproven {
		t.Proven = analysis.NewProof(pos.ToMove(), result, 0)
	}
	return t
}
