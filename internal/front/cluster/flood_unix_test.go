//go:build unix

package cluster

import (
	"flag"
	"fmt"
	"sync"
	"syscall"
	"testing"

	"github.com/klauspost/compress/zstd"
)

var flooders = flag.Int("flooders", 24, "hostile workers that send large results at once")

// mostFlooded is what a coordinator in a process of its own may take under that, in MiB:
// the bounds of the inlet, and what the process takes without them.
const mostFlooded = 512

// TestFloodOfResults has many sessions send large results at once, some of which are never
// finished and others of which unfold to as much as is allowed, and wants the
// coordinator's memory to keep within its bound, and an honest worker to be heard.
func TestFloodOfResults(t *testing.T) {
	r := role{Kind: "coordinator", Dir: t.TempDir(), Addr: freeAddr(t), Own: true, Games: 16, Silent: 30}
	c := r.start(t, true)
	for c.lines.Scan() && c.lines.Text() != "ready" {
	}
	config, _ := plan(t, r.Games)
	p := &place{t: t, dir: r.Dir, addr: r.Addr}
	z, err := zstd.NewWriter(nil, zstd.WithEncoderConcurrency(1))
	if err != nil {
		t.Fatal(err)
	}
	unfolds := z.EncodeAll(make([]byte, maxParcel), nil)
	endless := make([]byte, maxResult)
	var attacks sync.WaitGroup
	for i := range *flooders {
		in := p.intrude(config, fmt.Sprintf("flood-%d", i))
		defer in.nc.Close()
		if a := in.greet(nil); a.Failed+a.Refused != "" {
			t.Fatalf("%+v", a)
		}
		attacks.Go(func() {
			for from := 0; from < maxResult-maxPart; from += maxPart { // all but the last part
				a := in.ask(in.group.of(in.session, verbPart), appendPart(nil, 0, endless, from))
				if a.From == 0 {
					break // there is no room for it
				}
			}
			for range 4 { // at once, and without hearing the answers
				if err := in.nc.Publish(in.group.of(in.session, verbResult), unfolds); err != nil {
					t.Error(err)
				}
			}
			if err := in.nc.Flush(); err != nil {
				t.Error(err)
			}
		})
	}
	attacks.Wait()
	if err := p.worker(t.Context(), "honest", nil)(); err != nil {
		t.Error(err)
	}
	for c.lines.Scan() && c.lines.Text() != "done" {
	}
	c.end(syscall.SIGTERM)
	most := c.cmd.ProcessState.SysUsage().(*syscall.Rusage).Maxrss >> 10
	t.Logf("%d hostile workers: %d MiB at most", *flooders, most)
	if most > mostFlooded {
		t.Errorf("the coordinator took %d MiB, want at most %d", most, mostFlooded)
	}
}
