package cluster

import (
	"encoding/json"
	"reflect"
	"strings"
	"testing"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/mcts"
	"github.com/carozero/carozero/selfplay"
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

// TestOptionsSurvive wants every field of the options, those to come too, to be the same
// after they were published.
func TestOptionsSurvive(t *testing.T) {
	var o selfplay.Options
	n := 0
	fill(reflect.ValueOf(&o).Elem(), &n)
	text, err := json.Marshal(o.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	var back selfplay.Options
	if err := json.Unmarshal(text, &back); err != nil {
		t.Fatal(err)
	}
	want := o.WithDefaults()
	if got := back; !reflect.DeepEqual(got, want) {
		t.Errorf("%+v, want %+v", got, want)
	}
	if reflect.ValueOf(want.Search.Clock).Pointer() != 0 || n < 40 {
		t.Errorf("%d fields were tried", n)
	}
}

// TestConfigRefuses wants a program that would write other samples to be told.
func TestConfigRefuses(t *testing.T) {
	for want, change := range map[string]func(c *Config, p *Local){
		"":                       func(*Config, *Local) {},
		"this is carozero test":  func(c *Config, _ *Local) { c.Version = "other" },
		"other samples":          func(c *Config, _ *Local) { c.Run = strings.Repeat("0", 64) },
		"other samples of":       func(c *Config, _ *Local) { c.Options.Seed++ },
		"the network's sha256":   func(c *Config, p *Local) { c.ModelSHA256, p.Network = strings.Repeat("0", 64), networks.Uniform },
		"no rule set is named x": func(c *Config, _ *Local) { c.Variant.Rule = "x" },
	} {
		c, setup := plan(t, 4)
		if err := c.complete(setup); err != nil {
			t.Fatal(err)
		}
		p := local()
		change(&c, &p)
		_, _, err := c.Setup(p)
		if (err == nil) != (want == "") || err != nil && strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", want, err)
		}
		if err != nil && !strings.HasPrefix(want, "no rule") && !strings.Contains(err.Error(), want) {
			t.Errorf("want %q, got %v", want, err)
		}
	}
}

// TestConfigOfAnotherProtocol wants it to be named before anything else is read.
func TestConfigOfAnotherProtocol(t *testing.T) {
	if _, err := ParseConfig([]byte(`{"protocol":9,"options":"what it may be"}`)); err == nil || !strings.Contains(err.Error(), "protocol 9") {
		t.Errorf("%v", err)
	}
}

// The policy's temperature of a configuration is that of the games.
func TestPolicyTemperatureOfAConfig(t *testing.T) {
	config, _ := plan(t, 2)
	config.PolicyTemperature, config.Run = 1.5, ""
	setup, done, err := config.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	defer done()
	if got, _ := setup.Header.Search.Get("policy_temperature"); got != 1.5 {
		t.Errorf("the shards say %v, want 1.5", got)
	}
}

// TestTeacherOverCluster has games of the classical search played by two workers, and
// games with a random opening.
func TestTeacherOverCluster(t *testing.T) {
	config, _ := plan(t, 6)
	o := config.Options
	o.Search = mcts.Options{}
	config.Options, config.Player, config.Model = o.WithDefaults(), "alphabeta:nodes=30,table=1", "alphabeta"
	setup, _, err := config.Setup(local())
	if err != nil {
		t.Fatal(err)
	}
	config.ModelSHA256 = setup.Header.ModelSHA256
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	one, two := p.worker(t.Context(), "one", nil), p.worker(t.Context(), "two", nil)
	if _, err := p.coordinate(t.Context(), s, NewMetrics()); err != nil {
		t.Fatal(err)
	}
	for _, wait := range []func() error{one, two} {
		if err := wait(); err != nil {
			t.Error(err)
		}
	}
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}
