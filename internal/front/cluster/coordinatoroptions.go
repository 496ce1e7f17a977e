package cluster

import (
	"cmp"
	"log/slog"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/selfplay"
	"github.com/carozero/carozero/selfplay/samples"
)

// CoordinatorOptions say what a coordinator has played and how strictly it checks. The
// zero value of a field stands for the default that it names.
type CoordinatorOptions struct {
	Dir    string // of the run
	Resume bool   // continue the run in Dir
	Group  string // name of the cluster; "": main

	Config  Config            // without Run, which the coordinator computes
	Setup   selfplay.Setup    // that the Config gives on this machine
	Network []byte            // file of the Config's network, nil where it has none
	Kit     samples.CodecFunc // of what games are replayed with

	// Inexact says that machines of different kinds may play a game to other bytes,
	// since a network that plays computes otherwise there: see nn.Network.
	Inexact bool

	TaskGames int // games of a task; 0: 4

	// Audit is the share of units that are played again, NewAudit that of workers with
	// fewer than NewUnits good ones behind them; 0 for none: what passes the rules is
	// believed then.
	Audit, NewAudit float64
	NewUnits        int

	WindowUnits  int           // of one worker that one audit decides about; 0: 200
	WindowAge    time.Duration // after which one is audited in any case; 0: 10 minutes
	MostHeld     int           // games that may wait for audits before no more are dealt; 0: 20,000
	Auditors     int           // goroutines that play again; 0: 1
	AuditsAtOnce int           // games that each keeps under way; 0: 8

	Workers int           // that may be here at once; 0: 1000
	Silent  time.Duration // after which a worker's tasks are handed on; 0: 15 s
	Slow    time.Duration // after which an idle worker plays a task too that another has; 0: 2 min
	Trusted []string      // sessions of this process, whose games are only replayed

	MinFree int64                           // bytes that must be free for more games to be dealt
	Free    func(dir string) (int64, error) // nil: MinFree is of no account

	Files    samples.FS       // nil: the disk
	Now      func() time.Time // nil: time.Now
	Manifest func() time.Time // clock of the manifest; nil: one that stands still at the zero time
	Rand     *rand.Rand       // what peers must not be able to guess; required
	Log      *slog.Logger     // nil: none
	Progress func(selfplay.Summary)

	ready func() // is called once workers may come; nil: nobody waits for that
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

// DefaultGroup is the name of a cluster that was given none.
const DefaultGroup = "main"
