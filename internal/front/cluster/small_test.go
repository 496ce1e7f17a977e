package cluster

import (
	"bytes"
	"encoding/binary"
	"math"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/carozero/carozero/selfplay/samples"
)

// A distance of two policy targets is half the sum over all actions of how much they
// differ; an action that is not listed has 0.
func TestDistance(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		var rows [2]samples.Row
		var shares [2][20]float64
		for i := range rows {
			for a := range shares[i] {
				if rapid.Bool().Draw(t, "listed") {
					share := rapid.Float32Range(0, 1).Draw(t, "share")
					shares[i][a] = float64(share)
					rows[i].Actions = append(rows[i].Actions, uint16(a))
					rows[i].Target = append(rows[i].Target, share)
				}
			}
		}
		want := 0.0
		for a := range shares[0] {
			want += math.Abs(shares[0][a]-shares[1][a]) / 2
		}
		if got := distance(&rows[0], &rows[1]); math.Abs(got-want) > 1e-9 {
			t.Fatalf("distance %v, want %v", got, want)
		}
	})
}

// Of the results that have stopped growing the one that was begun first gives way.
func TestOldestPartialGivesWay(t *testing.T) {
	now := time.Unix(0, 0)
	const size = 3 * maxPart
	a := &assembler{now: func() time.Time { return now }, most: 3 * size, by: map[string]*partial{}}
	begin := func(session string) (busy bool) {
		head := make([]byte, partHead, partHead+maxPart)
		binary.LittleEndian.PutUint32(head[4:], size)
		_, _, busy, err := a.add(session, append(head, bytes.Repeat([]byte{1}, maxPart)...))
		if err != nil {
			t.Fatal(err)
		}
		return busy
	}
	for _, session := range []string{"c", "a", "b"} {
		if begin(session) {
			t.Fatalf("no room for %s", session)
		}
		now = now.Add(time.Second)
	}
	if !begin("d") {
		t.Error("a result takes the place of one that may still grow")
	}
	now = now.Add(patience)
	for _, want := range []string{"c", "a", "b"} {
		if begin("after " + want) {
			t.Fatalf("nothing gives way after %v", patience)
		}
		if a.by[want] != nil {
			t.Errorf("%s is there still; it was the oldest one", want)
		}
		now = now.Add(time.Second)
	}
}

func TestPorts(t *testing.T) {
	for _, addr := range []string{"127.0.0.1:65536", "127.0.0.1:100000", "127.0.0.1:-1", "127.0.0.1:http", "127.0.0.1:1a", "127.0.0.1"} {
		l, err := listen(addr)
		if err == nil {
			l.Close()
		}
		if err == nil || !strings.Contains(err.Error(), "want ") {
			t.Errorf("%s: %v", addr, err)
		}
	}
}
