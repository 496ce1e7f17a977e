package book

import (
	"cmp"
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// VariantInfo is a variant of a book, and how much there is of it.
type VariantInfo struct {
	Variant
	Positions, Values, Certificates int64
	Labelled, Expanded              int64
}

// Variants returns what the book is of, in the order in which it met them.
func (b *Book) Variants() (list []VariantInfo, err error) {
	var i VariantInfo
	var rules string
	into := []any{&rules, &i.Size, &i.Positions, &i.Labelled, &i.Expanded, &i.Values, &i.Certificates}
	err = b.each(`SELECT v.rules, v.size, count(p.key), coalesce(sum(p.label > 0), 0), coalesce(sum(p.expanded), 0),
			coalesce(sum(length(p.judged)), 0) / 32,
			(SELECT count(*) FROM certificate x WHERE x.variant = v.id)
		FROM variant v LEFT JOIN position p ON p.variant = v.id GROUP BY v.id ORDER BY v.id`, nil, into, func() error {
		var err error
		i.Variant, err = parseVariant(rules, i.Size)
		list = append(list, i)
		return err
	})
	return list, err
}

// Covers returns nil if the book has positions of a variant, else an error that wraps
// ErrVariant and says of which it has some.
func (b *Book) Covers(v Variant) error {
	_, err := b.variant(v)
	return err
}

// CoversGame reports whether the book has something of the rules and the size of a position.
func (b *Book) CoversGame(pos game.Position) bool {
	board, ok := pos.(*gomoku.Board)
	return ok && b.Covers(VariantOf(board)) == nil
}

// positions calls a function for each position of a variant of which a condition holds, with
// its key, and its moves as they are stored.
func (b *Book) positions(v Variant, where string, args []any, do func(key string, p *Position) error) error {
	id, err := b.variant(v)
	if err != nil {
		return err
	}
	var (
		key, judged             []byte
		label, author, at, cert int64
		p                       Position
	)
	into := []any{&key, &label, &p.Expanded, &p.Comment, &author, &at, &judged, &cert}
	return b.each(`SELECT key, label, expanded, comment, author, time, judged, certified
		FROM position WHERE variant = ? AND `+where, append([]any{id}, args...), into, func() (err error) {
		if label < 0 || label > int64(Excluded) || cert < -maxPlies || cert > maxPlies {
			return damaged("a position with the label %d, certified for %d plies", label, cert)
		}
		found := p
		found.Label, found.Time = Label(label), time.Unix(at, 0).UTC()
		found.Certified, found.CertifiedPlies = proofOf(cert)
		if found.Author, err = b.author(author); err != nil {
			return err
		}
		if found.Values, err = b.values(judged, v.Size*v.Size); err != nil {
			return err
		}
		return do(string(key), &found)
	})
}

// Get returns what the book says of a position; ok is false if it has none of it. The
// error wraps ErrVariant if the book is of other rules.
func (b *Book) Get(pos *gomoku.Board) (p Position, ok bool, err error) {
	at := placeOf(pos)
	err = b.positions(VariantOf(pos), "key = ?", []any{at.key}, func(_ string, found *Position) error {
		p, ok = *found, true
		return nil
	})
	p.turn(pos.Size(), at)
	return p, ok, err
}

// turn gives the moves of a position the caller's orientation.
func (p *Position) turn(size int, at place) {
	for i := range p.Values {
		p.Values[i].Best = at.own(size, p.Values[i].Best)
	}
}

// Move is a move of a position, and what the book says of the position after it, whose
// values are of the opponent.
type Move struct {
	Move  game.Move
	After Position
}

// Moves returns the moves of a position that the book knows, in ascending order. pos is
// the same afterwards.
func (b *Book) Moves(pos *gomoku.Board) (list []Move, err error) {
	legal := pos.Moves(nil)
	places := make([]place, len(legal))
	var keys []string
	for i, m := range legal {
		pos.Play(m)
		if pos.Outcome() == game.Undecided {
			places[i] = placeOf(pos)
			keys = append(keys, hex.EncodeToString(places[i].key))
		}
		pos.Undo()
	}
	asked, err := json.Marshal(keys)
	if err != nil {
		return nil, err
	}
	found := map[string]*Position{}
	err = b.positions(VariantOf(pos), "key IN (SELECT unhex(value) FROM json_each(?))", []any{string(asked)},
		func(key string, p *Position) error { found[key] = p; return nil })
	for i, m := range legal {
		if p := found[string(places[i].key)]; p != nil {
			after := *p
			after.Values = slices.Clone(p.Values)
			after.turn(pos.Size(), places[i])
			list = append(list, Move{m, after})
		}
	}
	return list, err
}

// Entry is a position of the book as it is stored.
type Entry struct {
	Board *gomoku.Board // at the position, in the orientation of its key
	Position
}

// Each calls a function for each position of a variant, in the order of their keys.
func (b *Book) Each(ctx context.Context, v Variant, do func(e Entry) error) error {
	return b.positions(v, "true ORDER BY key", nil, func(key string, p *Position) error {
		board, err := v.Board(key)
		if err = cmp.Or(ctx.Err(), err); err != nil {
			return err
		}
		return do(Entry{board, *p})
	})
}

// Certificate returns the certificate of a position, nil if it has none.
func (b *Book) Certificate(pos *gomoku.Board) (data []byte, err error) {
	id, err := b.variant(VariantOf(pos))
	if err != nil {
		return nil, err
	}
	var found []byte
	err = b.each("SELECT data FROM certificate WHERE variant = ? AND key = ?", []any{id, placeOf(pos).key}, []any{&found},
		func() error { data = found; return nil })
	return data, err
}

// View is what a book says of a position and of the moves there, as programs read it.
type View struct {
	Found bool          `json:"found"` // the position is in the book
	Here  *ViewPosition `json:"here,omitempty"`
	Moves []ViewMove    `json:"moves"` // the best first
}

// ViewMove is a move, and what the book says of the position after it.
type ViewMove struct {
	Move string `json:"move"`
	ViewPosition
}

// ViewPosition is what a book says of a position. The value is of the side to move where it
// is asked about; so that after a move is of the side that plays it.
type ViewPosition struct {
	Value       *float64    `json:"value,omitempty"`
	Proof       game.Result `json:"proof,omitempty"`
	Label       string      `json:"label,omitempty"` // of the side to move in the position itself
	Comment     string      `json:"comment,omitempty"`
	Certificate bool        `json:"certificate,omitempty"`
	Author      string      `json:"author"`
	Time        string      `json:"time"`
	Values      []ViewValue `json:"values,omitempty"`
}

// ViewValue is an engine's value of a position, for the side to move in it.
type ViewValue struct {
	Engine  string      `json:"engine"`
	Network string      `json:"network,omitempty"`
	Build   string      `json:"build,omitempty"`
	Value   float64     `json:"value"`
	Proof   game.Result `json:"proof,omitempty"`
	Plies   int         `json:"plies,omitempty"`
	Nodes   int64       `json:"nodes,omitempty"`
	Depth   int         `json:"depth,omitempty"`
	Best    string      `json:"best,omitempty"`
}

// View returns what the book says of a position and of the moves there, in a notation. The
// error wraps ErrVariant if the book is of other rules.
func (b *Book) View(pos *gomoku.Board, n game.Notation) (*View, error) {
	v := &View{Moves: []ViewMove{}}
	p, there, err := b.Get(pos)
	if err != nil {
		return nil, err
	}
	if v.Found = there; there {
		here := viewOf(n, &p, false)
		v.Here = &here
	}
	moves, err := b.Moves(pos)
	if err != nil {
		return nil, err
	}
	for i := range moves {
		v.Moves = append(v.Moves, ViewMove{Move: n.FormatMove(moves[i].Move), ViewPosition: viewOf(n, &moves[i].After, true)})
	}
	value := func(m ViewMove) float64 { // those without one are last
		if m.Value == nil {
			return -2
		}
		return *m.Value
	}
	slices.SortStableFunc(v.Moves, func(a, b ViewMove) int { return cmp.Compare(value(b), value(a)) })
	return v, nil
}

// viewOf returns what a book says of a position, as the side that moved there sees it if
// after is true.
func viewOf(n game.Notation, p *Position, after bool) ViewPosition {
	r := ViewPosition{
		Comment: p.Comment, Author: p.Author, Time: p.Time.Format("2006-01-02 15:04:05"),
		Certificate: !after && p.Certified != game.Unproven,
	}
	proof, _ := p.Proof()
	value, ok := p.Worth()
	if after {
		value, proof = 0-value, proof.Flip()
	}
	if r.Proof = proof; ok {
		r.Value = &value
	}
	if p.Label != None {
		r.Label = p.Label.String()
	}
	for i := range p.Values {
		r.Values = append(r.Values, p.Values[i].View(n))
	}
	return r
}

// View returns the value as programs read it.
func (v *Value) View(n game.Notation) ViewValue {
	x := ViewValue{
		Engine: v.Engine, Network: v.Network, Build: v.Build, Value: v.Value,
		Proof: v.Proof, Plies: v.Plies, Nodes: v.Nodes, Depth: v.Depth,
	}
	if v.Best != game.NoMove {
		x.Best = n.FormatMove(v.Best)
	}
	return x
}

// Look returns what the book says of a position of any game and of the moves there, a [*View].
// Of games and rules that it has nothing of it says nothing.
func (b *Book) Look(pos game.Position, n game.Notation) (view any, err error) {
	nothing := &View{Moves: []ViewMove{}}
	board, ok := pos.(*gomoku.Board)
	if !ok || board.Outcome() != game.Undecided {
		return nothing, nil
	}
	v, err := b.View(board.Copy(), n)
	if errors.Is(err, ErrVariant) {
		return nothing, nil
	}
	if err != nil {
		return nil, fmt.Errorf("book %s: %w", b.path, err)
	}
	return v, nil
}
