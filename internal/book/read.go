package book

import (
	"bytes"
	"context"
	"database/sql"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
)

// columns are of a position, but for its key.
const columns = "label, expanded, wins, draws, losses, comment, author, time, judged, certified FROM position WHERE variant = ? AND "

// statements are prepared once for all reads.
type statements struct {
	one  *sql.Stmt
	many [len(manyKeys)]*sql.Stmt // with so many keys each
	next *sql.Stmt                // a page of positions in the order of their keys
}

// manyKeys are numbers of keys that one statement takes; keys are filled up with the
// last one.
var manyKeys = [...]int{16, 128, gomoku.MaxSize * gomoku.MaxSize}

// pageRows is how many positions Each reads at a time.
const pageRows = 256

func (s *statements) prepare(b *Book) (err error) {
	if s.one, err = b.readers.Prepare("SELECT " + columns + "key = ?"); err != nil {
		return err
	}
	for i, n := range manyKeys {
		text := "SELECT key, " + columns + "key IN (?" + strings.Repeat(",?", n-1) + ")"
		if s.many[i], err = b.readers.Prepare(text); err != nil {
			return err
		}
	}
	s.next, err = b.readers.Prepare("SELECT key, " + columns + "key > ? ORDER BY key LIMIT ?")
	return err
}

func (s *statements) close() error {
	var err error
	for _, stmt := range append(s.many[:], s.one, s.next) {
		if stmt != nil {
			err = errors.Join(err, stmt.Close())
		}
	}
	return err
}

// names keeps the texts that rows have numbers for. They are never changed or deleted,
// so that only a number that was not met yet is asked for.
type names struct {
	book *Book

	lock     sync.RWMutex
	authors  map[int64]string
	sources  map[int64]Source
	variants map[Variant]int64
}

// author returns the name of a number.
func (n *names) author(id int64) (string, error) {
	n.lock.RLock()
	name, known := n.authors[id]
	n.lock.RUnlock()
	if known {
		return name, nil
	}
	err := n.load()
	n.lock.RLock()
	defer n.lock.RUnlock()
	if name, known = n.authors[id]; !known && err == nil {
		err = damaged("an author %d without a name", id)
	}
	return name, err
}

// source returns the source of a number.
func (n *names) source(id int64) (Source, error) {
	n.lock.RLock()
	s, known := n.sources[id]
	n.lock.RUnlock()
	if known {
		return s, nil
	}
	err := n.load()
	n.lock.RLock()
	defer n.lock.RUnlock()
	if s, known = n.sources[id]; !known && err == nil {
		err = damaged("a source %d without a name", id)
	}
	return s, err
}

// variant returns the number of a variant. The error wraps ErrVariant if the book has
// none of it.
func (n *names) variant(v Variant) (int64, error) {
	n.lock.RLock()
	id, known := n.variants[v]
	n.lock.RUnlock()
	if known {
		return id, nil
	}
	err := n.load()
	n.lock.RLock()
	defer n.lock.RUnlock()
	if id, known = n.variants[v]; known || err != nil {
		return id, err
	}
	var have []string
	for of := range n.variants {
		have = append(have, of.String())
	}
	slices.Sort(have)
	if len(have) == 0 {
		return 0, fmt.Errorf("%w: it is empty", ErrVariant)
	}
	return 0, fmt.Errorf("%w: it is of %s, and not of %s", ErrVariant, strings.Join(have, ", "), v)
}

// load reads all names anew.
func (n *names) load() error {
	authors, sources, variants := map[int64]string{}, map[int64]Source{}, map[Variant]int64{}
	err := n.book.each("SELECT id, name FROM author", func(scan func(...any) error) error {
		var id int64
		var name string
		err := scan(&id, &name)
		if authors[id] = name; err == nil {
			err = asDamage(checkText("an author's name", name, MaxName))
		}
		return err
	})
	if err == nil {
		err = n.book.each("SELECT id, engine, network, build FROM source", func(scan func(...any) error) error {
			var id int64
			var s Source
			err := scan(&id, &s.Engine, &s.Network, &s.Build)
			sources[id] = s
			for _, name := range []string{s.Engine, s.Network, s.Build} {
				if err == nil {
					err = asDamage(checkText("a source's name", name, MaxName))
				}
			}
			return err
		})
	}
	if err == nil {
		err = n.book.each("SELECT id, rules, size FROM variant", func(scan func(...any) error) error {
			var id int64
			var rules string
			var size int
			if err := scan(&id, &rules, &size); err != nil {
				return err
			}
			v, err := parseVariant(rules, size)
			variants[v] = id
			return err
		})
	}
	if err != nil {
		return err
	}
	n.lock.Lock()
	defer n.lock.Unlock()
	n.authors, n.sources, n.variants = authors, sources, variants
	return nil
}

func asDamage(err error) error {
	if err != nil {
		return damaged("%v", err)
	}
	return nil
}

// each calls a function for each row of a query.
func (b *Book) each(query string, do func(scan func(...any) error) error, args ...any) error {
	rows, err := b.readers.Query(query, args...)
	if err != nil {
		return told(err)
	}
	defer rows.Close()
	for rows.Next() {
		if err := do(rows.Scan); err != nil {
			return err
		}
	}
	return told(rows.Err())
}

// Covers returns nil if the book has positions of a variant, else an error that wraps
// ErrVariant and says of which it has some.
func (b *Book) Covers(v Variant) error {
	_, err := b.names.variant(v)
	return err
}

// Get returns what the book says of a position; ok is false if it has none of it. The
// error wraps ErrVariant if the book is of other rules.
func (b *Book) Get(pos *gomoku.Board) (p Position, ok bool, err error) {
	v := VariantOf(pos)
	id, err := b.names.variant(v)
	if err != nil {
		return p, false, err
	}
	at := placeOf(pos)
	err = b.read(b.stmts.one, v, []any{id, at.key}, func(_ []byte, found *Position) error {
		p, ok = *found, true
		return nil
	})
	p.turn(v.Size, at)
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
func (b *Book) Moves(pos *gomoku.Board) ([]Move, error) {
	v := VariantOf(pos)
	id, err := b.names.variant(v)
	if err != nil {
		return nil, err
	}
	legal := pos.Moves(nil)
	places := make([]place, len(legal))
	args := []any{id}
	asked := make(map[string]bool, len(legal))
	for i, m := range legal {
		pos.Play(m)
		over := pos.Outcome() != game.Undecided
		if !over {
			places[i] = placeOf(pos)
		}
		pos.Undo()
		if !over && !asked[string(places[i].key)] {
			asked[string(places[i].key)] = true
			args = append(args, places[i].key)
		}
	}
	if len(args) == 1 {
		return nil, nil
	}
	stmt := b.stmts.many[0]
	for i, n := range manyKeys {
		if len(args)-1 <= n {
			stmt = b.stmts.many[i]
			for len(args)-1 < n {
				args = append(args, args[len(args)-1])
			}
			break
		}
	}
	found := map[string]Position{}
	err = b.read(stmt, v, args, func(key []byte, p *Position) error {
		found[string(key)] = *p
		return nil
	})
	var list []Move
	for i, m := range legal {
		if p, ok := found[string(places[i].key)]; ok {
			p.Values = append([]Value(nil), p.Values...)
			p.turn(v.Size, places[i])
			list = append(list, Move{m, p})
		}
	}
	return list, err
}

// read calls a function for each position that a statement finds, with its key, nil where
// only one was asked for, and its moves as they are stored. The position is the function's to keep.
func (b *Book) read(stmt *sql.Stmt, v Variant, args []any, do func(key []byte, p *Position) error) error {
	rows, err := stmt.Query(args...)
	if err != nil {
		return told(err)
	}
	defer rows.Close()
	var (
		r    row
		into = r.columns()
	)
	if stmt == b.stmts.one {
		into = into[1:]
	}
	for rows.Next() {
		if err := rows.Scan(into...); err != nil {
			return damaged("a position: %v", err)
		}
		p, err := r.position(b, v.Size*v.Size)
		if err == nil {
			err = do(bytes.Clone(r.key), p)
		}
		if err != nil {
			return err
		}
	}
	return told(rows.Err())
}

// row is a row of columns.
type row struct {
	key, judged                                     sql.RawBytes
	label, expanded, wins, draws, losses, certified int64
	comment                                         string
	author, time                                    int64
}

func (r *row) columns() []any {
	return []any{&r.key, &r.label, &r.expanded, &r.wins, &r.draws, &r.losses, &r.comment, &r.author, &r.time, &r.judged, &r.certified}
}

// position returns the position of a row on a board of so many cells.
func (r *row) position(b *Book, cells int) (*Position, error) {
	p := &Position{
		Label: Label(r.label), Expanded: r.expanded != 0, Comment: r.comment, Results: Results{r.wins, r.draws, r.losses},
	}
	if r.label < 0 || r.label > int64(Excluded) || r.expanded>>1 != 0 || r.wins < 0 || r.draws < 0 || r.losses < 0 {
		return nil, damaged("a position with the label %d and results %d, %d, %d", r.label, r.wins, r.draws, r.losses)
	}
	if p.Certified, p.CertifiedPlies = settled(r.certified); p.CertifiedPlies > maxPlies {
		return nil, damaged("a position that is certified for %d plies: want at most %d", p.CertifiedPlies, maxPlies)
	}
	if err := asDamage(CheckComment(r.comment)); err != nil {
		return nil, err
	}
	var err error
	if p.Author, err = b.names.author(r.author); err == nil {
		p.Values, err = b.values(r.judged, cells)
	}
	p.Time = time.Unix(r.time, 0).UTC()
	return p, err
}

// Entry is a position of the book as it is stored.
type Entry struct {
	Board *gomoku.Board // at the position, in the orientation of its key
	Position
}

// Each calls a function for each position of a variant, in the order of their keys. What
// is written meanwhile may be met or not.
func (b *Book) Each(ctx context.Context, v Variant, do func(e Entry) error) error {
	id, err := b.names.variant(v)
	if err != nil {
		return err
	}
	for last := []byte{}; ; {
		var page []Entry
		err := b.read(b.stmts.next, v, []any{id, last, pageRows}, func(key []byte, p *Position) error {
			board, err := v.boardOf(key)
			if err != nil {
				return err
			}
			last = key
			page = append(page, Entry{board, *p})
			return nil
		})
		if err != nil || len(page) == 0 {
			return err
		}
		for _, e := range page {
			if err := ctx.Err(); err != nil {
				return err
			}
			if err := do(e); err != nil {
				return err
			}
		}
	}
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

// ViewPosition is what a book says of a position. Value and results are of the side to
// move where it is asked about; so those after a move are of the side that plays it.
type ViewPosition struct {
	Value       *float64    `json:"value,omitempty"`
	Proof       string      `json:"proof,omitempty"`
	Wins        int64       `json:"wins"`
	Draws       int64       `json:"draws"`
	Losses      int64       `json:"losses"`
	Label       string      `json:"label,omitempty"` // of the side to move in the position itself
	Comment     string      `json:"comment,omitempty"`
	Certificate bool        `json:"certificate,omitempty"`
	Author      string      `json:"author"`
	Time        string      `json:"time"`
	Values      []ViewValue `json:"values,omitempty"`
}

// ViewValue is an engine's value of a position, for the side to move in it.
type ViewValue struct {
	Engine  string  `json:"engine"`
	Network string  `json:"network,omitempty"`
	Build   string  `json:"build,omitempty"`
	Value   float64 `json:"value"`
	Proof   string  `json:"proof,omitempty"`
	Plies   int     `json:"plies,omitempty"`
	Nodes   int64   `json:"nodes,omitempty"`
	Depth   int     `json:"depth,omitempty"`
	Best    string  `json:"best,omitempty"`
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
		data, err := b.Certificate(pos)
		if err != nil {
			return nil, err
		}
		here.Certificate = data != nil
		v.Here = &here
	}
	moves, err := b.Moves(pos)
	if err != nil {
		return nil, err
	}
	for i := range moves {
		v.Moves = append(v.Moves, ViewMove{Move: n.FormatMove(moves[i].Move), ViewPosition: viewOf(n, &moves[i].After, true)})
	}
	v.sort()
	return v, nil
}

// viewOf returns what a book says of a position, as the side that moved there sees it if
// after is true.
func viewOf(n game.Notation, p *Position, after bool) ViewPosition {
	r := ViewPosition{
		Wins: p.Results.Wins, Draws: p.Results.Draws, Losses: p.Results.Losses, Comment: p.Comment,
		Author: p.Author, Time: p.Time.Format("2006-01-02 15:04:05"),
	}
	proof, _ := p.Proof()
	value, ok := p.Worth()
	if after {
		r.Wins, r.Losses, value = r.Losses, r.Wins, 0-value
		switch proof {
		case Won:
			proof = Lost
		case Lost:
			proof = Won
		}
	}
	if r.Proof = proof.String(); ok {
		r.Value = &value
	}
	if p.Label != None {
		r.Label = p.Label.String()
	}
	for _, v := range p.Values {
		x := ViewValue{Engine: v.Engine, Network: v.Network, Build: v.Build, Value: v.Value, Proof: v.Proof.String(), Plies: v.Plies, Nodes: v.Nodes, Depth: v.Depth}
		if v.Best != game.NoMove {
			x.Best = n.FormatMove(v.Best)
		}
		r.Values = append(r.Values, x)
	}
	return r
}

// sort puts the moves in order: by value, those without one last, then by results.
func (v *View) sort() {
	value := func(m ViewMove) float64 {
		if m.Value == nil {
			return -2
		}
		return *m.Value
	}
	slices.SortStableFunc(v.Moves, func(a, b ViewMove) int {
		switch x, y := value(a), value(b); {
		case x > y:
			return -1
		case x < y:
			return 1
		}
		return int((b.Wins - b.Losses) - (a.Wins - a.Losses))
	})
}

// ErrChanged: somebody else has changed what was to be changed.
var ErrChanged = errors.New("somebody else has changed it meanwhile")

// Annotation is what a person says of a position.
type Annotation struct {
	Label   Label
	Comment string
}

// Annotate changes the label and the comment of a position from what a person saw there
// to what they say. What they leave as they saw it stays as it is by now: of two people at
// once who change different things, both are kept. Where somebody else has changed the
// same meanwhile, to something else, nothing is written, and the error wraps ErrChanged.
// It returns what the book says by then. A position that is not there is added, unless
// nothing is said of it; the error wraps ErrVariant for one of a game without books.
func (b *Book) Annotate(ctx context.Context, at game.Position, saw, say Annotation, by Stamp) (now Annotation, err error) {
	pos, ok := at.(*gomoku.Board)
	if !ok {
		return now, ErrVariant
	}
	if say.Label > Excluded {
		return now, fmt.Errorf("there is no label %d", say.Label)
	}
	if err := CheckComment(say.Comment); err != nil {
		return now, err
	}
	err = b.Update(ctx, func(w *Writer) error {
		// Nobody writes meanwhile, so that a reader sees the last state.
		p, _, err := b.Get(pos)
		if err != nil && !errors.Is(err, ErrVariant) {
			return err
		}
		now = Annotation{p.Label, p.Comment}
		next := now
		if say.Label != saw.Label {
			if now.Label != saw.Label && now.Label != say.Label {
				return fmt.Errorf("the label is %v now: %w", now.Label, ErrChanged)
			}
			next.Label = say.Label
		}
		if say.Comment != saw.Comment {
			if now.Comment != saw.Comment && now.Comment != say.Comment {
				return fmt.Errorf("there is another comment now: %w", ErrChanged)
			}
			next.Comment = say.Comment
		}
		if next.Label != now.Label {
			err = w.SetLabel(pos, next.Label, by)
		} else {
			err = nil
		}
		if err == nil && next.Comment != now.Comment {
			err = w.SetComment(pos, next.Comment, by)
		}
		if err == nil {
			now = next
		}
		return err
	})
	return now, err
}
