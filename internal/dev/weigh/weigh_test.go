package main

import (
	"bytes"
	"encoding/json"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// Rows come in one order from one seed, are of positions in which the halves differ, and the
// fit reads them.
func TestGather(t *testing.T) {
	file := filepath.Join(t.TempDir(), "openings")
	if err := os.WriteFile(file, []byte("g8h9i7\nh8i9\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	args := []string{"gather", "-openings", file, "-games", "1", "-playouts", "300", "-plies", "20"}
	var out [2]bytes.Buffer
	for i := range out {
		if err := run(args, &out[i]); err != nil {
			t.Fatal(err)
		}
	}
	if out[0].String() != out[1].String() {
		t.Errorf("%s, then %s", &out[0], &out[1])
	}
	var first row
	if err := json.NewDecoder(&out[0]).Decode(&first); err != nil {
		t.Fatal(err)
	}
	if first.Rule != "caro" || first.Position == "" || first.VisitsT == 0 || first.VisitsT < first.VisitsC || first.JudgedT == first.JudgedC {
		t.Errorf("%+v", first)
	}
	rows := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(rows, out[1].Bytes(), 0o600); err != nil {
		t.Fatal(err)
	}
	var text bytes.Buffer
	if err := run([]string{"fit", rows}, &text); err != nil || !strings.Contains(text.String(), "caro: ") || !strings.Contains(text.String(), "held out") {
		t.Errorf("%s, %v", &text, err)
	}
}

// The weights of rows whose judges follow a rule choose as that does.
func TestWeighFindsTheRule(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	want := [terms]float64{-0.3, 2, 1, 0.5}
	var rows []row
	for range 400 {
		r := row{MeanT: rng.Float64(), MeanC: rng.Float64(), ValueT: rng.Float64(), ValueC: rng.Float64(), VisitsT: 1 + rng.IntN(900), VisitsC: rng.IntN(400)}
		gain := math.Tanh(r.sum(want))
		r.JudgedC = [2]float64{gain, gain}
		rows = append(rows, r)
	}
	w := weigh(rows)
	wrong := 0
	for i := range rows {
		if (rows[i].sum(w) > 0) != (rows[i].gain() > 0) {
			wrong++
		}
	}
	if wrong > 20 {
		t.Errorf("%v of %v chooses otherwise in %d of %d rows", w, want, wrong, len(rows))
	}
	if weigh(nil) != [terms]float64{} {
		t.Error("there are weights of nothing")
	}
}

func TestBadArguments(t *testing.T) {
	broken := filepath.Join(t.TempDir(), "rows")
	if err := os.WriteFile(broken, []byte("{\"Rule\":\"caro\"}\n{\"Ru"), 0o600); err != nil {
		t.Fatal(err)
	}
	for _, args := range [][]string{nil, {"fit"}, {"go"}, {"gather", "-rule", "chess"}, {"gather", "-openings", "/nowhere"}, {"gather", "-no"}, {"fit", "/nowhere"}, {"fit", broken}} {
		if err := run(args, new(bytes.Buffer)); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%v: %v", args, err)
		}
	}
}
