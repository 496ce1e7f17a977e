package book

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/game/gomoku/certificate"
)

// all returns what a book says of everything, by position.
func all(t *testing.T, b *Book) map[string]Position {
	t.Helper()
	list, err := b.Variants()
	if err != nil {
		t.Fatal(err)
	}
	m := map[string]Position{}
	for _, v := range list {
		if err := b.Each(ctx, v.Variant, func(e Entry) error {
			m[v.String()+stonesOf(e.Board)] = e.Position
			return nil
		}); err != nil {
			t.Fatal(err)
		}
	}
	return m
}

// proven returns a certificate that a side wins at once, or after a double threat.
func proven(t *testing.T, pos *gomoku.Board, winner game.Side) []byte {
	t.Helper()
	c, err := certificate.New(ctx, pos, winner, 1000, func(*gomoku.Board) (game.Move, bool) { return 0, false })
	if err != nil {
		t.Fatal(err)
	}
	return c.Encode()
}

func TestVerify(t *testing.T) {
	four := board(t, "caro", 15, "h8a1i8c1j8e1k8g1")
	open := board(t, "caro", 15, "h8a1i8c1j8e1")
	proof := proven(t, four, game.First)
	certify := func(w *Writer) error { return w.SetCertificate(four, proof, by) }
	for name, c := range map[string]struct {
		do    func(w *Writer) error
		spoil string
		want  string
	}{
		"whole": {do: func(w *Writer) error {
			return errors.Join(w.SetCertificate(image(t, four, 5), proof, by), w.SetLabel(four, Win, by))
		}},
		"certificate of another position": {do: func(w *Writer) error { return w.SetCertificate(open, proof, by) },
			want: "another position"},
		"spoilt certificate": {do: func(w *Writer) error {
			return w.SetCertificate(four, append(append([]byte{}, proof[:len(proof)-1]...), 1), by)
		}, want: "digest"},
		"label against certificate": {certify, "UPDATE position SET label = 2", "something else"},
		"proof without certificate": {spoil: "UPDATE position SET certified = 3", want: "no certificate"},
		"another proof than the certificate's": {certify, "UPDATE position SET certified = -1 WHERE certified > 0",
			"something else"},
		"illegal best move": {do: func(w *Writer) error {
			return w.SetValue(open, Value{Source: Source{Engine: "e"}, Best: 112, Stamp: by})
		}, want: "not legal"},
		"value out of range": {do: func(w *Writer) error {
			return w.SetValue(open, Value{Source: Source{Engine: "e"}, Best: game.NoMove, Stamp: by})
		}, spoil: "UPDATE position SET judged = CAST(substr(judged, 1, 4) || x'00ffffff' || substr(judged, 9) AS BLOB)",
			want: "want -1 to 1"},
		"label out of range": {spoil: "UPDATE position SET label = 9", want: "label 9"},
		"orphan":             {spoil: "INSERT INTO certificate VALUES(1, x'0001', x'', 1, 1)", want: "no position"},
		"not the smallest":   {spoil: "UPDATE position SET key = x'00018001'", want: "not the key"},
		"rules of nobody":    {spoil: `UPDATE variant SET rules = replace(rules, '"Name":', '"Name" :')`, want: "variant"},
	} {
		b := newBook(t, 1)
		update(t, b, func(w *Writer) error {
			_, err := w.add(open, by)
			return err
		})
		if c.do != nil {
			update(t, b, c.do)
		}
		if c.spoil != "" {
			if _, err := b.writer.Exec(c.spoil); err != nil {
				t.Fatal(name, err)
			}
			opened, err := Open(b.Path(), ReadOnly)
			if err != nil {
				t.Fatal(name, err)
			}
			defer opened.Close()
			b = opened
		}
		sum, err := b.Verify(ctx, nil)
		switch {
		case c.want == "" && (err != nil || sum != Checked{Positions: 2, Certificates: 1}):
			t.Errorf("%s: %+v, %v", name, sum, err)
		case c.want != "" && (!errors.Is(err, ErrDamaged) || !strings.Contains(err.Error(), c.want)):
			t.Errorf("%s: %v, want %q", name, err, c.want)
		}
	}
}

// A certificate proves its position by itself, for whichever side wins.
func TestCertified(t *testing.T) {
	b := newBook(t, 1)
	won := board(t, "caro", 15, "h8a1i8c1j8e1k8g1")
	lost := board(t, "caro", 15, "h8a1i8c1j8e1k8") // fours on both sides
	update(t, b, func(w *Writer) error {
		return errors.Join(w.SetCertificate(image(t, won, 3), proven(t, won, game.First), by),
			w.SetCertificate(lost, proven(t, lost, game.First), by))
	})
	for _, x := range []struct {
		pos   *gomoku.Board
		proof game.Result
		plies int
		worth float64
	}{{won, game.Won, 1, 1}, {lost, game.Lost, 2, -1}} {
		p, _, err := b.Get(x.pos)
		r, plies := p.Proof()
		if worth, ok := p.Worth(); err != nil || r != x.proof || plies != x.plies || worth != x.worth || !ok {
			t.Errorf("%v in %d plies, worth %v, %v; want %+v", r, plies, worth, err, x)
		}
	}
	moves, err := b.Moves(board(t, "caro", 15, "h8a1i8c1j8e1k8"))
	if err != nil || len(moves) == 0 || moves[0].After.Certified != game.Won {
		t.Errorf("%+v, %v", moves, err)
	}
	if _, err := b.Verify(ctx, nil); err != nil {
		t.Error(err)
	}
}

// No call of a Writer makes a book whose label and certificate contradict.
func TestContradictions(t *testing.T) {
	pos := board(t, "caro", 15, "h8a1i8c1j8e1k8g1")
	proof := proven(t, pos, game.First)
	certify := func(w *Writer) error { return w.SetCertificate(pos, proof, by) }
	label := func(l Label) func(w *Writer) error {
		return func(w *Writer) error { return w.SetLabel(pos, l, by) }
	}
	for _, l := range []Label{Loss, Draw} {
		for _, do := range [][2]func(w *Writer) error{{label(l), certify}, {certify, label(l)}} {
			b := newBook(t, 1)
			update(t, b, do[0])
			before := all(t, b)
			if err := b.Update(ctx, do[1]); !errors.Is(err, ErrContradicts) || !reflect.DeepEqual(all(t, b), before) {
				t.Errorf("%v: %v", l, err)
			}
		}
	}
	b := newBook(t, 1)
	update(t, b, func(w *Writer) error {
		return errors.Join(label(Loss)(w), label(Win)(w), certify(w), label(Excluded)(w), label(None)(w))
	})
}

// What two people change at once is both kept, unless it is the same thing: then the
// second gets one sentence and nothing of theirs is written.
func TestAnnotate(t *testing.T) {
	b := newBook(t, 1)
	pos := board(t, "caro", 15, "h8i9")
	saw := Annotation{}
	if _, err := b.Annotate(ctx, pos, saw, Annotation{Forced, ""}, by); err != nil {
		t.Fatal(err)
	}
	now, err := b.Annotate(ctx, pos, saw, Annotation{None, "wide"}, by)
	if err != nil || now != (Annotation{Forced, "wide"}) {
		t.Fatalf("%+v, %v", now, err)
	}
	for _, say := range []Annotation{{Excluded, ""}, {None, "narrow"}, {Win, "narrow"}} {
		now, err := b.Annotate(ctx, pos, saw, say, by)
		if !errors.Is(err, ErrChanged) || strings.Contains(err.Error(), "\n") || now != (Annotation{Forced, "wide"}) {
			t.Errorf("%+v: %+v, %v", say, now, err)
		}
	}
	if now, err := b.Annotate(ctx, pos, saw, Annotation{Forced, "wide"}, by); err != nil ||
		now != (Annotation{Forced, "wide"}) {
		t.Errorf("the same again: %+v, %v", now, err)
	}
	if now, err := b.Annotate(ctx, pos, Annotation{Forced, "wide"}, Annotation{}, by); err != nil ||
		now != (Annotation{}) {
		t.Errorf("taken back: %+v, %v", now, err)
	}
	fresh := board(t, "caro", 15, "h8a1")
	if _, err := b.Annotate(ctx, fresh, Annotation{}, Annotation{}, by); err != nil {
		t.Fatal(err)
	}
	if _, there, err := b.Get(fresh); there || err != nil {
		t.Errorf("a position of which nothing is said is there: %v", err)
	}
}
