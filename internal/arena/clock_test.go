package arena

import (
	"testing"
	"time"

	"pgregory.net/rapid"
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

func TestBudgetIsWithinTheLimit(t *testing.T) {
	if _, ok := (Clock{}).Budget(); ok {
		t.Error("a budget without a clock")
	}
	if d := (Clock{}).Reserve(); d != 0 {
		t.Errorf("a reserve of %v without a clock", d)
	}
	if b, ok := (Clock{Control: TimeControl{Turn: time.Second}}).Budget(); !ok || b != 900*time.Millisecond {
		t.Errorf("budget %v, %t for a turn of 1s", b, ok)
	}
	rapid.Check(t, func(t *rapid.T) {
		span := rapid.Int64Range(0, int64(time.Hour))
		c := Clock{
			Control: TimeControl{
				Turn:      time.Duration(span.Draw(t, "turn")),
				Base:      time.Duration(span.Draw(t, "base")) + 1,
				Increment: time.Duration(span.Draw(t, "increment")),
			},
			Left: time.Duration(span.Draw(t, "left")),
		}
		budget, ok := c.Budget()
		limit, limited := c.Limit()
		if !ok || !limited || budget < 0 || budget > limit {
			t.Fatalf("%+v: budget %v, limit %v", c, budget, limit)
		}
		if reserve := c.Reserve(); reserve < 0 || reserve > budget || budget+2*reserve > limit {
			t.Fatalf("%+v: budget %v, reserve %v, limit %v", c, budget, reserve, limit)
		}
	})
}
