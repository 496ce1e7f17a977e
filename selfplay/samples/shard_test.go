package samples

import (
	"bytes"
	"errors"
	"math"
	"math/rand/v2"
	"reflect"
	"runtime"
	"slices"
	"testing"

	"github.com/klauspost/compress/zstd"
	"pgregory.net/rapid"
)

func testRand() *rand.Rand { return rand.New(rand.NewPCG(5, 6)) }

func shardBytes(t testing.TB, s *Shard) []byte {
	t.Helper()
	var b bytes.Buffer
	if err := WriteShard(&b, &s.Header, s.Columns); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// unpacked returns the msgpack stream of a shard.
func unpacked(t testing.TB, s *Shard) []byte {
	t.Helper()
	var b bytes.Buffer
	e := newEncoder(&b)
	if err := errors.Join(s.Header.encode(e), s.Columns.encode(e)); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// decodeUnpacked decodes what is under the compression.
func decodeUnpacked(data []byte) (*Shard, error) {
	return decodeStream(bytes.NewReader(data), true)
}

func TestShardRoundTrip(t *testing.T) {
	for games := range 5 {
		s := testShard(games)
		data := shardBytes(t, s)
		got, err := ReadShard(bytes.NewReader(data), 0)
		if err != nil {
			t.Fatal(err)
		}
		if !bytes.Equal(shardBytes(t, got), data) {
			t.Fatalf("%d games: other bytes after reading", games)
		}
		if games > 0 && !reflect.DeepEqual(got, s) {
			t.Fatalf("%d games: %+v, want %+v", games, got, s)
		}
	}
}

// TestColumnsRoundTrip stores any values at all.
func TestColumnsRoundTrip(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		l := Layout{rapid.IntRange(0, 3).Draw(t, "planes"), rapid.IntRange(1, 3).Draw(t, "bytes"),
			rapid.IntRange(0, 3).Draw(t, "globals"), rapid.IntRange(1, 3).Draw(t, "legal")}
		rows := rapid.IntRange(0, 5).Draw(t, "rows")
		visits := rapid.IntRange(0, 9).Draw(t, "visits")
		c := &Columns{Layout: l, Rows: rows}
		for _, col := range c.table() {
			n := col.size()
			for _, k := range col.shape(rows, visits) {
				n *= k
			}
			col.set(rapid.SliceOfN(rapid.Byte(), n, n).Draw(t, col.name))
		}
		h := Header{Planes: Planes{Names: make([]string, l.Planes)}, Globals: make([]string, l.Globals), Rows: rows}
		var b bytes.Buffer
		if err := WriteShard(&b, &h, c); err != nil {
			t.Fatal(err)
		}
		s, err := decodeShard(&b, maxUnpacked, true)
		if err != nil {
			t.Fatal(err)
		}
		got, want := s.Columns.table(), c.table()
		for i := range want {
			if !bytes.Equal(got[i].bytes(), want[i].bytes()) {
				t.Fatalf("column %s differs", want[i].name)
			}
		}
	})
}

// TestReaderSkipsAdditions adds keys that this version does not know.
func TestReaderSkipsAdditions(t *testing.T) {
	s := testShard(1)
	data := unpacked(t, s)
	var more bytes.Buffer
	e := newEncoder(&more)
	if err := errors.Join(e.EncodeString("later"), e.Encode(OrderedMap{{"a", []any{int64(1), "b"}}})); err != nil {
		t.Fatal(err)
	}
	data[0]++ // a map of up to 15 keys has its length in its code
	data = slices.Concat(data[:1], more.Bytes(), data[1:])
	got, err := decodeUnpacked(data)
	if err != nil || !reflect.DeepEqual(got, s) {
		t.Fatalf("error %v", err)
	}
}

func TestReaderRefuses(t *testing.T) {
	s := testShard(2)
	good := unpacked(t, s)
	for n := range good {
		if _, err := decodeUnpacked(good[:n]); err == nil {
			t.Fatalf("the first %d of %d bytes are a shard", n, len(good))
		}
	}
	if _, err := decodeUnpacked(append(slices.Clone(good), 1)); err == nil {
		t.Error("data after the columns is accepted")
	}
	if _, err := ReadShard(bytes.NewReader(shardBytes(t, s)), 500); !errors.Is(err, ErrShard) {
		t.Errorf("a shard above the limit: %v", err)
	}
	s.Columns.RootQ[0] = 2
	if _, err := ReadShard(bytes.NewReader(shardBytes(t, s)), 0); !errors.Is(err, ErrShard) {
		t.Errorf("a changed value: %v", err)
	}
}

// TestReaderTakesNoMemoryOnTrust decodes headers that announce far more than
// follows.
func TestReaderTakesNoMemoryOnTrust(t *testing.T) {
	var b bytes.Buffer
	h := testHeader()
	h.Rows = math.MaxInt32
	e := newEncoder(&b)
	err := errors.Join(h.encode(e), e.EncodeMapLen(1), e.EncodeString("weight"), e.EncodeMapLen(3),
		e.EncodeString("dtype"), e.EncodeString("<f4"),
		e.EncodeString("shape"), e.Encode([]int{math.MaxInt32}), e.EncodeString("data"), e.EncodeBytesLen(math.MaxUint32))
	if err != nil {
		t.Fatal(err)
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	_, err = decodeUnpacked(b.Bytes())
	runtime.ReadMemStats(&after)
	if taken := after.TotalAlloc - before.TotalAlloc; err == nil || taken > 4<<20 {
		t.Errorf("takes %d bytes, error %v", taken, err)
	}
}

// TestBomb bounds what a small file can unfold to.
func TestBomb(t *testing.T) {
	z, err := zstd.NewWriter(nil)
	if err != nil {
		t.Fatal(err)
	}
	head := []byte{0x81, 0xa5, 'f', 'o', 'r', 'm', 'x', 0xdd, 0xff, 0xff, 0xff, 0xff}
	data := z.EncodeAll(append(head, make([]byte, 32<<20)...), nil)
	if _, err := ReadShard(bytes.NewReader(data), 1<<20); !errors.Is(err, ErrShard) {
		t.Errorf("error %v", err)
	}
}

func FuzzReadShard(f *testing.F) {
	for games := range 3 {
		f.Add(shardBytes(f, testShard(games)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := ReadShard(bytes.NewReader(data), 1<<22)
		if err != nil && !errors.Is(err, ErrShard) {
			t.Fatal(err)
		}
		if err == nil {
			shardBytes(t, s)
		}
	})
}

// FuzzDecode fuzzes what is under the compression; what is accepted must be
// replayed without a panic and written and read again to the same bytes.
func FuzzDecode(f *testing.F) {
	for games := range 3 {
		f.Add(unpacked(f, testShard(games)))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		s, err := decodeUnpacked(data)
		if err != nil {
			return
		}
		s.Columns.Check(len(s.Header.Games))
		if codec, err := testCodecOf(&s.Header); err == nil {
			s.replay(codec, &problems{})
		}
		s.Columns.Seal()
		again := unpacked(t, s)
		s, err = decodeUnpacked(again)
		if err != nil || !bytes.Equal(unpacked(t, s), again) {
			t.Fatalf("error %v, or other bytes when written again", err)
		}
	})
}
