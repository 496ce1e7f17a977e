package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/generate"
	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// Protocol is the version of the messages. Coordinator and worker must have the same.
const Protocol = 2

// maxConfig bounds a configuration, in bytes.
const maxConfig = 1 << 20

// Config is everything that decides the bytes of a run, as a coordinator publishes it.
type Config struct {
	Protocol int                  `json:"protocol"`
	Version  string               `json:"version"` // of the program
	Commit   string               `json:"commit"`
	Variant  games.VariantOptions `json:"variant"`
	Options  selfplay.Options     `json:"options"`

	SolverNodes int `json:"solver_nodes"`

	PolicyTemperature float32 `json:"policy_temperature,omitempty"` // 0: 1

	Player      string `json:"player,omitempty"` // description of a classical player; "": the tree search plays
	Model       string `json:"model"`            // name
	ModelSHA256 string `json:"model_sha256,omitempty"`
	Follow      bool   `json:"follow,omitempty"` // the network may change from shard to shard

	// Run is the SHA-256 of the resulting run.json. A worker that computes another one
	// would write different shards. "" while unknown.
	Run string `json:"run"`
}

// network returns the digest of the network's file, "" without one.
func (c *Config) network() string {
	if c.Player != "" {
		return ""
	}
	return c.ModelSHA256
}

// text returns the configuration's bytes and their digest.
func (c *Config) text() (data []byte, sum string, err error) {
	data, err = json.Marshal(c)
	return data, digest(data), err
}

// digest returns the SHA-256 in hexadecimal digits.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ParseConfig reads a configuration.
func ParseConfig(data []byte) (*Config, error) {
	if len(data) > maxConfig {
		return nil, fmt.Errorf("a configuration of %d bytes: want at most %d", len(data), maxConfig)
	}
	var head struct{ Protocol int }
	if err := json.Unmarshal(data, &head); err != nil {
		return nil, fmt.Errorf("the configuration is no JSON: %w", err)
	}
	if head.Protocol != Protocol {
		return nil, fmt.Errorf("the coordinator speaks protocol %d, this program %d: use the same release on both sides", head.Protocol, Protocol)
	}
	c := &Config{}
	if err := json.Unmarshal(data, c); err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	return c, c.Options.Check()
}

// Local holds the settings of one machine. They never change the games' bytes.
type Local struct {
	Version, Commit string // of this program
	Loader          *networks.Loader
	Network         string // path of the network's file, where the configuration has one
	AtOnce          int    // concurrent games of one worker
	CacheMiB        int
	Note            func(line string)
}

// Setup returns the player of the configuration's games on this machine, and a function
// that frees it. It returns an error that names the difference if this program would write
// other shards.
func (c *Config) Setup(p Local) (setup selfplay.Setup, done func() error, err error) {
	done = func() error { return nil }
	if p.Version != c.Version || p.Commit != c.Commit {
		return setup, done, fmt.Errorf("this is carozero %s (%s), the run is of %s (%s): use the same build on both sides",
			p.Version, p.Commit, c.Version, c.Commit)
	}
	v, err := games.NewVariant(c.Variant)
	if err != nil {
		return setup, done, err
	}
	opts := c.Options
	o := generate.SelfplayOptions{
		Seed: opts.Seed, Capacity: p.AtOnce * opts.Search.InFlight, CacheBytes: p.CacheMiB << 20,
		SolverNodes: c.SolverNodes, PolicyTemperature: c.PolicyTemperature, Version: p.Version, Commit: p.Commit,
	}
	if setup, done, err = c.player(v, o, p); err != nil {
		return setup, done, err
	}
	setup.Header.Model = c.Model
	if err := c.same(setup, opts); err != nil {
		return setup, done, errors.Join(err, done())
	}
	return setup, done, nil
}

// player returns the setup of the teacher or of the tree search.
func (c *Config) player(v games.Variant, o generate.SelfplayOptions, p Local) (setup selfplay.Setup, done func() error, err error) {
	done = func() error { return nil }
	if c.Player != "" {
		spec, err := players.ParseSpec(c.Player)
		if err != nil {
			return setup, done, err
		}
		t, err := generate.ParseTeaching(spec)
		if err != nil {
			return setup, done, err
		}
		setup, err = generate.TeachingSetup(v, t, o)
		return setup, done, err
	}
	model := networks.Uniform
	if c.ModelSHA256 != "" {
		model = p.Network
	}
	if c.Follow {
		o.Follow = &generate.Following{File: c.Model, Loader: p.Loader, Note: p.Note}
	}
	n, err := p.Loader.Open(v, model)
	if err != nil {
		return setup, done, err
	}
	if n.SHA256 != c.ModelSHA256 {
		return setup, done, errors.Join(fmt.Errorf("the network's sha256 is %.12s…, want %.12s…", n.SHA256, c.ModelSHA256), n.Close())
	}
	if setup, err = generate.SelfplaySetup(n, o); err != nil {
		return setup, done, errors.Join(err, n.Close())
	}
	return setup, n.Close, nil
}

// same returns an error if the setup's run differs from the coordinator's.
func (c *Config) same(setup selfplay.Setup, opts selfplay.Options) error {
	run, err := selfplay.Plan(setup, opts)
	if err != nil {
		return err
	}
	sum, err := runDigest(&run)
	if err == nil && c.Run != "" && sum != c.Run {
		err = fmt.Errorf("this program makes other samples of the configuration: planes %q, run.json %.12s…, want %.12s…; use the same build on both sides",
			run.Header.Planes.Version, sum, c.Run)
	}
	return err
}

// complete fills in what follows from the rest: the protocol and the run's digest.
func (c *Config) complete(setup selfplay.Setup) error {
	run, err := selfplay.Plan(setup, c.Options)
	if err != nil {
		return err
	}
	c.Protocol = Protocol
	c.Run, err = runDigest(&run)
	return err
}

// runDigest returns the SHA-256 of a run's run.json.
func runDigest(run *samples.Run) (string, error) {
	text, err := run.Text()
	return digest(text), err
}
