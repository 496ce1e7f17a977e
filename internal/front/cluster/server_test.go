package cluster

import (
	"strings"
	"testing"
)

// Where somebody else listens a server says so at once, and in one line.
func TestAddressInUse(t *testing.T) {
	config, setup := plan(t, 4)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	s := p.listen()
	defer s.Close()
	addr := strings.TrimPrefix(s.URL(), "nats://")
	_, err := StartServer(ServerOptions{Dir: t.TempDir(), Addr: addr, Token: testToken, Group: DefaultGroup})
	if err == nil || !strings.Contains(err.Error(), "address already in use") || strings.Contains(err.Error(), "\n") {
		t.Errorf("a second server on %s: %v", addr, err)
	}
}
