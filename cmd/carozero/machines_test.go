package main

import (
	"bytes"
	"encoding/json"
	"flag"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

var machines = flag.String("machines", "", "kinds of machine that must compute the same, such as amd64/v1,amd64/v3,arm64; what is not this one's runs under qemu-user")

// A line network and both searches that ask it compute the same on every kind of
// machine: moves, nodes, scores and the bytes of samples.
func TestMachinesComputeTheSame(t *testing.T) {
	var first map[string]string
	for _, kind := range strings.Split(*machines, ",") {
		if kind == "" {
			continue
		}
		got := computed(t, kind)
		if first == nil {
			first = got
		}
		for what, text := range got {
			if text != first[what] {
				t.Errorf("%s: %s differs from that of the first of %s:\n%s\n%s", kind, what, *machines, text, first[what])
			}
		}
	}
}

// computed returns what a program for a kind of machine computes.
func computed(t *testing.T, kind string) map[string]string {
	t.Helper()
	dir := t.TempDir()
	arch, level, _ := strings.Cut(kind, "/")
	program := filepath.Join(dir, "carozero")
	build := exec.Command("go", "build", "-pgo=off", "-o", program, ".")
	build.Env = append(os.Environ(), "CGO_ENABLED=0", "GOARCH="+arch, "GOAMD64="+level)
	if out, err := build.CombinedOutput(); err != nil {
		t.Fatalf("%s: %v\n%s", kind, err, out)
	}
	run := func(args ...string) []byte {
		cmd := exec.Command(program, args...)
		if arch == "arm64" {
			cmd = exec.Command("qemu-aarch64-static", append([]string{program}, args...)...)
		}
		var failed bytes.Buffer
		cmd.Stderr = &failed
		out, err := cmd.Output()
		if err != nil {
			t.Fatalf("%s: %v: %v\n%s", kind, args, err, failed.String())
		}
		return out
	}
	found := map[string]string{}
	for _, rule := range []string{"caro", "renju", "school42"} {
		position := []string{"search", "--rule", rule, "--position", "h8h9i9g10", "--json"}
		found["classical "+rule] = untimed(t, run(append(position, "--engine", "alphabeta", "--net", lineModel, "--nodes", "20000")...))
		found["tree "+rule] = untimed(t, run(append(position, "--model", lineModel, "--playouts", "300")...))
	}
	samples := filepath.Join(dir, "run")
	run("selfplay", "--model", lineModel, "--games", "2", "--playouts", "60", "--size", "9", "--seed", "3", "--out", samples)
	shard, err := os.ReadFile(filepath.Join(samples, "shard-000000.msgpack.zst"))
	if err != nil {
		t.Fatal(err)
	}
	found["samples"] = string(shard)
	return found
}

// lineModel is a shipped line network.
const lineModel = "taught7-line16"

// untimed returns a report without times.
func untimed(t *testing.T, report []byte) string {
	t.Helper()
	var v any
	if err := json.Unmarshal(report, &v); err != nil {
		t.Fatalf("%v: %s", err, report)
	}
	text, err := json.MarshalIndent(without(v), "", " ")
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// without leaves out every number of milliseconds or per second.
func without(v any) any {
	switch v := v.(type) {
	case map[string]any:
		for key, value := range v {
			if strings.HasSuffix(key, "_ms") || strings.HasSuffix(key, "_per_s") {
				delete(v, key)
			} else {
				v[key] = without(value)
			}
		}
	case []any:
		for i := range v {
			v[i] = without(v[i])
		}
	}
	return v
}
