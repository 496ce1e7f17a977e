package web

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/crosscheck"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/gamefiles"
	"github.com/carozero/carozero/internal/games"
)

// rowsReader reads the rows of a cross-check. Rows that follow one another and are
// of one game make one: the longest position has its moves, each row is about a turn.
type rowsReader struct{}

// mostRow bounds a line, in bytes.
const mostRow = 4 << 20

// eachGame calls found with the rows of each game from an offset on, until it
// returns false, and where they begin.
func eachGame(path string, from int64, found func(at int64, rows []crosscheck.Row) bool) error {
	file, err := disk.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	if _, err := file.Seek(from, io.SeekStart); err != nil {
		return err
	}
	in := bufio.NewReaderSize(file, mostRow)
	var rows []crosscheck.Row
	begun, at := from, from
	for {
		line, err := in.ReadSlice('\n')
		if len(line) == 0 && errors.Is(err, io.EOF) {
			break
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		row, wrong := crosscheck.ParseRow(line)
		if wrong != nil && errors.Is(err, io.EOF) {
			break // an interruption has cut it off
		}
		if wrong != nil {
			return fmt.Errorf("%s: byte %d: %w", path, at, wrong)
		}
		if len(rows) > 0 && !sameGame(&rows[len(rows)-1], &row) {
			if !found(begun, rows) {
				return nil
			}
			rows, begun = nil, at
		}
		rows = append(rows, row)
		at += int64(len(line))
	}
	if len(rows) > 0 {
		found(begun, rows)
	}
	return nil
}

// sameGame reports whether the second row goes on with the game of the first.
func sameGame(a, b *crosscheck.Row) bool {
	return a.Source == b.Source && a.Rule == b.Rule && a.Size == b.Size && a.Ply < b.Ply &&
		strings.HasPrefix(b.Position, a.Position)
}

// list implements [reviewReader].
func (rowsReader) list(f *reviewFile) (list []Listed, err error) {
	full := false
	err = eachGame(f.path, 0, func(at int64, rows []crosscheck.Row) bool {
		if full = len(list) == mostListed; full {
			return false
		}
		last := &rows[len(rows)-1]
		list = append(list, Listed{
			N: len(list), Rules: last.Rule, Size: last.Size, Plies: last.Ply, Title: titleOfRows(rows), at: at,
		})
		return true
	})
	if full {
		err = more()
	}
	return list, err
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

// game implements [reviewReader].
func (rowsReader) game(f *reviewFile, entry Listed) (g *Game, err error) {
	failed := eachGame(f.path, entry.at, func(_ int64, rows []crosscheck.Row) bool {
		g, err = gameOfRows(rows)
		return false
	})
	if failed != nil {
		return nil, failed
	}
	if g == nil && err == nil {
		err = errors.New("the file has changed: it is shorter now")
	}
	return g, err
}

// gameOfRows makes a game of rows.
func gameOfRows(rows []crosscheck.Row) (*Game, error) {
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
	g, err := showRecord(&r)
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
		g.Turns = append(g.Turns, turnOfRow(row, len(own)))
		rate := (row.MCTS.Value + 1) / 2
		if row.ToMove == game.Second.String() {
			rate = 1 - rate
		}
		g.Values[len(own)] = &rate
	}
	return g, nil
}

// turnOfRow shows a row.
func turnOfRow(row *crosscheck.Row, turn int) Turn {
	proof := func(p *crosscheck.ProofView) *TurnProof {
		if p == nil {
			return nil
		}
		return &TurnProof{Result: "win", By: p.By, Plies: p.Plies, Line: p.Line}
	}
	t := Turn{
		TurnNumber: turn, NetQ: &row.MCTS.NetValue, Proven: proof(row.Win),
		MCTS: &TurnView{
			Move: row.MCTS.Move, Value: row.MCTS.Value, Claim: row.MCTS.Claim, PV: append([]string{}, row.MCTS.PV...),
		},
		AlphaBeta: &TurnView{
			Move: row.AlphaBeta.Move, Value: row.AlphaBeta.Value, Claim: row.AlphaBeta.Claim,
			PV: append([]string{}, row.AlphaBeta.PV...),
		},
	}
	t.Verdict = &TurnVerdict{
		Verdict: string(row.Verdict), MCTSMove: row.MCTS.Move, AlphaBetaMove: row.AlphaBeta.Move,
		MCTSBlunder: row.MCTSBlunder, AlphaBetaBlunder: row.AlphaBetaBlunder,
		MCTSUnproven: row.MCTSUnproven, AlphaBetaUnproven: row.AlphaBetaUnproven, Proof: proof(row.Proof),
		AlphaBetaProof: proof(row.AlphaBetaProof),
	}
	return t
}
