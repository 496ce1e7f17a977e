package cluster

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/carozero/carozero/selfplay/samples"
)

// issue makes a token of a name and returns how its worker gets to the place.
func (p *place) issue(name string) Link {
	p.t.Helper()
	token, err := AddToken(TokensFile(p.dir), name, time.Now())
	if err != nil {
		p.t.Fatal(err)
	}
	link := p.link()
	link.Token = token
	return link
}

func (p *place) revoke(name string) {
	p.t.Helper()
	if err := RevokeToken(TokensFile(p.dir), name, time.Now()); err != nil {
		p.t.Fatal(err)
	}
}

// TestRevokedWorker lets a worker with a token of its own send games that wait for an
// audit, revokes the token, and wants it out, and all of these games played by others.
func TestRevokedWorker(t *testing.T) {
	for _, restart := range []bool{false, true} {
		t.Run(map[bool]string{false: "running", true: "away"}[restart], func(t *testing.T) {
			config, setup := plan(t, 16)
			p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
			p.change = func(o *CoordinatorOptions) { o.Audit = never }
			s := p.listen()
			defer func() { s.Close() }()
			link := p.issue("alice")
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			ended := p.begunUntil(ctx, s, NewMetrics())
			in := p.intrudeBy(link, config, "box")
			defer in.nc.Close()
			in.greet(nil)
			record := played(t, config, setup)
			in.dealt(8)
			for id := 0; id < 8; id += 2 {
				if a := in.result(pack(t, record(id), record(id+1))); a.Failed+a.Refused != "" {
					t.Errorf("game %d: %+v", id, a)
				}
			}
			if restart {
				cancel()
				<-ended
				p.revoke("alice")
				ended = p.begun(s, NewMetrics())
			} else {
				p.revoke("alice")
				for text := range in.denied { // its connection is ended
					if strings.Contains(text, "lost") || strings.Contains(strings.ToLower(text), "authorization") {
						break
					}
				}
			}
			err := p.worker(t.Context(), "box", func(o *WorkerOptions) { o.Link = link })()
			if !errors.Is(err, ErrToken) {
				t.Errorf("the worker comes back: %v", err)
			}
			var again sync.Map
			count := func(o *WorkerOptions) { o.spoil = func(r *samples.Record) { again.Store(r.Game.ID, true) } }
			if err := p.worker(t.Context(), "honest", count)(); err != nil {
				t.Error(err)
			}
			if err := <-ended; err != nil {
				t.Error(err)
			}
			for id := range 16 {
				if _, there := again.Load(uint64(id)); !there {
					t.Errorf("game %d was not played again", id)
				}
			}
			sameFiles(t, contents(t, p.dir), alone(t, config, setup))
			if taken, dropped := ofLedger(t, p.dir, "box@alice"); taken != 0 || !restart && dropped != 8 {
				t.Errorf("%d games of the worker are in the run, %d were dropped", taken, dropped)
			}
		})
	}
}

// TestRevokedStrangers revokes tokens of connections that have said nothing yet: they are closed,
// and no others.
func TestRevokedStrangers(t *testing.T) {
	config, setup := plan(t, 8)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	local := s.Link()
	guests := map[string]struct {
		link Link
		gone bool
	}{
		"alice":        {link: p.issue("alice"), gone: true},
		"bob":          {link: p.issue("bob")},
		SharedToken:    {link: p.link(), gone: true},
		"this process": {link: local},
	}
	sessions := map[string]string{}
	for name, g := range guests {
		in := p.intrudeBy(g.link, config, "box")
		defer in.nc.Close()
		sessions[name] = in.session
	}
	p.revoke("alice")
	p.revoke(SharedToken)
	if err := s.Reread(); err != nil {
		t.Fatal(err)
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	for name, g := range guests {
		if gone := s.server.GetClient(s.peers[sessions[name]].id) == nil; gone != g.gone {
			t.Errorf("%s: the connection is closed: %t, want %t", name, gone, g.gone)
		}
	}
}

// TestTokensOfTheirOwn wants a worker with a token of its own to take no other worker's name, and
// to be refused under every name once it was caught; others are not.
func TestTokensOfTheirOwn(t *testing.T) {
	config, setup := plan(t, 16)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	ended := p.begun(s, NewMetrics())
	alice, bob := p.issue("alice"), p.issue("bob") // while the coordinator runs
	a, b, c := p.intrudeBy(alice, config, "box"), p.intrudeBy(bob, config, "box"), p.intrude(config, "box")
	for _, in := range []*intruder{a, b, c} {
		defer in.nc.Close()
		if said := in.greet(nil); said.Failed+said.Refused != "" {
			t.Errorf("three workers of one name, each by its own token: %+v", said)
		}
	}
	a.result([]byte("garbage"))
	again := p.intrudeBy(alice, config, "another")
	defer again.nc.Close()
	if said := again.greet(nil); !strings.Contains(said.Refused, "quarantined") {
		t.Errorf("the token under another name: %+v", said)
	}
	for _, in := range []*intruder{b, c} {
		if said := in.greet(nil); said.Failed+said.Refused != "" {
			t.Errorf("somebody else's token: %+v", said)
		}
		in.ask(in.group.of(in.session, verbBye), nil)
	}
	p.revoke(SharedToken)
	if err := p.worker(t.Context(), "shared", nil)(); !errors.Is(err, ErrToken) {
		t.Errorf("by the shared token: %v", err)
	}
	if err := p.worker(t.Context(), "honest", func(o *WorkerOptions) { o.Link = bob })(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
}

// TestTokensFile changes a file of tokens in every way, and by many at once.
func TestTokensFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cluster", tokensName)
	now := time.Unix(1e9, 0)
	var adding sync.WaitGroup
	var mu sync.Mutex
	secrets := map[string]string{}
	for i := range 3 {
		adding.Go(func() {
			name := fmt.Sprintf("worker-%d", i)
			secret, err := AddToken(path, name, now)
			mu.Lock()
			defer mu.Unlock()
			if secrets[name] = secret; err != nil {
				t.Error(err)
			}
		})
	}
	adding.Wait()
	k, err := newKeys("shared token of all", path)
	if err != nil {
		t.Fatal(err)
	}
	for name, secret := range secrets {
		if got, ok := k.holder(secret); !ok || got != name {
			t.Errorf("%s: %q, %v", name, got, ok)
		}
	}
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for _, secret := range secrets {
		if strings.Contains(string(data), secret) {
			t.Error("the file holds a token itself")
		}
	}
	if info, err := os.Stat(path); err != nil || info.Mode().Perm()&0o077 != 0 {
		t.Errorf("%v, %v", info.Mode(), err)
	}
	for name, try := range map[string]func() error{
		"used before": func() error { _, err := AddToken(path, "worker-1", now); return err },
		"shared":      func() error { _, err := AddToken(path, SharedToken, now); return err },
		"letters":     func() error { _, err := AddToken(path, "a@b", now); return err },
		"no token":    func() error { return RevokeToken(path, "nobody", now) },
	} {
		if err := try(); err == nil || !strings.Contains(err.Error(), name) || strings.Contains(err.Error(), "\n") {
			t.Errorf("%s: %v", name, err)
		}
	}
	for _, name := range []string{"worker-1", SharedToken} {
		if err := RevokeToken(path, name, now); err != nil {
			t.Error(err)
		}
		if err := RevokeToken(path, name, now); err == nil {
			t.Errorf("%s is revoked twice", name)
		}
	}
	if _, ok := k.holder(secrets["worker-1"]); ok {
		t.Error("a revoked token lets in")
	}
	if _, ok := k.holder("shared token of all"); ok || !k.revoked("") {
		t.Error("the revoked shared token lets in")
	}
	if name, ok := k.holder(secrets["worker-2"]); !ok || name != "worker-2" || k.revoked("worker-2") {
		t.Error("a token that was not revoked does not let in")
	}
	for _, broken := range []string{"", "{", `{"format":"other"}`, `{"format":"carozero-tokens","version":1,"tokens":[{"name":"a"}]}`,
		`{"format":"carozero-tokens","version":1,"tokens":[{"name":"shared"},{"name":"shared"}]}`} {
		if err := WriteSecret(path, []byte(broken)); err != nil {
			t.Fatal(err)
		}
		if _, err := ReadTokens(path); err == nil || strings.Contains(err.Error(), "\n") {
			t.Errorf("%q: %v", broken, err)
		}
		if _, err := newKeys("", path); err == nil {
			t.Errorf("%q: a server begins with it", broken)
		}
		if _, ok := k.holder(secrets["worker-2"]); !ok || k.reread() == nil {
			t.Errorf("%q: what was known is forgotten", broken)
		}
	}
}
