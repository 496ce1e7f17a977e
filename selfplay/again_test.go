package selfplay

import (
	"errors"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay/samples"
)

// fill gives every exported field below v another value that is not zero.
func fill(v reflect.Value, n *int) {
	switch *n++; v.Kind() {
	case reflect.Struct:
		for i := range v.NumField() {
			fill(v.Field(i), n)
		}
	case reflect.Int, reflect.Int64:
		v.SetInt(int64(*n))
	case reflect.Uint64:
		v.SetUint(1<<63 + uint64(*n))
	case reflect.Float32, reflect.Float64:
		v.SetFloat(1 / float64(float32(*n)+0.1))
	case reflect.Bool:
		v.SetBool(true)
	}
}

// headerOf returns the header of a run, as a shard's reader finds it.
func headerOf(t *testing.T, search samples.Fields, seed uint64) samples.Header {
	t.Helper()
	data, err := samples.Header{Search: search, Seed: seed}.Options()
	if err != nil {
		t.Fatal(err)
	}
	h, err := samples.ParseOptions(data)
	if err != nil {
		t.Fatal(err)
	}
	return h
}

// TestOptionsOf wants every option, those to come too, to be read from a header as it
// was written there.
func TestOptionsOf(t *testing.T) {
	var all Options
	n := 0
	fill(reflect.ValueOf(&all).Elem(), &n)
	all = all.WithDefaults()
	all.Games, all.GamesPerShard = 0, 0
	tree, taught := all, Options{
		Seed: all.Seed, Opening: all.Opening, MaxPlies: all.MaxPlies, ResignAt: all.ResignAt, ResignTurns: all.ResignTurns,
		ResignAudit: all.ResignAudit, StopAtProof: all.StopAtProof, Teacher: all.Teacher,
	}
	tree.Teacher = TeacherOptions{}
	for name, c := range map[string]struct {
		want   Options
		taught bool
		write  func(Options, samples.Fields) (samples.Fields, error)
	}{
		"tree":    {tree, false, Options.fields},
		"taught":  {taught, true, Options.taughtFields},
		"default": {Options{}.WithDefaults(), false, Options.fields},
	} {
		more := samples.Fields{{Key: "player", Value: "x"}, {Key: "solver_nodes", Value: int64(3)}}
		search, err := c.write(c.want, more)
		if err != nil {
			t.Fatal(err)
		}
		h := headerOf(t, search, c.want.Seed)
		got, rest, err := OptionsOf(&h, c.taught)
		if err != nil {
			t.Fatalf("%s: %v", name, err)
		}
		want := c.want
		if name == "default" {
			want.GamesPerShard, want.Teacher = 0, TeacherOptions{}
		}
		if !reflect.DeepEqual(got, want) || !reflect.DeepEqual(rest, more) {
			t.Errorf("%s: %+v, %v, want %+v", name, got, rest, want)
		}
		for i := range search[:len(search)-len(more)] {
			if search[i].Key == samples.TargetKey {
				continue
			}
			broken := append(samples.Fields{}, search...)
			broken[i].Value = []any{}
			h.Search = broken
			if _, _, err := OptionsOf(&h, c.taught); err == nil || strings.Contains(err.Error(), "\n") {
				t.Errorf("%s: %s as a list: %v", name, search[i].Key, err)
			}
		}
	}
	if n < 40 {
		t.Errorf("%d fields were tried", n)
	}
}

var errRefused = errors.New("refused")

// TestAccept has games that are not accepted end a run, and not be there.
func TestAccept(t *testing.T) {
	dir := t.TempDir()
	o := Options{Games: 4, Playouts: 8, Search: mcts.Options{}}
	seen := 0
	host := Host{Dir: dir, Accept: func(r *samples.Record) error {
		if seen++; seen == 3 {
			return errRefused
		}
		return nil
	}}
	sum, err := Run(t.Context(), mnkSetup(), o, host)
	if err != errRefused || sum.OnDisk != 2 {
		t.Errorf("%v, %d games are on disk", err, sum.OnDisk)
	}
}
