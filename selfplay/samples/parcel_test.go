package samples

import (
	"bytes"
	"testing"
)

// TestReadParcel cuts and changes a parcel at every byte: nothing of it is taken then.
func TestReadParcel(t *testing.T) {
	parcel := []byte{}
	run := testRun(4, 2)
	for id := range 2 {
		var err error
		if parcel, err = AppendRecord(parcel, testRecord(uint64(id))); err != nil {
			t.Fatal(err)
		}
	}
	list, err := ReadParcel(parcel, run.Layout, 2)
	if err != nil || len(list) != 2 || list[1].Game.ID != 1 {
		t.Fatalf("%d games, error %v", len(list), err)
	}
	again := []byte{}
	for _, r := range list {
		if again, err = AppendRecord(again, r); err != nil {
			t.Fatal(err)
		}
	}
	if !bytes.Equal(again, parcel) {
		t.Error("read and appended again it has other bytes")
	}
	if _, err := ReadParcel(parcel, run.Layout, 1); err == nil {
		t.Error("more games than allowed")
	}
	whole := len(parcel) - len(mustParcel(t, list[1]))
	for at := 1; at < len(parcel); at += 7 {
		if _, err := ReadParcel(parcel[:at], run.Layout, 2); (err == nil) != (at == whole) {
			t.Errorf("cut at %d: %v", at, err)
		}
		changed := bytes.Clone(parcel)
		changed[at] ^= 0x40
		if _, err := ReadParcel(changed, run.Layout, 2); err == nil {
			t.Errorf("changed at %d", at)
		}
	}
}

func mustParcel(t *testing.T, r *Record) []byte {
	t.Helper()
	b, err := AppendRecord(nil, r)
	if err != nil {
		t.Fatal(err)
	}
	return b
}

func FuzzReadParcel(f *testing.F) {
	run := testRun(4, 2)
	parcel, err := AppendRecord(nil, testRecord(0))
	if err != nil {
		f.Fatal(err)
	}
	f.Add(parcel)
	f.Fuzz(func(t *testing.T, data []byte) {
		list, err := ReadParcel(data, run.Layout, 3)
		if err != nil {
			return
		}
		var again []byte
		for _, r := range list {
			if again, err = AppendRecord(again, r); err != nil {
				t.Fatal(err)
			}
		}
		if _, err := ReadParcel(again, run.Layout, 3); err != nil {
			t.Errorf("written again it cannot be read: %v", err)
		}
	})
}
