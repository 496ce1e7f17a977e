package alphabeta

import (
	"context"
	"testing"

	"github.com/carozero/carozero/game/gametest"
)

// ending is a context that ends after it has been asked so often.
type ending struct {
	context.Context
	asked int
}

func (e *ending) Err() error {
	if e.asked--; e.asked < 0 {
		return context.Canceled
	}
	return nil
}

// A table that is resized step by step, between searches, ends up as one that was
// resized at once, with its content and the requested size.
func TestResizeLaterIsResizeInSteps(t *testing.T) {
	pos := gametest.NewMNK(5, 5, 4)
	search := func(s *Searcher, nodes int64) Result {
		r, err := s.Search(t.Context(), pos, Limits{Nodes: nodes})
		if err != nil {
			t.Fatal(err)
		}
		return r
	}
	for _, sizes := range [][]int{{1, 5}, {6, 2}, {2, 2}, {1, 3, 1, 7}, {9, 4, 9}} {
		for _, learned := range []int64{0, 3_000} {
			var results []Result
			for _, parts := range []bool{false, true} {
				s, err := New(Plain{}, Options{TableMiB: sizes[0]})
				if err != nil {
					t.Fatal(err)
				}
				if learned > 0 {
					search(s, learned)
				}
				for _, mib := range sizes[1:] {
					if !parts {
						if err := s.Resize(mib); err != nil {
							t.Fatal(err)
						}
						continue
					}
					s.ResizeLater(mib)
					if s.TableMiB() > max(mib, sizes[0]) {
						t.Fatalf("%v: %d MiB are used at once", sizes, s.TableMiB())
					}
					for asked := 0; s.TableMiB() != mib || s.table.lent; asked++ {
						if asked > 40 {
							t.Fatalf("%v: %d MiB after all, lent %v", sizes, s.TableMiB(), s.table.lent)
						}
						s.FinishResize(&ending{t.Context(), asked})
					}
				}
				results = append(results, search(s, 5_000))
			}
			one, other := results[0], results[1]
			if one.Move != other.Move || one.Score != other.Score || one.Stats.TableHits != other.Stats.TableHits ||
				one.Stats.TableProbes != other.Stats.TableProbes {
				t.Errorf("%v after %d nodes: %+v at once, %+v in parts", sizes, learned, one.Stats, other.Stats)
			}
		}
	}
}
