package onnx

import "testing"

func TestProviders(t *testing.T) {
	for _, p := range Providers() {
		if got, err := ParseProvider(string(p)); got != p || err != nil {
			t.Errorf("ParseProvider(%q) = %q, %v", p, got, err)
		}
	}
	if p, err := ParseProvider(""); p != CPU || err != nil {
		t.Errorf("the default provider is %q, %v", p, err)
	}
	_, err := ParseProvider("gpu")
	checkError(t, err, "gpu", "cuda")
}
