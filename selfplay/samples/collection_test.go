package samples

import (
	"context"
	"errors"
	"maps"
	"slices"
	"strings"
	"testing"
)

// sourceRun writes a run of four games, two a shard, and returns its shards.
func sourceRun(t *testing.T, m *memFS) []Source {
	t.Helper()
	w, err := Create(m, "run", testRun(4, 2), standStill)
	if err == nil {
		err = writeAll(w, []int{0, 1, 2, 3})
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		t.Fatal(err)
	}
	list, err := Sources(m, "run")
	if err != nil || len(list) != 2 {
		t.Fatal(len(list), err)
	}
	return list
}

// collect copies the first shard and adds the second anew.
func collect(m *memFS, list []Source) (err error) {
	c, err := NewCollection(m, "all")
	if err != nil {
		return err
	}
	defer func() {
		if closed := c.Close(); err == nil {
			err = closed
		}
	}()
	for i, s := range list {
		shard, e, err := s.Read(m)
		if err == nil && i == 0 {
			err = c.Copy(s, e, &shard.Header)
		} else if err == nil {
			err = c.Add(e, &shard.Header, shard.Columns)
		}
		if err != nil {
			return err
		}
	}
	return c.Finish()
}

// A collection fails at each of its changes to the disk: what is left is no run and
// no collection, or the whole one, and is begun anew to the same bytes.
func TestCollectionIsWholeOrNotThere(t *testing.T) {
	m := newMemFS()
	list := sourceRun(t, m)
	before := m.steps
	if err := collect(m, list); err != nil {
		t.Fatal(err)
	}
	want, steps := m.contents(), m.steps-before
	for name, text := range want {
		if dir, file, _ := strings.Cut(name, "/"); dir == "run" && strings.HasPrefix(file, "shard") && want["all/"+file] != text {
			t.Errorf("%s has other bytes in the collection", file)
		}
	}
	if r, err := Verify(context.Background(), m, testCodecOf, 5, "all"); err != nil || r.Bad > 0 || r.Games != 4 {
		t.Fatal(r, err)
	}
	for kind := range crash(crashKinds) {
		for at := 1; at <= steps; at++ {
			m := newMemFS()
			list := sourceRun(t, m)
			m.durable = maps.Clone(m.names)
			m.failAt = m.steps + at
			if err := collect(m, list); err != nil && (!errors.Is(err, errFault) || strings.Contains(err.Error(), "\n")) {
				t.Fatalf("failure at change %d: %q", at, err)
			}
			m.restart(kind)
			if got := m.contents(); got["all/"+ManifestName] != "" && !maps.Equal(got, want) {
				t.Fatalf("crash %d at change %d: a half collection: %v", kind, at, differing(got, want))
			}
			if err := collect(m, list); err != nil && !errors.Is(err, ErrNotEmpty) {
				t.Fatalf("crash %d at change %d: %v", kind, at, err)
			}
			if got := m.contents(); !maps.Equal(got, want) {
				t.Fatalf("crash %d at change %d: other bytes in %v", kind, at, differing(got, want))
			}
		}
	}
}

// A folder that holds anything else, or that another process has, stays as it is.
func TestFolderRefuses(t *testing.T) {
	for _, names := range [][]string{{"all/notes.txt"}, {"all/" + ShardName(0)}, {"all/" + RunName, "all/" + tempPrefix + ManifestName}} {
		m := newMemFS()
		list := sourceRun(t, m)
		for _, name := range names {
			m.names[name] = &inode{data: []byte("mine")}
		}
		want := m.contents()
		if err := collect(m, list); !errors.Is(err, ErrNotEmpty) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", names, err)
		}
		if !maps.Equal(m.contents(), want) || m.locked {
			t.Errorf("%v: the folder was changed or is locked", names)
		}
	}
	m := newMemFS()
	list := sourceRun(t, m)
	m.locked = true
	if err := collect(m, list); !errors.Is(err, errLocked) {
		t.Errorf("a folder that another process has: %v", err)
	}
}

// What is read is what the manifest says, and every shard once.
func TestSources(t *testing.T) {
	m := newMemFS()
	list := sourceRun(t, m)
	first := "run/" + ShardName(0)
	for _, paths := range [][]string{{"run", "run"}, {"run", first}, {first, "run/./" + ShardName(0)}, {"none"}, {"run/" + ShardName(7)}} {
		if _, err := Sources(m, paths...); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", paths, err)
		}
	}
	m.names["loose/"+ShardName(3)] = m.names[first]
	loose, err := Sources(m, "loose/"+ShardName(3), first)
	if err != nil || len(loose) != 2 || loose[0].Entry != nil || loose[1].Entry == nil {
		t.Fatal(loose, err)
	}
	whole := slices.Clone(m.names[first].data)
	other := slices.Clone(m.names["run/"+ShardName(1)].data)
	for _, data := range [][]byte{whole[:len(whole)-1], other, append(slices.Clone(whole), 0)} {
		m.names[first].data = data
		if _, _, err := list[0].Read(m); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%d bytes of %d: %v", len(data), len(whole), err)
		}
	}
}
