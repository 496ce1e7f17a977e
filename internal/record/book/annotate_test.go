package book

import (
	"errors"
	"fmt"
	"strings"
	"sync"
	"testing"
)

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
	if now, err := b.Annotate(ctx, pos, saw, Annotation{Forced, "wide"}, by); err != nil || now != (Annotation{Forced, "wide"}) {
		t.Errorf("the same again: %+v, %v", now, err)
	}
	if now, err := b.Annotate(ctx, pos, Annotation{Forced, "wide"}, Annotation{}, by); err != nil || now != (Annotation{}) {
		t.Errorf("taken back: %+v, %v", now, err)
	}
	fresh := board(t, "caro", 15, "h8a1")
	if _, err := b.Annotate(ctx, fresh, Annotation{}, Annotation{}, by); err != nil {
		t.Fatal(err)
	}
	if _, there, err := b.Get(fresh); there || err != nil {
		t.Errorf("a position of which nothing is said is there: %v", err)
	}
	for _, say := range []Annotation{{None, strings.Repeat("x", MaxComment+1)}, {None, "a\nb"}, {None, "\xff"}, {Excluded + 1, ""}} {
		if _, err := b.Annotate(ctx, pos, Annotation{}, say, by); err == nil {
			t.Errorf("%+v was taken", say)
		}
	}
}

// Of many that write the same position at once through two open books, as two processes
// have them, exactly one wins each round and all others are told.
func TestAnnotateAtOnce(t *testing.T) {
	b := newBook(t, 1)
	other, err := Open(b.Path(), ReadWrite)
	if err != nil {
		t.Fatal(err)
	}
	defer other.Close()
	pos := board(t, "caro", 15, "h8")
	saw := Annotation{}
	for round := range 5 {
		const writers = 6
		var all sync.WaitGroup
		errs := make([]error, writers)
		for i := range writers {
			all.Go(func() {
				_, errs[i] = []*Book{b, other}[i%2].Annotate(ctx, pos.Copy(), saw, Annotation{None, fmt.Sprint(round, "by", i)}, by)
			})
		}
		all.Wait()
		p, _, err := b.Get(pos)
		if err != nil {
			t.Fatal(err)
		}
		won := 0
		for i, err := range errs {
			if err == nil {
				won++
				if p.Comment != fmt.Sprint(round, "by", i) {
					t.Errorf("%d was told that it is written, and there is %q", i, p.Comment)
				}
			} else if !errors.Is(err, ErrChanged) {
				t.Error(err)
			}
		}
		if won != 1 {
			t.Errorf("%d of %d have won", won, writers)
		}
		saw.Comment = p.Comment
	}
}
