package web

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"strings"
	"sync"
	"time"
	"unicode/utf8"

	"github.com/coder/websocket"
	"golang.org/x/time/rate"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
)

// socket is the handler of /ws: one client of the service, for as long as the
// connection lasts. It returns when nothing of it is left.
func (s *Server) socket(w http.ResponseWriter, r *http.Request) {
	if !strings.EqualFold(r.Header.Get("Upgrade"), "websocket") {
		w.Header().Set("Upgrade", "websocket")
		refuse(w, r, board.Refusal(http.StatusUpgradeRequired, "want a WebSocket"))
		return
	}
	select {
	case s.sockets <- struct{}{}:
		defer func() { <-s.sockets }()
	default:
		p := board.Refusal(http.StatusServiceUnavailable,
			"%d sockets are open, which is the most: close one, or try again later", s.limits.Clients)
		refuse(w, r, p)
		return
	}
	greeting := &handshake{ResponseWriter: w}
	conn, err := websocket.Accept(greeting, r, &websocket.AcceptOptions{
		CompressionMode:    websocket.CompressionDisabled,
		InsecureSkipVerify: true, // of the origin, at which the guard has looked
	})
	if err != nil {
		if greeting.refused != 0 {
			refuse(w, r, board.Refusal(greeting.refused, "%s", board.OneLine(err)))
		}
		return
	}
	defer conn.CloseNow()
	conn.SetReadLimit(int64(s.opts.Line))
	ctx, cancel := context.WithCancelCause(r.Context())
	defer cancel(nil)
	defer context.AfterFunc(s.over, func() { cancel(errOver) })()
	// The end of a context that reads or writes tears the connection down, so these
	// have one of their own, which ends after the farewell.
	open, cut := context.WithCancel(context.WithoutCancel(ctx))
	defer cut()
	box := analysis.NewOutbox(s.limits.Unread, false)
	client := s.service.Connect(box.Send)
	var parts sync.WaitGroup
	parts.Go(func() { cancel(s.write(ctx, open, conn, box)) })
	parts.Go(func() { cancel(s.ping(ctx, open, conn)) })
	parts.Go(func() { cancel(s.read(ctx, open, conn, client.Handle)) })
	<-ctx.Done()
	client.Leave()
	s.bye(conn, context.Cause(ctx))
	cut()
	parts.Wait()
	client.Leave() // of what was read meanwhile
}

// handshake is where a handshake is answered. A refusal is kept, to be said as refusals are.
type handshake struct {
	http.ResponseWriter
	refused int // the status of a refusal; 0: none
}

// WriteHeader implements [http.ResponseWriter].
func (h *handshake) WriteHeader(status int) {
	if status != http.StatusSwitchingProtocols {
		h.refused = status
		return
	}
	h.ResponseWriter.WriteHeader(status)
}

// Write implements [http.ResponseWriter] for the text of a refusal, whose error has it too.
func (h *handshake) Write(text []byte) (int, error) { return len(text), nil }

// Unwrap is for [http.ResponseController], and for who takes the connection over.
func (h *handshake) Unwrap() http.ResponseWriter { return h.ResponseWriter }

// goodbye is how long a peer has to answer a farewell.
const goodbye = time.Second

// bye closes a connection with a word on why.
func (s *Server) bye(conn *websocket.Conn, why error) {
	late := time.AfterFunc(goodbye, func() { _ = conn.CloseNow() })
	defer late.Stop()
	switch {
	case errors.Is(why, errOver):
		_ = conn.Close(websocket.StatusGoingAway, errOver.Error())
	case errors.Is(why, analysis.ErrSlow):
		_ = conn.Close(websocket.StatusTryAgainLater, analysis.ErrSlow.Error())
	case errors.Is(why, errBinary):
		_ = conn.Close(websocket.StatusUnsupportedData, errBinary.Error())
	case errors.Is(why, errEncoding):
		_ = conn.Close(websocket.StatusInvalidFramePayloadData, errEncoding.Error())
	}
	_ = conn.CloseNow()
}

// errBinary closes a socket whose peer sends other than text.
var errBinary = errors.New("want text messages, JSON objects")

// errEncoding closes a socket whose peer sends text that is not UTF-8 (RFC 6455, 8.1): answers
// with what it has sent would be none either.
var errEncoding = errors.New("want text in UTF-8")

// read handles messages until the connection or ctx ends.
func (s *Server) read(ctx, open context.Context, conn *websocket.Conn, handle func([]byte)) error {
	pace := rate.NewLimiter(rate.Limit(s.limits.Rate), s.limits.Rate) // a second's worth may come at once
	for {
		kind, text, err := conn.Read(open)
		switch {
		case err != nil:
			return err
		case ctx.Err() != nil:
			continue // the peer's farewell is still to come
		case kind != websocket.MessageText:
			return errBinary
		case !utf8.Valid(text):
			return errEncoding
		}
		_ = pace.Wait(ctx) // it fails only where ctx ends, which the next turn sees
		handle(text)
	}
}

// pause waits, or returns when ctx ends.
func pause(ctx context.Context, wait time.Duration) {
	timer := time.NewTimer(wait)
	defer timer.Stop()
	select {
	case <-timer.C:
	case <-ctx.Done():
	}
}

// write writes what is in the outbox until the connection or ctx ends.
func (s *Server) write(ctx, open context.Context, conn *websocket.Conn, box *analysis.Outbox) error {
	for {
		line, err := box.Next(ctx)
		if err == nil {
			err = s.writeOne(open, conn, bytes.TrimSuffix(line, []byte("\n")))
		}
		if err != nil {
			return err
		}
	}
}

// writeOne writes one message, which a peer has as long to take in as it has to
// answer a ping.
func (s *Server) writeOne(open context.Context, conn *websocket.Conn, text []byte) error {
	ctx, cancel := context.WithTimeoutCause(open, s.limits.Idle, analysis.ErrSlow)
	defer cancel()
	if err := conn.Write(ctx, websocket.MessageText, text); err != nil {
		return errors.Join(context.Cause(ctx), err)
	}
	return nil
}

// ping asks the peer now and then whether it is there.
func (s *Server) ping(ctx, open context.Context, conn *websocket.Conn) error {
	for {
		if pause(ctx, s.limits.Idle); ctx.Err() != nil {
			return ctx.Err()
		}
		waiting, cancel := context.WithTimeout(open, s.limits.Idle)
		err := conn.Ping(waiting)
		cancel()
		if err != nil {
			return err
		}
	}
}
