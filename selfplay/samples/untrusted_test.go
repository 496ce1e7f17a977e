package samples

import (
	"bytes"
	"errors"
	"io"
	"reflect"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/klauspost/compress/zstd"
	"github.com/vmihailenco/msgpack/v5"
	"pgregory.net/rapid"
)

// packed returns data as a shard's file has it.
func packed(t testing.TB, data []byte) []byte {
	t.Helper()
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	return z.EncodeAll(data, nil)
}

// headerWith returns the bytes of a shard's header whose first key is new and
// has the value.
func headerWith(t testing.TB, key string, value []byte) []byte {
	t.Helper()
	data := unpacked(t, testShard(1))
	var k bytes.Buffer
	if err := msgpack.NewEncoder(&k).EncodeString(key); err != nil {
		t.Fatal(err)
	}
	data[0]++ // a map of up to 15 keys has its length in its code
	return slices.Concat(data[:1], k.Bytes(), value, data[1:])
}

// manyGames returns a header that lists so many games of the given bytes.
func manyGames(game []byte, n int) []byte {
	head := []byte{0x81, 0xa5, 'g', 'a', 'm', 'e', 's', 0xdd, byte(n >> 24), byte(n >> 16), byte(n >> 8), byte(n)}
	return append(head, bytes.Repeat(game, n)...)
}

// TestSmallFilesStaySmall reads files of a few bytes to a few hundred thousand
// that unfold to far more, or would if what they hold were built.
func TestSmallFilesStaySmall(t *testing.T) {
	// Lists of 16 lists of 16 lists ...: 16^5 values from 16^5*17/16 bytes.
	nested := []byte{0x01}
	for range 5 {
		nested = append([]byte{0xdc, 0, 16}, bytes.Repeat(nested, 16)...)
	}
	for name, c := range map[string]struct {
		data []byte
		most uint64 // bytes taken
		want string // part of the error
	}{
		"empty games":       {manyGames([]byte{0x80}, 1<<24), 64 << 20, "no key"},
		"a long list":       {slices.Concat([]byte{0x81, 0xa1, 'x', 0xdd, 0, 0x80, 0, 0}, make([]byte, 1<<23)), 64 << 20, "no key"},
		"nested lists":      {slices.Concat([]byte{0x81, 0xa1, 'x', 0xdc, 0, 16}, bytes.Repeat(nested, 16)), 64 << 20, "no key"},
		"a list for rows":   {slices.Concat([]byte{0x81, 0xa4, 'r', 'o', 'w', 's', 0xdc, 0, 16}, bytes.Repeat(nested, 16)), 64 << 20, "nested too deep"},
		"only opening":      {slices.Concat([]byte{0x81, 0xa1, 'x'}, bytes.Repeat([]byte{0x91}, 4<<20)), 64 << 20, "EOF"},
		"an announced list": {[]byte{0x81, 0xa1, 'x', 0xdd, 0xff, 0xff, 0xff, 0xff}, 64 << 20, "EOF"},
	} {
		file := packed(t, c.data)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, err := ReadShard(bytes.NewReader(file), Limits{})
		runtime.ReadMemStats(&after)
		taken := after.TotalAlloc - before.TotalAlloc
		if !errors.Is(err, ErrShard) || !strings.Contains(err.Error(), c.want) || strings.Contains(err.Error(), "\n") || taken > c.most {
			t.Errorf("%s, %d bytes: takes %d MiB of %d, error %v, want %q", name, len(file), taken>>20, c.most>>20, err, c.want)
		}
	}
}

// TestUnknownKeysAreSkipped reads additions of every kind, at any depth, in the
// header, and wants the shard without them.
func TestUnknownKeysAreSkipped(t *testing.T) {
	want := testShard(1)
	check := func(value []byte) error {
		s, err := decodeUnpacked(headerWith(t, "later", value))
		if err == nil && !reflect.DeepEqual(s, want) {
			err = errors.New("another shard")
		}
		return err
	}
	deep := append(bytes.Repeat([]byte{0x91}, 1_000_000), 0xc0)
	extension := []byte{0xc9, 0, 0, 0, 3, 7, 1, 2, 3}
	for _, value := range [][]byte{deep, extension, {0xd8, 1, 16: 0, 17: 0}, {0xc7, 0, 1}, {0xc4, 2, 1, 2}, {0xde, 0, 1, 0xc0, 0xc2}} {
		if err := check(value); err != nil {
			t.Errorf("%.20x: %v", value, err)
		}
	}
	if err := check([]byte{0xc1}); err == nil {
		t.Error("a code that msgpack has not is skipped")
	}
	rapid.Check(t, func(t *rapid.T) {
		value, err := msgpack.Marshal(anything(3).Draw(t, "value"))
		if err == nil {
			err = check(value)
		}
		if err != nil {
			t.Fatal(err)
		}
	})
}

// anything generates values of all kinds, nested depth deep at most.
func anything(depth int) *rapid.Generator[any] {
	kinds := []*rapid.Generator[any]{
		rapid.Just[any](nil), rapid.Bool().AsAny(), rapid.Int64().AsAny(), rapid.Uint64().AsAny(), rapid.Int8().AsAny(),
		rapid.Float64().AsAny(), rapid.Float32().AsAny(), rapid.StringN(-1, 300, -1).AsAny(),
		rapid.SliceOfN(rapid.Byte(), 0, 300).AsAny(),
	}
	if depth > 0 {
		kinds = append(kinds, rapid.SliceOfN(anything(depth-1), 0, 20).AsAny(),
			rapid.MapOfN(rapid.String(), anything(depth-1), 0, 20).AsAny())
	}
	return rapid.OneOf(kinds...)
}

// FuzzSkip skips any value beside the library's own decoder: where that one
// reads a value to its end, ours ends there too.
func FuzzSkip(f *testing.F) {
	f.Add([]byte{0x93, 0x01, 0xa1, 'x', 0xc0})
	f.Add([]byte{0xc7, 0x02, 0x05, 1, 2})
	f.Add([]byte{0xdf, 0, 0, 0, 1, 0xa1, 'k', 0xcb, 0, 0, 0, 0, 0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		if bytes.Count(data, []byte{0x91})+bytes.Count(data, []byte{0xdd}) > 100 {
			return // theirs calls itself for each
		}
		theirs := msgpack.NewDecoder(bytes.NewReader(data))
		if theirs.Skip() != nil {
			return
		}
		rest, err := io.ReadAll(theirs.Buffered())
		if err != nil {
			t.Fatal(err)
		}
		ours := decodeBytes(data)
		if err := skip(ours); err != nil {
			t.Fatalf("%x: %v", data, err)
		}
		if left, err := io.ReadAll(ours.Buffered()); err != nil || !bytes.Equal(left, rest) {
			t.Fatalf("%x: %d bytes are left, want %d (%v)", data, len(left), len(rest), err)
		}
	})
}
