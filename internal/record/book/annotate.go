package book

import (
	"context"
	"errors"
	"fmt"

	"github.com/carozero/carozero/game/gomoku"
)

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
// nothing is said of it.
func (b *Book) Annotate(ctx context.Context, pos *gomoku.Board, saw, say Annotation, by Stamp) (now Annotation, err error) {
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
