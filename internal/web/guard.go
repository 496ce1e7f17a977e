package web

import (
	"crypto/subtle"
	"net"
	"net/http"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// headers are those of every answer. The page asks nobody but its own server, and
// nothing in it stands inline.
var headers = map[string]string{
	"Content-Security-Policy": "default-src 'self'; connect-src 'self'; img-src 'self' data: blob:; " +
		"object-src 'none'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
	"X-Content-Type-Options":       "nosniff",
	"Referrer-Policy":              "no-referrer",
	"X-Frame-Options":              "DENY",
	"Cross-Origin-Opener-Policy":   "same-origin",
	"Cross-Origin-Resource-Policy": "same-origin",
}

// guard lets through who may ask: by a name that the server has, from no page but
// its own, and with its token.
func (s *Server) guard(next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		for name, value := range headers {
			w.Header().Set(name, value)
		}
		s.hurry(w)
		if given := r.URL.Query().Get("token"); given != "" && s.opts.Token != "" && r.Method == http.MethodGet &&
			r.URL.Path == "/" {
			s.greet(w, r, given)
			return
		}
		if p := s.admits(r); p != nil {
			if p.Status == http.StatusUnauthorized {
				w.Header().Set("WWW-Authenticate", "Bearer")
			}
			refuse(w, r, p)
			return
		}
		next.ServeHTTP(w, r)
	})
}

// hurry bounds how long a request may take to come and its answer to go. A socket
// lifts that.
func (s *Server) hurry(w http.ResponseWriter) {
	control, end := http.NewResponseController(w), time.Now().Add(s.limits.Request)
	_ = control.SetReadDeadline(end) // recorders of tests have no deadlines
	_ = control.SetWriteDeadline(end)
}

// admits returns why a request is not let through, nil if it is.
func (s *Server) admits(r *http.Request) *board.Problem {
	switch {
	case !s.named(r.Host):
		return board.Refusal(http.StatusForbidden, "this server is not called %s: start it with --host to give it that name",
			analysis.Shown(r.Host))
	case !ownPage(r):
		return board.Refusal(http.StatusForbidden, "requests come from this server's own page only")
	case !s.known(r) && !public(r.URL.Path):
		return board.Refusal(http.StatusUnauthorized,
			"a token is needed: open the link that the program has printed")
	}
	return nil
}

// public reports whether a path needs no token: the page's own files, which say
// nothing, and the sign of life. A browser that follows the link from another
// site's page sends no cookie before that page is there.
func public(path string) bool {
	return path == "/" || path == "/healthz" || strings.HasPrefix(path, "/assets/")
}

// named reports whether the server may be called by a host: a name of loopback, one
// that it was given, or beyond loopback any address. So a page elsewhere cannot
// reach it by a name of its own that leads here.
func (s *Server) named(host string) bool {
	name := host
	if h, _, err := net.SplitHostPort(host); err == nil {
		name = h
	}
	name = strings.ToLower(strings.TrimSuffix(strings.Trim(name, "[]"), "."))
	if name == "localhost" ||
		slices.ContainsFunc(s.opts.Hosts, func(own string) bool { return strings.EqualFold(own, name) }) {
		return true
	}
	ip := net.ParseIP(name)
	return ip != nil && (ip.IsLoopback() || !s.loopback)
}

// IsLoopback reports whether an address to listen on, host:port, can be reached
// from this machine only.
func IsLoopback(addr string) bool {
	host, _, err := net.SplitHostPort(addr)
	if err != nil {
		return false
	}
	ip := net.ParseIP(host)
	return strings.EqualFold(host, "localhost") || ip != nil && ip.IsLoopback()
}

// ownPage reports whether a request comes from the server's own page, or from no
// page at all: browsers say where a request comes from. A link to the page may
// stand anywhere.
func ownPage(r *http.Request) bool {
	site := r.Header.Get("Sec-Fetch-Site")
	if origin := r.Header.Get("Origin"); origin != "" {
		u, err := url.Parse(origin)
		return err == nil && u.Hostname() != "" && sameHost(u, r, site)
	}
	switch site {
	case "", "same-origin", "none":
		return true
	}
	return r.Method == http.MethodGet && r.URL.Path == "/" && r.Header.Get("Sec-Fetch-Mode") == "navigate"
}

// sameHost reports whether an origin is the host that a request was sent to. A host
// without a port can be one of which a proxy has left the port out, so that the
// name decides; but not on the ports that browsers leave out themselves, nor where
// the browser says that the origin is another one.
func sameHost(origin *url.URL, r *http.Request, site string) bool {
	asked := url.URL{Scheme: origin.Scheme, Host: r.Host}
	if !strings.EqualFold(origin.Hostname(), asked.Hostname()) {
		return false
	}
	if port(origin) == port(&asked) {
		return true
	}
	return asked.Port() == "" && !onUsualPort(r) && (site == "" || site == "same-origin")
}

// port returns the port of a URL, as it stands there or as its scheme has it.
func port(u *url.URL) string {
	switch {
	case u.Port() != "":
		return u.Port()
	case u.Scheme == "https":
		return "443"
	}
	return "80"
}

// onUsualPort reports whether a request came in at a port that browsers leave out.
func onUsualPort(r *http.Request) bool {
	addr, ok := r.Context().Value(http.LocalAddrContextKey).(*net.TCPAddr)
	return ok && (addr.Port == 80 || addr.Port == 443)
}

// cookieName holds the token.
const cookieName = "carozero"

// known reports whether a request has the token, if one is needed.
func (s *Server) known(r *http.Request) bool {
	if s.opts.Token == "" {
		return true
	}
	if bearer, ok := strings.CutPrefix(r.Header.Get("Authorization"), "Bearer "); ok && s.isToken(bearer) {
		return true
	}
	return slices.ContainsFunc(r.CookiesNamed(cookieName), func(c *http.Cookie) bool { return s.isToken(c.Value) })
}

// isToken compares in constant time.
func (s *Server) isToken(given string) bool {
	return subtle.ConstantTimeCompare([]byte(given), []byte(s.opts.Token)) == 1
}

// cookieLife is how long a browser keeps the token.
const cookieLife = 30 * 24 * time.Hour

// greet takes the token of the printed link into a cookie and sends the browser on
// to the page, so that the token stays out of its address. Where that is relative to
// the link, and the cookie is for its path: a proxy may have put the page below one.
func (s *Server) greet(w http.ResponseWriter, r *http.Request, given string) {
	if !s.named(r.Host) || !s.isToken(given) {
		p := board.Refusal(http.StatusUnauthorized,
			"the token of this link is not the server's: open the link that the program has printed")
		refuse(w, r, p)
		return
	}
	http.SetCookie(w, &http.Cookie{
		Name: cookieName, Value: given, MaxAge: int(cookieLife.Seconds()), HttpOnly: true,
		Secure: r.TLS != nil || r.Header.Get("X-Forwarded-Proto") == "https", SameSite: http.SameSiteStrictMode,
	})
	w.Header().Set("Cache-Control", "no-store")
	w.Header().Set("Location", "./")
	w.WriteHeader(http.StatusSeeOther)
}
