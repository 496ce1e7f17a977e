package archive

import (
	"testing"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/selfplay/samples"
)

// Bits come out as they went in, whatever they and their contexts are, and all that was
// written is read.
func TestCoder(t *testing.T) {
	type coded struct {
		bit    int32
		ctx    [contexts]uint32
		simple bool
	}
	rapid.Check(t, func(t *rapid.T) {
		list := rapid.SliceOfN(rapid.Custom(func(t *rapid.T) coded {
			c := coded{bit: rapid.Int32Range(0, 1).Draw(t, "bit"), simple: rapid.Bool().Draw(t, "simple")}
			for i := range c.ctx {
				c.ctx[i] = rapid.Uint32Range(0, 3).Draw(t, "context")
			}
			return c
		}), 0, 200).Draw(t, "bits")
		run := func(c *coder, use func(i int, bit int32)) {
			for i, b := range list {
				if b.simple {
					use(i, c.simple(b.bit, b.ctx[0]))
				} else {
					use(i, c.mixed(b.bit, &b.ctx, 1, b.ctx[1]))
				}
			}
		}
		e := newCoder()
		run(e, func(int, int32) {})
		data := e.end()
		d := newDecoder(data)
		run(d, func(i int, bit int32) {
			if bit != list[i].bit {
				t.Fatalf("bit %d is %d", i, bit)
			}
		})
		if err := d.whole(); err != nil {
			t.Fatal(err)
		}
	})
}

// Equal bits cost next to nothing once that is learned.
func TestCoderLearns(t *testing.T) {
	c := newCoder()
	var ctx [contexts]uint32
	for range 10_000 {
		c.mixed(1, &ctx, 0, 0)
	}
	if n := len(c.end()); n > 40 {
		t.Errorf("10000 equal bits take %d bytes", n)
	}
}

// Visits of any rows come out as they went in, on boards and without cells.
func TestVisits(t *testing.T) {
	for name, shape := range map[string]nn.Shape{
		"board":    {Planes: 3, Height: 5, Width: 4, Actions: 20},
		"no cells": {Planes: 3, Height: 2, Width: 2, Actions: 30},
	} {
		t.Run(name, func(t *testing.T) {
			rapid.Check(t, func(t *rapid.T) { visitsSurvive(t, shape) })
		})
	}
}

func visitsSurvive(t *rapid.T, shape nn.Shape) {
	type coded struct {
		scene scene
		row   samples.Row
	}
	layout := samples.NewLayout(shape.Planes, shape.Height*shape.Width, shape.Globals, shape.Actions)
	list := make([]coded, rapid.IntRange(1, 6).Draw(t, "rows"))
	for i := range list {
		r := &list[i].row
		r.Legal = make([]byte, layout.LegalBytes)
		r.Planes = rapid.SliceOfN(rapid.Byte(), layout.Planes*layout.PlaneBytes, layout.Planes*layout.PlaneBytes).Draw(t, "planes")
		legal := rapid.SliceOfNDistinct(rapid.IntRange(0, shape.Actions-1), 1, shape.Actions, rapid.ID[int]).Draw(t, "legal")
		samples.PackActions(r.Legal, legal)
		total := uint64(0)
		for a := range shape.Actions {
			if samples.Bit(r.Legal, a) && rapid.Bool().Draw(t, "visited") {
				n := rapid.OneOf(rapid.Uint32Range(0, 9), rapid.Uint32Range(0, 1<<32-2)).Draw(t, "visits")
				r.Actions, r.Counts = append(r.Actions, uint16(a)), append(r.Counts, n)
				total += uint64(n)
			}
		}
		list[i].scene = scene{
			planes: r.Planes, legal: r.Legal, played: legal[0], reply: rapid.IntRange(-1, shape.Actions-1).Draw(t, "reply"),
			last: rapid.IntRange(-1, shape.Actions-1).Draw(t, "last"), ply: rapid.IntRange(0, 400).Draw(t, "ply"), rows: i, total: total,
		}
	}
	e := newVisits(newCoder(), shape)
	for i := range list {
		e.put(&list[i].scene, &list[i].row)
	}
	d := newVisits(newDecoder(e.end()), shape)
	for i := range list {
		var r samples.Row
		if err := d.get(&list[i].scene, &r); err != nil {
			t.Fatal(err)
		}
		want := &list[i].row
		if len(r.Actions) != len(want.Actions) {
			t.Fatalf("%v, want %v", r.Actions, want.Actions)
		}
		for k := range r.Actions {
			if r.Actions[k] != want.Actions[k] || r.Counts[k] != want.Counts[k] {
				t.Fatalf("%v %v, want %v %v", r.Actions, r.Counts, want.Actions, want.Counts)
			}
		}
	}
	if err := d.whole(); err != nil {
		t.Fatal(err)
	}
}
