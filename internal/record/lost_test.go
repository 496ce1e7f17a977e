package record

import "testing"

// What an encoding does not have becomes a question mark each, and is counted; the
// rest stays.
func TestEncodeCountsWhatIsLost(t *testing.T) {
	for _, c := range []struct {
		charset, text, want string
		lost                int
	}{
		{"utf-8", "ván cờ 碁", "ván cờ 碁", 0},
		{"windows-1252", "déjà vu", "d\xe9j\xe0 vu", 0},
		{"windows-1252", "", "", 0},
		{"windows-1252", "a碁b", "a?b", 1},
		{"windows-1252", "碁é碁", "?\xe9?", 2},
		{"windows-1252", "五子棋", "???", 3},
		{"gbk", "五子棋 ờ", "\xce\xe5\xd7\xd3\xc6\xe5 ?", 1},
	} {
		cs, err := lookupCharset(c.charset)
		if err != nil {
			t.Fatal(err)
		}
		if got, lost := cs.encode(c.text); got != c.want || lost != c.lost {
			t.Errorf("%s: %q becomes %q, %d lost; want %q, %d lost", c.charset, c.text, got, lost, c.want, c.lost)
		}
	}
}
