package cluster

import (
	"context"
	"crypto/ecdsa"
	"crypto/elliptic"
	"crypto/rand"
	"crypto/tls"
	"crypto/x509"
	"crypto/x509/pkix"
	"errors"
	"math/big"
	"net"
	"strings"
	"testing"
	"time"
)

// certified returns a certificate for this host that is its own authority.
func certified(t *testing.T) (tls.Certificate, *x509.CertPool) {
	t.Helper()
	key, err := ecdsa.GenerateKey(elliptic.P256(), rand.Reader)
	if err != nil {
		t.Fatal(err)
	}
	now := time.Now()
	c := &x509.Certificate{
		SerialNumber: big.NewInt(1), Subject: pkix.Name{CommonName: "test"}, NotBefore: now.Add(-time.Hour), NotAfter: now.Add(24 * time.Hour),
		IPAddresses: []net.IP{net.IPv4(127, 0, 0, 1)}, IsCA: true, BasicConstraintsValid: true,
		KeyUsage: x509.KeyUsageCertSign | x509.KeyUsageDigitalSignature, ExtKeyUsage: []x509.ExtKeyUsage{x509.ExtKeyUsageServerAuth, x509.ExtKeyUsageClientAuth},
	}
	der, err := x509.CreateCertificate(rand.Reader, c, c, &key.PublicKey, key)
	if err != nil {
		t.Fatal(err)
	}
	if c, err = x509.ParseCertificate(der); err != nil {
		t.Fatal(err)
	}
	pool := x509.NewCertPool()
	pool.AddCert(c)
	return tls.Certificate{Certificate: [][]byte{der}, PrivateKey: key}, pool
}

// TestTLS has a worker come by TLS, which shows a certificate of its own, and one without.
func TestTLS(t *testing.T) {
	config, setup := plan(t, 8)
	cert, pool := certified(t)
	p := &place{t: t, dir: t.TempDir(), config: config, setup: setup}
	p.serve = func(o *ServerOptions) {
		o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, ClientCAs: pool, ClientAuth: tls.RequireAndVerifyClientCert}
	}
	s := p.listen()
	defer s.Close()
	if !strings.HasPrefix(s.URL(), "tls://127.0.0.1:") {
		t.Errorf("%s", s.URL())
	}
	if !strings.Contains(string(s.proxy.info), `"tls_verify":true`) {
		t.Errorf("workers are not told that they need a certificate: %s", s.proxy.info)
	}
	ended := p.begun(s, NewMetrics())
	link := Link{URL: s.URL(), Token: testToken, TLS: &tls.Config{RootCAs: pool}}
	if nc, err := link.connect(NewSession(), func(string) {}, nil); err == nil {
		nc.Close()
		t.Error("it comes in without a certificate")
	}
	link.TLS.Certificates = []tls.Certificate{cert}
	if err := p.worker(t.Context(), "one", func(o *WorkerOptions) { o.Link = link })(); err != nil {
		t.Error(err)
	}
	if err := <-ended; err != nil {
		t.Error(err)
	}
	sameFiles(t, contents(t, p.dir), alone(t, config, setup))
}

// TestUntrustedCertificate wants a worker that waits for its coordinator to be told why it does not
// get there, once.
func TestUntrustedCertificate(t *testing.T) {
	cert, _ := certified(t)
	p := &place{t: t, dir: t.TempDir(), serve: func(o *ServerOptions) { o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}} }}
	s := p.listen()
	defer s.Close()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	notes := make(chan string, 100)
	ended := make(chan error, 1)
	go func() {
		_, err := Link{URL: s.URL(), Token: testToken}.await(ctx, NewSession(), func(text string) { notes <- text }, nil)
		ended <- err
	}()
	select {
	case text := <-notes:
		if !strings.HasPrefix(text, "no connection: ") || !strings.Contains(text, "certificate") {
			t.Errorf("it is told %q", text)
		}
	case <-ctx.Done():
		t.Error("it is not told why")
	}
	cancel()
	if err := <-ended; !errors.Is(err, context.Canceled) || len(notes) > 0 {
		t.Errorf("it ends with %v, and is told %d times more", err, len(notes))
	}
}

// TestRudeToTheProxy says things to the proxy that no worker says: this connection is closed,
// and no other.
func TestRudeToTheProxy(t *testing.T) {
	p := &place{t: t, dir: t.TempDir()}
	s := p.listen()
	defer s.Close()
	for _, said := range []string{
		"\r\n", "GET / HTTP/1.1\r\n", "PING\r\n", "PUB a 1\r\n", strings.Repeat("CONNECT", 1000), "CONNECT\r\n", "CONNECT {\r\n", "CONNECT {}\r\n",
		"CONNECT {\"user\":\"x\",\"pass\":\"" + testToken + "\"}\r\n", "CONNECT {\"user\":\"" + NewSession() + "\",\"pass\":\"\"}\r\nPING\r\n", "\x16\x03\x01\x00\xff",
	} {
		conn, err := net.Dial("tcp", p.addr)
		if err != nil {
			t.Fatal(err)
		}
		if tc := conn.(*net.TCPConn); said != "" {
			if _, err := tc.Write([]byte(said)); err == nil {
				_ = tc.CloseWrite() // so that a sentence without an end has one
			}
		}
		buffer, heard := make([]byte, 1<<12), ""
		for n, err := conn.Read(buffer); ; n, err = conn.Read(buffer) {
			if heard += string(buffer[:n]); err != nil {
				break
			}
		}
		if strings.Contains(heard, "PONG") || strings.Contains(heard, "+OK") || strings.Contains(heard, "client_id") {
			t.Errorf("%.40q: it was let in: %q", said, heard)
		}
		conn.Close()
	}
	nc, err := p.link().connect(NewSession(), func(string) {}, nil)
	if err != nil {
		t.Fatal(err)
	}
	nc.Close()
}
