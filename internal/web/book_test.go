package web

import (
	"context"
	"encoding/json"
	"fmt"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/book"
)

// emptyBook returns a book without positions.
func emptyBook(t testing.TB) *book.Book {
	t.Helper()
	b, err := book.Create(filepath.Join(t.TempDir(), "notes.book"), rand.NewChaCha8([32]byte{1}))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := b.Close(); err != nil {
			t.Error(err)
		}
	})
	return b
}

// openBook starts a server with a book that visitors with the token "secret" may change.
func openBook(t testing.TB, b *book.Book) *site {
	t.Helper()
	a := small()
	a.Book = b
	return open(t, a, Options{Token: "secret", Book: b, EditBook: true})
}

// annotate sends what is said after some moves.
func (s *site) annotate(moves, saw, say, more string) reply {
	s.t.Helper()
	return s.send(request{method: http.MethodPost, path: "/api/book", header: map[string]string{
		"Authorization": "Bearer secret", "Content-Type": "application/json",
	},
		body: fmt.Sprintf(`{"moves":%s,"saw":%s,"say":%s%s}`, moves, saw, say, more)})
}

const nothingSaid = `{"label":"none","comment":""}`

// Labels and comments are written, bounded and conflict-free, and read back as they are.
func TestAnnotateBook(t *testing.T) {
	b := emptyBook(t)
	s := openBook(t, b)
	const rude = `</script><img src=x onerror=alert(1)> "quoted" 五目 𝔸`
	text, err := json.Marshal(rude)
	if err != nil {
		t.Fatal(err)
	}
	got := s.annotate(`["h8","i9"]`, nothingSaid, `{"label":"forced","comment":`+string(text)+`}`, `,"author":"me"`)
	var now struct{ Label, Comment string }
	if err := json.Unmarshal([]byte(got.body), &now); err != nil || got.status != 200 || now.Label != "forced" ||
		now.Comment != rude || got.header.Get("Content-Type") != "application/json" {
		t.Fatalf("%d %s, %v", got.status, got.body, err)
	}
	sum, err := b.Verify(context.Background(), nil)
	if err != nil || sum.Positions != 1 {
		t.Errorf("%+v, %v", sum, err)
	}
	if got := s.annotate(`["h8","g9"]`, nothingSaid, `{"label":"none","comment":"mine"}`, ""); got.status != 409 ||
		!strings.Contains(got.body, "somebody else") {
		t.Errorf("the image of an annotated position: %d %s", got.status, got.body)
	}
	if got := s.annotate(`["h8","g9"]`, `{"label":"forced","comment":`+string(text)+`}`,
		`{"label":"excluded","comment":"mine"}`, ""); got.status != 200 {
		t.Errorf("what was seen is changed: %d %s", got.status, got.body)
	}
	for name, c := range map[string]struct {
		got   reply
		code  analysis.Code
		field string
	}{
		"a long comment": {s.annotate(`[]`, nothingSaid,
			`{"label":"none","comment":"`+strings.Repeat("x", book.MaxComment+1)+`"}`, ""), analysis.Invalid, "say.comment"},
		"a control": {s.annotate(`[]`, nothingSaid, `{"label":"none","comment":"a\u001b[2J"}`, ""),
			analysis.Invalid, "say.comment"},
		"a turned text": {s.annotate(`[]`, nothingSaid, `{"label":"none","comment":"a\u202eb"}`, ""),
			analysis.Invalid, "say.comment"},
		"a label": {s.annotate(`[]`, nothingSaid, `{"label":"best","comment":""}`, ""), analysis.Invalid,
			"say.label"},
		"nothing seen": {s.annotate(`[]`, `{}`, nothingSaid, ""), analysis.Invalid, "saw"},
		"a number":     {s.annotate(`[]`, nothingSaid, `7`, ""), analysis.Invalid, "say"},
		"a long name": {s.annotate(`[]`, nothingSaid, nothingSaid, `,"author":"`+strings.Repeat("n", 257)+`"`),
			analysis.Invalid, "author"},
		"an illegal move": {s.annotate(`["h8","h8"]`, nothingSaid, nothingSaid, ""), analysis.Illegal, "moves[1]"},
		"a game that is over": {s.annotate(`["h8","a1","i8","a2","j8","a3","k8","a4","l8"]`, nothingSaid,
			`{"label":"win","comment":""}`, ""), analysis.Illegal, "moves"},
		"another game": {s.annotate(`[]`, nothingSaid, `{"label":"win","comment":""}`, `,"game":"onitama"`),
			analysis.Invalid, "game"},
	} {
		if _, code, field := errorOf(t, c.got); c.got.status < 400 || code != c.code || field != c.field ||
			strings.Contains(strings.TrimSpace(c.got.body), "\n") {
			t.Errorf("%s: %d %s", name, c.got.status, c.got.body)
		}
	}
	if sum, err := b.Verify(context.Background(), nil); err != nil || sum.Positions != 1 {
		t.Errorf("after refusals: %+v, %v", sum, err)
	}
}

// Without the token, --edit-book or a book nothing is written, nor from another page.
func TestWhoMayAnnotate(t *testing.T) {
	b := emptyBook(t)
	a := small()
	a.Book = b
	said := `{"moves":["h8"],"saw":` + nothingSaid + `,"say":{"label":"win","comment":"x"}}`
	for name, c := range map[string]struct {
		o      Options
		header map[string]string
		status int
	}{
		"no token": {Options{Token: "secret", Book: b, EditBook: true}, nil, 401},
		"a wrong token": {Options{
			Token: "secret", Book: b, EditBook: true,
		}, map[string]string{"Authorization": "Bearer guess"}, 401},
		"another page": {Options{Token: "secret", Book: b, EditBook: true}, map[string]string{
			"Cookie": "carozero=secret", "Origin": "http://evil.example",
		}, 403},
		"not allowed":    {Options{Token: "secret", Book: b}, map[string]string{"Authorization": "Bearer secret"}, 403},
		"without tokens": {Options{Book: b, EditBook: true}, nil, 403},
		"without a book": {Options{
			Token: "secret", EditBook: true,
		}, map[string]string{"Authorization": "Bearer secret"}, 403},
	} {
		s := open(t, a, c.o)
		header := map[string]string{"Content-Type": "application/json"}
		for name, value := range c.header {
			header[name] = value
		}
		if got := s.send(request{
			method: http.MethodPost, path: "/api/book", header: header, body: said,
		}); got.status != c.status {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		var config Config
		if got := s.send(request{path: "/api/config",
			header: map[string]string{"Authorization": "Bearer secret"}}); json.Unmarshal([]byte(got.body), &config) != nil ||
			(config.Book != nil) != (c.o.Book != nil) {
			t.Errorf("%s: %s", name, got.body)
		} else if config.Book != nil &&
			(config.Book.Name != "notes.book" || config.Book.Editable != (c.o.EditBook && c.o.Token != "")) {
			t.Errorf("%s: %+v", name, config.Book)
		}
	}
	if sum, err := b.Verify(context.Background(), nil); err != nil || sum.Positions != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}

// Of visitors who write the same position at once one wins and the others get one
// sentence; what they say of different things is all kept.
func TestVisitorsAnnotateAtOnce(t *testing.T) {
	b := emptyBook(t)
	s := openBook(t, b)
	const visitors = 3 // fewer than may be at work at once
	replies := make([]reply, visitors)
	var all sync.WaitGroup
	for i := range visitors {
		all.Go(func() {
			say := fmt.Sprintf(`{"label":"none","comment":"by %d"}`, i%2)
			if i == 2 {
				say = `{"label":"draw","comment":""}`
			}
			replies[i] = s.annotate(`["h8"]`, nothingSaid, say, "")
		})
	}
	all.Wait()
	won := ""
	for i, r := range replies[:2] {
		if r.status == 200 {
			won += fmt.Sprint("by ", i)
		} else if r.status != 409 {
			t.Errorf("%d %s", r.status, r.body)
		}
	}
	entry := book.Entry{}
	list, err := b.Variants()
	if err != nil || len(list) != 1 {
		t.Fatal(list, err)
	}
	if err := b.Each(context.Background(), list[0].Variant,
		func(e book.Entry) error { entry = e; return nil }); err != nil {
		t.Fatal(err)
	}
	if replies[2].status != 200 || entry.Label != book.Draw || entry.Comment != won || won == "" {
		t.Errorf("%+v and %q of %v", entry.Position, won, replies)
	}
}
