package cluster

import (
	"cmp"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// CoordinatorOptions say what a coordinator has played and how strictly it checks. A zero
// field means the default that its comment names.
type CoordinatorOptions struct {
	Dir    string // of the run
	Resume bool   // continue the run in Dir
	Group  string // name of the cluster; "": main

	Config  Config            // without Run, which the coordinator computes
	Setup   selfplay.Setup    // of the Config on this machine
	Network []byte            // file of the Config's network, nil if it has none
	Codec   samples.CodecFunc // replays games

	// Inexact allows machines of different kinds to produce different bytes for a game,
	// because a network computes slightly differently there: see nn.Network.
	Inexact bool

	TaskGames int // games of a task; 0: 4

	// Audit is the share of units that are replayed; NewAudit is that of workers with fewer
	// than NewUnits good units so far. 0: none, so games that follow the rules are
	// accepted.
	Audit, NewAudit float64
	NewUnits        int

	WindowUnits  int           // units of one worker decided by one audit; 0: 200
	WindowAge    time.Duration // age at which a window is audited in any case; 0: 10 minutes
	MostHeld     int           // games waiting for audits before no more are dealt; 0: 20,000
	Auditors     int           // goroutines that replay; 0: 1
	AuditsAtOnce int           // concurrent games of each; 0: 8

	Workers int           // maximum at once; 0: 1000
	Silent  time.Duration // after which a worker's tasks are dealt again; 0: 15 s
	Slow    time.Duration // after which a task is also dealt to an idle worker; 0: 2 min
	Trusted []string      // sessions of this process, whose games are checked against the rules only

	MinFree int64                           // bytes that must stay free; below that no games are dealt
	Free    func(dir string) (int64, error) // nil: MinFree is ignored

	Files    samples.FS       // nil: the disk
	Now      func() time.Time // nil: time.Now
	Manifest func() time.Time // clock of the manifest; nil: always the zero time
	Rand     *rand.Rand       // must be unpredictable for workers; required
	Log      *slog.Logger     // nil: none
	Progress func(selfplay.Summary)

	ready func() // called once workers may connect; nil: not needed
}

func (o CoordinatorOptions) withDefaults() CoordinatorOptions {
	o.Group = cmp.Or(o.Group, DefaultGroup)
	o.TaskGames = cmp.Or(o.TaskGames, 4)
	o.WindowUnits, o.WindowAge = cmp.Or(o.WindowUnits, 200), cmp.Or(o.WindowAge, 10*time.Minute)
	o.MostHeld, o.Auditors, o.AuditsAtOnce = cmp.Or(o.MostHeld, 20_000), cmp.Or(o.Auditors, 1), cmp.Or(o.AuditsAtOnce, 8)
	o.Workers, o.Silent, o.Slow = cmp.Or(o.Workers, 1000), cmp.Or(o.Silent, 15*time.Second), cmp.Or(o.Slow, 2*time.Minute)
	if o.Files == nil {
		o.Files = samples.Disk{}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Manifest == nil {
		o.Manifest = func() time.Time { return time.Time{} }
	}
	if o.Log == nil {
		o.Log = slog.New(slog.DiscardHandler)
	}
	if o.Progress == nil {
		o.Progress = func(selfplay.Summary) {}
	}
	return o
}

// DefaultGroup is the name of a cluster that was not given one.
const DefaultGroup = "main"
