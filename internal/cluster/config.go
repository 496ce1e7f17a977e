package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/cpu"

	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/generate"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/selfplay"
)

// Protocol is the version of the messages. Coordinator and worker must have the same.
const Protocol = 3

// Config is everything that decides the bytes of a run, as a coordinator publishes it.
type Config struct {
	Protocol int                  `json:"protocol"`
	Version  string               `json:"version"` // of the program
	Commit   string               `json:"commit"`
	Variant  games.VariantOptions `json:"variant"`
	Options  selfplay.Options     `json:"options"`

	SolverNodes       int     `json:"solver_nodes"`
	PolicyTemperature float32 `json:"policy_temperature,omitempty"` // 0: 1

	Player      string `json:"player,omitempty"` // description of a classical player; "": the tree search plays
	Model       string `json:"model"`            // name
	ModelSHA256 string `json:"model_sha256,omitempty"`
	Follow      bool   `json:"follow,omitempty"` // the network may change from shard to shard

	// Exact says that machines of all kinds play a game to the same bytes.
	Exact bool `json:"exact"`

	// Run is the SHA-256 of the resulting run.json. A worker that computes another one
	// would write different shards.
	Run string `json:"run"`
}

// network returns the digest of the network's file, "" without one.
func (c *Config) network() string {
	if c.Player != "" {
		return ""
	}
	return c.ModelSHA256
}

// digest returns the SHA-256 in hexadecimal digits.
func digest(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// ParseConfig reads a configuration.
func ParseConfig(data []byte) (*Config, error) {
	c := &Config{}
	err := json.Unmarshal(data, c)
	if c.Protocol != 0 && c.Protocol != Protocol {
		return nil, fmt.Errorf("the coordinator speaks protocol %d, this program %d: use the same release on both sides", c.Protocol, Protocol)
	}
	if err != nil {
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
	o := generate.SelfplayOptions{
		Seed: c.Options.Seed, Capacity: p.AtOnce * c.Options.Search.InFlight, CacheBytes: p.CacheMiB << 20,
		SolverNodes: c.SolverNodes, PolicyTemperature: c.PolicyTemperature, Version: p.Version, Commit: p.Commit,
	}
	if setup, done, err = c.player(v, o, p); err != nil {
		return setup, done, err
	}
	setup.Header.Model = c.Model
	sum, err := runDigest(setup, c.Options)
	if err == nil && c.Run != "" && sum != c.Run {
		err = fmt.Errorf("this program makes other samples of the configuration: planes %q, run.json %.12s…, want %.12s…; use the same build on both sides",
			setup.Header.Planes.Version, sum, c.Run)
	}
	if err != nil {
		err = errors.Join(err, done())
	}
	return setup, done, err
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
	if setup, err = generate.SelfplaySetup(n, o); err != nil {
		return setup, done, errors.Join(err, n.Close())
	}
	return setup, n.Close, nil
}

// runDigest returns the SHA-256 of the run.json of a run.
func runDigest(setup selfplay.Setup, opts selfplay.Options) (string, error) {
	run, err := selfplay.Plan(setup, opts)
	if err != nil {
		return "", err
	}
	text, err := run.Text()
	return digest(text), err
}

// MachineKind names the machines whose networks sum in the same order as on this one, so
// that they play a game to the same bytes: its system, instruction sets and provider.
func MachineKind(provider string) string {
	kind := runtime.GOOS + "/" + runtime.GOARCH
	for _, f := range []struct {
		name string
		has  bool
	}{
		{"fma", cpu.X86.HasFMA}, {"avx2", cpu.X86.HasAVX2}, {"avx512f", cpu.X86.HasAVX512F},
		{"vnni", cpu.X86.HasAVX512VNNI}, {"amx", cpu.X86.HasAMXTile}, {"dotprod", cpu.ARM64.HasASIMDDP}, {"sve", cpu.ARM64.HasSVE},
	} {
		if f.has {
			kind += "+" + f.name
		}
	}
	return kind + " " + provider
}
