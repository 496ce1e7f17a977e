// Package cluster plays a self-play run on the user's own machines. A [Coordinator] deals
// games to [Worker]s, replays each result through the rules and writes the run, to the bytes
// that one machine alone would write: a game is a function of network, options, seed and id,
// so a lost one is played again. Requests and answers travel over a NATS [Server] inside the
// coordinator; the only state is the run on disk and what each worker says it is playing.
package cluster

import (
	"encoding/json"
	"errors"
	"fmt"
	"runtime"

	"golang.org/x/sys/cpu"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/selfplay"
)

// Protocol is the version of the messages. Coordinator and worker must have the same.
const Protocol = 4

// Config is a run as a coordinator publishes it.
type Config struct {
	Protocol int `json:"protocol"`
	selfplay.Run
	Model       string `json:"model"` // name
	ModelSHA256 string `json:"model_sha256,omitempty"`

	// Exact says that machines of all kinds play a game to the same bytes.
	Exact bool `json:"exact"`

	// Device is that of the coordinator, as in selfplay.Setup.
	Device selfplay.Device `json:"device,omitzero"`

	// Broken are followed networks whose games are played again with others: what a worker has
	// of them is void.
	Broken []string `json:"broken,omitempty"`

	// Digest is the SHA-256 of the resulting run.json. A worker that computes another one
	// would write different shards.
	Digest string `json:"run"`
}

// network returns the digest of the network's file, "" without one.
func (c *Config) network() string {
	if c.Player != "" {
		return ""
	}
	return c.ModelSHA256
}

// ParseConfig reads a configuration.
func ParseConfig(data []byte) (*Config, error) {
	c := &Config{}
	err := json.Unmarshal(data, c)
	if c.Protocol != 0 && c.Protocol != Protocol {
		return nil, fmt.Errorf("the coordinator speaks protocol %d, this program %d: use the same release on both sides",
			c.Protocol, Protocol)
	}
	if err != nil {
		return nil, fmt.Errorf("the configuration: %w", err)
	}
	return c, c.Options.Check(nil)
}

// Open opens what plays the configuration's games on a machine. It returns an error that
// names the difference if this program, of that version and commit, would write other shards.
func (c *Config) Open(version, commit string, m selfplay.Machine) (*selfplay.Playing, error) {
	if version != c.Version || commit != c.Commit {
		return nil, fmt.Errorf("this is carozero %s (%s), the run is of %s (%s): use the same build on both sides",
			version, commit, c.Version, c.Commit)
	}
	if m.Follow = c.Model; c.ModelSHA256 == "" {
		m.Model = networks.Uniform
	}
	p, err := c.Run.Open(m)
	if err != nil {
		return nil, err
	}
	if got, want := p.Setup.Device, c.Device; got != want {
		return nil, errors.Join(fmt.Errorf("%s computes networks here, want %s: use the same --provider, library and kind "+
			"of device on all machines", got, want), p.Close())
	}
	p.Setup.Header.Model = c.Model
	sum, err := runDigest(p.Setup, c.Options)
	if err == nil && c.Digest != "" && sum != c.Digest {
		err = fmt.Errorf("this program makes other samples of the run: planes %q, run.json %.12s…, want %.12s…; use the "+
			"same build on both sides",
			p.Setup.Header.Planes.Version, sum, c.Digest)
	}
	if err != nil {
		return nil, errors.Join(err, p.Close())
	}
	return p, nil
}

// runDigest returns the SHA-256 of the run.json of a run.
func runDigest(setup selfplay.Setup, opts selfplay.Options) (string, error) {
	run, err := selfplay.Plan(setup, opts)
	if err != nil {
		return "", err
	}
	text, err := run.Text()
	return disk.Sum(text), err
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
		{"vnni", cpu.X86.HasAVX512VNNI}, {"amx", cpu.X86.HasAMXTile},
		{"dotprod", cpu.ARM64.HasASIMDDP}, {"sve", cpu.ARM64.HasSVE},
	} {
		if f.has {
			kind += "+" + f.name
		}
	}
	return kind + " " + provider
}
