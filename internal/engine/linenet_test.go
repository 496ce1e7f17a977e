package engine

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/think"
	"github.com/carozero/carozero/nn"
)

// shippedName is a line network in the box.
const shippedName = "taught3-line16"

// Both engines think with a line network, without ONNX Runtime, and twice the same.
func TestLineNetworkJudges(t *testing.T) {
	for _, rule := range []string{"caro", "renju", "school42"} {
		v := variant(t, VariantOptions{Rule: rule})
		start, moves, err := v.ParseGame("h8i9j7g9")
		if err != nil {
			t.Fatal(err)
		}
		for _, m := range moves {
			start.Play(m)
		}
		network, err := LineNetwork(shippedName)
		if err != nil {
			t.Fatal(err)
		}
		n, err := NewLoader(LoaderOptions{Flag: "no such library"}).Open(v, shippedName)
		if err != nil {
			t.Fatal(err)
		}
		for kind, engine := range map[string]func() (think.Engine, error){
			"classical": func() (think.Engine, error) {
				return NewClassical(v, ClassicalOptions{Search: alphabeta.Options{TableMiB: 1}, Line: network})
			},
			"tree": func() (think.Engine, error) { return NewTree(n, TreeOptions{Solvers: DefaultSolvers()}) },
		} {
			var answers [2]*think.Answer
			for i := range answers {
				e, err := engine()
				if err != nil {
					t.Fatal(err)
				}
				if answers[i], err = e.Think(context.Background(), start, think.Limits{Nodes: 300}); err != nil {
					t.Fatal(err)
				}
			}
			if a, b := answers[0], answers[1]; a.Move != b.Move || a.Value != b.Value || a.Value < -1 || a.Value > 1 {
				t.Errorf("%s, %s: moves %d and %d, values %v and %v", rule, kind, a.Move, b.Move, a.Value, b.Value)
			}
		}
	}
}

// A line network of one variant serves others, but no other game.
func TestLineNetworkIsLent(t *testing.T) {
	nets := NewNets(NewLoader(LoaderOptions{}), shippedName)
	defer nets.Close()
	for _, o := range []VariantOptions{{}, {Rule: "renju", Size: 11}, {Rule: "school42", Size: 19}} {
		n, err := nets.Net(variant(t, o))
		if err != nil || !n.Trained() || n.Network() != nil {
			t.Errorf("%+v: %v", o, err)
		}
	}
	onitama := variant(t, VariantOptions{Game: Onitama})
	if _, err := nets.Net(onitama); !errors.Is(err, nn.ErrModel) {
		t.Errorf("onitama: %v", err)
	}
	network, err := LineNetwork(shippedName)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := NewClassical(onitama, ClassicalOptions{Line: network}); !errors.Is(err, nn.ErrModel) {
		t.Errorf("onitama, classical: %v", err)
	}
}

func TestWrongLineNetworks(t *testing.T) {
	for model, word := range map[string]string{
		"nosuch": shippedName, "first-b4c32": "no line network", "./nosuch.line": "no such file", "linenet_test.go/": "not", "./": "folder",
	} {
		_, err := LineNetwork(model)
		if err == nil || !strings.Contains(err.Error(), word) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v, want one line with %q", model, err, word)
		}
	}
	for _, text := range []string{"alphabeta:net=nosuch", "alphabeta:weights=hand,net=" + shippedName} {
		spec, err := ParseSpec(text)
		if err == nil {
			_, err = ParsePlayer(spec)
		}
		if err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", text, err)
		}
	}
}

// A teacher with a line network says so in the samples.
func TestTeacherWithLineNetwork(t *testing.T) {
	spec, err := ParseSpec("alphabeta:nodes=100,net=" + shippedName)
	if err != nil {
		t.Fatal(err)
	}
	teaching, err := ParseTeaching(spec)
	if err != nil {
		t.Fatal(err)
	}
	setup, err := TeachingSetup(variant(t, VariantOptions{Size: 9}), teaching, SelfplayOptions{})
	if err != nil {
		t.Fatal(err)
	}
	network, err := LineNetwork(shippedName)
	if err != nil {
		t.Fatal(err)
	}
	if setup.Header.ModelSHA256 != network.SHA256() {
		t.Errorf("the samples name the weights %q, want %q", setup.Header.ModelSHA256, network.SHA256())
	}
}
