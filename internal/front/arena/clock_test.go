package arena

import (
	"testing"
	"time"
)

func TestParseTimeControl(t *testing.T) {
	for text, want := range map[string]TimeControl{
		"60+0.5": {Base: time.Minute, Increment: 500 * time.Millisecond},
		"300":    {Base: 5 * time.Minute},
		"0.1+0":  {Base: 100 * time.Millisecond},
	} {
		if got, err := ParseTimeControl(text); err != nil || got != want {
			t.Errorf("%s: %+v, %v, want %+v", text, got, err, want)
		}
	}
	for _, text := range []string{"", "+", "60+", "+1", "0", "-1", "60+-1", "1e7", "inf", "NaN", "60+1+1", "6s"} {
		if got, err := ParseTimeControl(text); err == nil {
			t.Errorf("%q: %+v, want an error", text, got)
		}
	}
}

func TestTimeControlString(t *testing.T) {
	for want, c := range map[string]TimeControl{
		"none":                        {},
		"60+0.5 s a game":             {Base: time.Minute, Increment: 500 * time.Millisecond},
		"0.2 s a move":                {Turn: 200 * time.Millisecond},
		"60+0 s a game, 0.2 s a move": {Base: time.Minute, Turn: 200 * time.Millisecond},
	} {
		if got := c.String(); got != want {
			t.Errorf("%q, want %q", got, want)
		}
	}
}
