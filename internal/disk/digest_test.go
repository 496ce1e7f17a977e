package disk

import (
	"strings"
	"testing"
)

func FuzzParseDigest(f *testing.F) {
	sum := strings.Repeat("0123456789abcdef", 4)
	for _, text := range []string{"", sum, sum + "  net.onnx\n", strings.ToUpper(sum), `\` + sum + ` a\nb`, sum[1:],
		"\x00" + sum, " \n" + sum + "\n"} {
		f.Add(text)
	}
	f.Fuzz(func(t *testing.T, text string) {
		digest, err := parseDigest(text)
		if err != nil {
			if !strings.Contains(err.Error(), "sha256sum") || strings.Contains(err.Error(), "\n") {
				t.Fatalf("%q: error %q", text, err)
			}
			return
		}
		if len(digest) != 64 || !strings.Contains(strings.ToLower(text), digest) {
			t.Fatalf("%q is read as %q", text, digest)
		}
		if again, err := parseDigest(digest); err != nil || again != digest {
			t.Fatalf("%q is read as %q, %v", digest, again, err)
		}
	})
}
