package main

import (
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/carozero/carozero/nn/onnx"
)

func TestBenchReportsEveryFigure(t *testing.T) {
	for args, want := range map[string]map[string]string{
		"nn mcts selfplay --size 7 --playouts 2 --model " + testNet: {
			"nn":       "evals_per_s_of_batches_of_1 evals_per_s_of_batches_of_64 evals_per_s_of_batches_of_8",
			"mcts":     "evals_per_s playouts_per_s raw_evals_per_s",
			"selfplay": "evals_per_s positions_per_s raw_evals_per_s",
		},
		"nn --size 9 --model simulated": {
			"nn": "batch evals_per_s_of_batches_of_1024 evals_per_s_of_batches_of_128 evals_per_s_of_batches_of_2048 " +
				"evals_per_s_of_batches_of_256 evals_per_s_of_batches_of_4096 evals_per_s_of_batches_of_512 " +
				"evals_per_s_of_batches_of_64",
		},
		"rules nn mcts --size 9 --playouts 8 --model uniform": {
			"rules": "move_lists_per_s play_undo_per_s win_lists_per_s", "nn": "evals_per_s",
			"mcts": "evals_per_s playouts_per_s",
		},
	} {
		var r struct{ Parts map[string]map[string]float64 }
		readPrinted(t, &r, strings.Fields("bench --json --threads 1 --duration 1ms "+args)...)
		for part, keys := range want {
			if got := strings.Join(slices.Sorted(maps.Keys(r.Parts[part])), " "); got != keys {
				t.Errorf("%s: %s has %s, want %s", args, part, got, keys)
			}
			for key, value := range r.Parts[part] {
				if !(value > 0) {
					t.Errorf("%s: %s of %s is %v", args, key, part, value)
				}
			}
		}
	}
}

// Each provider is tried by a process of its own, which tells in one line why it cannot compute.
func TestProvidersAreShown(t *testing.T) {
	t.Setenv(asProgram, "1")
	var list []struct {
		Name, Error string
		Usable      bool
	}
	readPrinted(t, &list, "runtime", "show", "--json")
	if len(list) != len(onnx.Providers()) || !list[0].Usable || list[0].Name != onnx.CPU {
		t.Errorf("%+v", list)
	}
	for _, p := range list {
		if p.Usable == (p.Error != "") || strings.Contains(p.Error, "\n") || p.Name == "openvino" && p.Usable {
			t.Errorf("%+v", p)
		}
	}
}

func TestModels(t *testing.T) {
	if out := mustRun(t, "models", "list", testNet); !strings.Contains(out, "gomoku-1") {
		t.Error(out)
	}
	mustRun(t, "models", "verify", "--size", "11", testNet)
	shipped := strings.Count(mustRun(t, "models", "list", "--json"), `"sha256"`)
	if out := mustRun(t, "models", "verify", "--rule", "freestyle"); strings.Count(out, ": ok") != shipped {
		t.Error(out)
	}
	mustRun(t, "models", "verify", "onitama-b4c32", "first-b4c32")
	mustRun(t, "models", "verify", "simulated", "simulated:taught7-line16", "--device", "7,0") // on devices
	refuse(t, []refusal{
		{"search --model simulated --device 0,8", statusFailed, "no device 8, only 0 to 7"},
		{"search --model simulated:0", statusFailed, "above 0"},
		{"search --model simulated:first-b4c32", statusFailed, "line network"},
		{"search --model first-b4c32 --device 1", statusFailed, "--device 1: the devices of provider cpu have no numbers"},
	}...)
	if out := mustRun(t, "models", "verify", "--game", "onitama"); out != "onitama-b4c32: ok\n" {
		t.Error(out)
	}
	if status, _, message := run(t, "models", "verify", "--game", "gomoku", "onitama-b4c32"); status != statusFound {
		t.Errorf("status %d: %s", status, message)
	}
	status, out, message := run(t, "models", "verify", "../../nn/onnx/testdata/nan.onnx")
	if status != statusFound || !strings.Contains(out, "finite") {
		t.Errorf("status %d: %s%s", status, out, message)
	}
	for file, want := range map[string]string{
		"wrong-names.onnx": "policy", "wrong-planes.onnx": "needed", "other-planes.onnx": "needed",
		"no-metadata.onnx": "carozero.planes",
	} {
		status, _, message := run(t, "search", "--playouts", "4", "--model", "../../nn/onnx/testdata/"+file)
		if status != statusFailed || !strings.Contains(message, file) || !strings.Contains(message, want) {
			t.Errorf("%s: status %d: %s", file, status, message)
		}
	}
}
