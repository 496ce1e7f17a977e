package web

import (
	"context"
	"encoding/json"
	"fmt"
	"maps"
	"math/rand/v2"
	"net/http"
	"path/filepath"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
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
	for _, c := range []struct {
		moves, saw, say, more string
		code                  analysis.Code
		field                 string
	}{
		{`[]`, nothingSaid, `{"label":"none","comment":"a\u001b[2J"}`, "", analysis.Invalid, "say.comment"},
		{`[]`, nothingSaid, nothingSaid, `,"author":"` + strings.Repeat("n", 257) + `"`, analysis.Invalid, "author"},
		{`["h8","a1","i8","a2","j8","a3","k8","a4","l8"]`, nothingSaid, `{"label":"win","comment":""}`, "",
			analysis.Illegal, "moves"},
		{`[]`, nothingSaid, `{"label":"win","comment":""}`, `,"game":"onitama"`, analysis.Invalid, "game"},
	} {
		got := s.annotate(c.moves, c.saw, c.say, c.more)
		if _, code, field := errorOf(t, got); got.status < 400 || code != c.code || field != c.field {
			t.Errorf("%+v: %d %s", c, got.status, got.body)
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
	known := map[string]string{"Authorization": "Bearer secret"}
	all := Options{Token: "secret", Book: b, EditBook: true}
	for name, c := range map[string]struct {
		o        Options
		header   map[string]string
		status   int
		editable bool
	}{
		"no token":       {all, nil, 401, true},
		"a wrong token":  {all, map[string]string{"Authorization": "Bearer guess"}, 401, true},
		"another page":   {all, map[string]string{"Cookie": "carozero=secret", "Origin": "http://evil.example"}, 403, true},
		"not allowed":    {Options{Token: "secret", Book: b}, known, 403, false},
		"without tokens": {Options{Book: b, EditBook: true}, nil, 403, false},
		"without a book": {Options{Token: "secret", EditBook: true}, known, 403, false},
	} {
		s := open(t, a, c.o)
		header := map[string]string{"Content-Type": "application/json"}
		maps.Copy(header, c.header)
		if got := s.send(request{method: http.MethodPost, path: "/api/book", header: header,
			body: `{"moves":["h8"],"saw":` + nothingSaid + `,"say":{"label":"win","comment":"x"}}`,
		}); got.status != c.status {
			t.Errorf("%s: %d %s", name, got.status, got.body)
		}
		config := decoded[board.Config](t, s.send(request{path: "/api/config", header: known}))
		if (config.Book != nil) != (c.o.Book != nil) ||
			config.Book != nil && (config.Book.Name != "notes.book" || config.Book.Editable != c.editable) {
			t.Errorf("%s: %+v", name, config.Book)
		}
	}
	if sum, err := b.Verify(context.Background(), nil); err != nil || sum.Positions != 0 {
		t.Errorf("%+v, %v", sum, err)
	}
}
