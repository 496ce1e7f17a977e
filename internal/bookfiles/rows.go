package bookfiles

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
)

// maxRow bounds a line of positions, in bytes.
const maxRow = 1 << 20

// rows takes over the lines that WriteJSON writes: values that are new or of more nodes,
// results by their origins, and labels and comments where the book has none.
func (i *importer) rows(path string, in io.Reader) error {
	lines := disk.NewLines(in, maxRow, math.MaxInt)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		if err := i.ctx.Err(); err != nil {
			return err
		}
		var r row
		err := json.Unmarshal([]byte(line), &r)
		if err == nil {
			err = i.row(&r)
		}
		if err != nil {
			return fmt.Errorf("%s:%d: %w", path, lines.Number(), err)
		}
		i.sum.Games++
		if i.o.Progress != nil {
			i.o.Progress(int(i.sum.Games))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%s:%d: %w", path, lines.Number()+1, err)
	}
	return nil
}

// row takes over one position.
func (i *importer) row(r *row) error {
	pos, err := r.board()
	if err != nil {
		return err
	}
	by := book.Stamp{Author: r.Author, Time: time.Unix(r.Time, 0).UTC()}
	at := book.Position{Comment: r.Comment, Stamp: by}
	if r.Label != "" {
		var ok bool
		if at.Label, ok = book.LabelOf(r.Label); !ok {
			return fmt.Errorf("unknown label %.20q", r.Label)
		}
	}
	for k := range r.Values {
		v, err := r.Values[k].value(pos, by)
		if err != nil {
			return err
		}
		at.Values = append(at.Values, v)
	}
	sum := r.Results
	for _, g := range r.Origins {
		sum.Wins, sum.Draws, sum.Losses = sum.Wins-g.Wins, sum.Draws-g.Draws, sum.Losses-g.Losses
	}
	if sum != (book.Results{}) {
		return errors.New("wins, draws and losses are not the sums of the results by origin")
	}
	said := book.Said{Entry: book.Entry{Board: pos, Position: at}, Origins: r.Origins}
	return i.w.Merge(i.b, said, book.MergeOptions{Note: i.o.Note}, &i.sum.Merged)
}

// board returns the position of a row.
func (r *row) board() (*gomoku.Board, error) {
	v, err := games.NewVariant(games.VariantOptions{Rule: r.Rule, Size: r.Size, OpenRule: r.OpenRule})
	if err != nil {
		return nil, err
	}
	rules, ok := v.Gomoku()
	if !ok || v.Size != r.Size {
		return nil, fmt.Errorf("no gomoku: %s", v)
	}
	s := gomoku.Setup{Stones: make([]gomoku.Stone, v.Size*v.Size), ToMove: game.First}
	switch r.ToMove {
	case game.First.String():
	case game.Second.String():
		s.ToMove = game.Second
	default:
		return nil, fmt.Errorf("%.20q to move: want first or second", r.ToMove)
	}
	if r.Captured != nil {
		s.Captured = *r.Captured
	}
	n := gomoku.Notation{Size: v.Size}
	for side, text := range []string{r.First, r.Second} {
		cells, err := n.ParseMoves(text)
		if err != nil {
			return nil, err
		}
		for _, c := range cells {
			if s.Stones[c] != gomoku.Empty {
				return nil, fmt.Errorf("two stones on %s", n.FormatMove(c))
			}
			s.Stones[c] = gomoku.StoneOf(game.Side(side))
		}
	}
	pos, err := gomoku.NewSetup(rules, v.Size, s)
	if err == nil && pos.Outcome() != game.Undecided {
		err = book.ErrOver
	}
	return pos, err
}

// value returns the value of a row.
func (x *rowValue) value(pos *gomoku.Board, by book.Stamp) (book.Value, error) {
	v := book.Value{
		Source: book.Source{Engine: x.Engine, Network: x.Network, Build: x.Build}, Value: x.Value, Plies: x.Plies, Nodes: x.Nodes, Depth: x.Depth, Best: game.NoMove, Stamp: by,
	}
	for _, p := range []book.Result{book.Won, book.Drawn, book.Lost} {
		if p.String() == x.Proof {
			v.Proof = p
		}
	}
	if v.Proof.String() != x.Proof {
		return v, fmt.Errorf("a proof of %.20q: want win, draw or loss", x.Proof)
	}
	if x.Best == "" {
		return v, nil
	}
	best, err := gomoku.Notation{Size: pos.Size()}.ParseMoves(x.Best)
	if err == nil && (len(best) != 1 || !pos.Legal(best[0])) {
		err = fmt.Errorf("the best move %.20q is not legal", x.Best)
	}
	if err == nil {
		v.Best = best[0]
	}
	return v, err
}
