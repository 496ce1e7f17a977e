package book

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/games"
)

// row is a position as a JSON line.
type row struct {
	Rule     string  `json:"rule"`
	Size     int     `json:"size"`
	OpenRule bool    `json:"open_rule,omitempty"`
	First    string  `json:"first"` // stones
	Second   string  `json:"second"`
	ToMove   string  `json:"to_move"`
	Captured *[2]int `json:"captured,omitempty"`
	Label    string  `json:"label,omitempty"`
	Comment  string  `json:"comment,omitempty"`
	Results
	Origins []OriginResults `json:"results,omitempty"`
	Values  []rowValue      `json:"values"`
	Author  string          `json:"author"`
	Time    int64           `json:"time"` // seconds since 1970
}

// rowValue is a [ViewValue] that always has its nodes and depth.
type rowValue struct {
	Engine  string      `json:"engine"`
	Network string      `json:"network,omitempty"`
	Build   string      `json:"build,omitempty"`
	Value   float64     `json:"value"`
	Proof   game.Result `json:"proof,omitempty"`
	Plies   int         `json:"plies,omitempty"`
	Nodes   int64       `json:"nodes"`
	Depth   int         `json:"depth"`
	Best    string      `json:"best,omitempty"`
}

// WriteJSON writes the positions of a variant as JSON lines, in the orientation in which
// they are stored.
func (b *Book) WriteJSON(ctx context.Context, v Variant, out io.Writer) (sum Written, err error) {
	lines := json.NewEncoder(out)
	lines.SetEscapeHTML(false)
	n := gomoku.Notation{Size: v.Size}
	return sum, b.Each(ctx, v, func(e Entry) (err error) {
		sum.Positions++
		r := row{
			Rule: v.Rules.Name, Size: v.Size, OpenRule: v.Rules.OpenDistance > 0, ToMove: e.Board.ToMove().String(),
			First: n.FormatMoves(StonesOf(e.Board, game.First)), Second: n.FormatMoves(StonesOf(e.Board, game.Second)),
			Comment: e.Comment, Results: e.Results, Values: []rowValue{}, Author: e.Author, Time: e.Time.Unix(),
		}
		if taken := [2]int{e.Board.Captured(game.First), e.Board.Captured(game.Second)}; taken != [2]int{} {
			r.Captured = &taken
		}
		if e.Label != None {
			r.Label = e.Label.String()
		}
		for i := range e.Values {
			r.Values = append(r.Values, rowValue(e.Values[i].View(n)))
		}
		if r.Origins, err = b.ResultsByOrigin(e.Board); err != nil {
			return err
		}
		return lines.Encode(&r)
	})
}

// maxRow bounds a line of positions, in bytes.
const maxRow = 1 << 20

// MergeLines takes over the lines that WriteJSON writes, as Merge does the positions of another
// book. The error begins with the number of the line.
func (w *Writer) MergeLines(ctx context.Context, b *Book, in io.Reader, o MergeOptions, sum *Merged) error {
	lines := disk.NewLines(in, maxRow, math.MaxInt)
	for line, ok := lines.Next(); ok; line, ok = lines.Next() {
		if err := ctx.Err(); err != nil {
			return err
		}
		var r row
		var s Said
		err := json.Unmarshal([]byte(line), &r)
		if err == nil {
			s, err = r.said()
		}
		if err == nil {
			err = w.Merge(b, s, o, sum)
		}
		if err != nil {
			return fmt.Errorf("%d: %w", lines.Number(), err)
		}
		if o.Progress != nil {
			o.Progress(int(sum.Positions))
		}
	}
	if err := lines.Err(); err != nil {
		return fmt.Errorf("%d: %w", lines.Number()+1, err)
	}
	return nil
}

// said returns what a row says.
func (r *row) said() (s Said, err error) {
	pos, err := r.board()
	if err != nil {
		return s, err
	}
	by := Stamp{Author: r.Author, Time: time.Unix(r.Time, 0).UTC()}
	at := Position{Comment: r.Comment, Stamp: by}
	if r.Label != "" {
		var ok bool
		if at.Label, ok = LabelOf(r.Label); !ok {
			return s, fmt.Errorf("unknown label %.20q", r.Label)
		}
	}
	for k := range r.Values {
		v, err := r.Values[k].value(pos, by)
		if err != nil {
			return s, err
		}
		at.Values = append(at.Values, v)
	}
	sum := r.Results
	for _, g := range r.Origins {
		sum.Wins, sum.Draws, sum.Losses = sum.Wins-g.Wins, sum.Draws-g.Draws, sum.Losses-g.Losses
	}
	if sum != (Results{}) {
		return s, errors.New("wins, draws and losses are not the sums of the results by origin")
	}
	return Said{Entry: Entry{Board: pos, Position: at}, Origins: r.Origins}, nil
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
		err = ErrOver
	}
	return pos, err
}

// value returns the value of a row.
func (x *rowValue) value(pos *gomoku.Board, by Stamp) (Value, error) {
	v := Value{
		Source: Source{Engine: x.Engine, Network: x.Network, Build: x.Build}, Value: x.Value, Proof: x.Proof,
		Plies: x.Plies, Nodes: x.Nodes, Depth: x.Depth, Best: game.NoMove, Stamp: by,
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
