//go:build js && wasm

package main

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"syscall/js"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/models"
)

// linkedVersion is set by make site.
var linkedVersion = "unknown"

// main is the program of a Web Worker: it sets globalThis.carozero and calls
// globalThis.carozeroReady. Of carozero
//   - line(text) takes a message of the dialogue of package analysis, and onLine, which the worker
//     sets, is called with each answer;
//   - request(method, path, type, body) returns a promise of {status, type, body, headers} for
//     api/config, api/import and api/export;
//   - network(name, bytes) takes the file of a network ahead of its use. A file that is needed and
//     has not come is asked for by globalThis.needNetwork(name), which returns a promise of it.
func main() {
	js.Global().Set("carozero", newWorker().carozero)
	js.Global().Call("carozeroReady")
	select {}
}

// worker answers what package web answers, by calls in place of sockets and requests.
type worker struct {
	carozero js.Value
	service  *analysis.Service
	client   *analysis.Client
	config   board.Config

	mu    sync.Mutex
	files map[string][]byte // of networks
}

// newWorker returns a worker that answers.
func newWorker() *worker {
	w := &worker{carozero: js.Global().Get("Object").New(), files: map[string][]byte{}}
	models.Fetch = w.fetch
	var err error
	if w.config, err = board.Offline(linkedVersion); err == nil {
		w.service, err = w.config.Service(patient)
	}
	if err != nil {
		panic(err) // the options and the manifest are fixed
	}
	w.client = w.service.Connect(w.send)
	go func() { _ = w.service.Run(context.Background()) }()
	w.carozero.Set("onLine", js.Undefined())
	w.carozero.Set("line", w.function(w.line))
	w.carozero.Set("request", w.function(w.request))
	w.carozero.Set("network", w.function(w.network))
	return w
}

// function makes a Go function one of JavaScript's. A panic is told on the console.
func (w *worker) function(do func(args []js.Value) any) js.Func {
	return js.FuncOf(func(_ js.Value, args []js.Value) (result any) {
		defer func() {
			if r := recover(); r != nil {
				js.Global().Get("console").Call("error", fmt.Sprint(r))
			}
		}()
		return do(args)
	})
}

// line handles a message of the dialogue.
func (w *worker) line(args []js.Value) any {
	defer func() {
		if r := recover(); r != nil {
			w.send(&analysis.Problem{Code: analysis.Internal, Error: fmt.Sprintf("internal error: %v", r)}, false)
		}
	}()
	w.client.Handle([]byte(args[0].String()))
	return nil
}

// send hands a message to the page, whose failure is not the search's.
func (w *worker) send(message any, _ bool) {
	defer func() { _ = recover() }()
	if f := w.carozero.Get("onLine"); f.Type() == js.TypeFunction {
		f.Invoke(strings.TrimSuffix(string(analysis.Line(message)), "\n"))
	}
}

// request answers a request by a promise.
func (w *worker) request(args []js.Value) any {
	method, path := args[0].String(), args[1].String()
	var body []byte
	if len(args) > 3 && args[3].Truthy() {
		body = bytesOf(args[3])
	}
	return promise(func() (js.Value, error) {
		r := w.answer(method, path, body)
		headers := js.Global().Get("Object").New()
		for name, value := range r.Header {
			headers.Set(name, value)
		}
		said := js.Global().Get("Object").New()
		said.Set("status", r.Status)
		said.Set("type", r.Type)
		said.Set("body", arrayOf(r.Body))
		said.Set("headers", headers)
		return said, nil
	})
}

// answer answers a request.
func (w *worker) answer(method, path string, body []byte) (r *board.Reply) {
	defer func() {
		if p := recover(); p != nil {
			r = board.Refusal(500, "internal error: %v", p).Reply()
		}
	}()
	u, err := url.Parse(path)
	if err != nil {
		return board.Refusal(404, "there is nothing here").Reply()
	}
	var reply *board.Reply
	var p *board.Problem
	switch where := strings.TrimLeft(u.Path, "./"); {
	case where != "api/config" && where != "api/import" && where != "api/export":
		p = board.Refusal(404, "there is nothing here")
	case (where == "api/config") != (method == "GET") || method != "GET" && method != "POST":
		p = board.Refusal(405, "want another method than %s", analysis.Shown(method))
	case len(body) > w.config.Limits.Body:
		p = board.Refusal(413, "want at most %d bytes", w.config.Limits.Body)
	case where == "api/import":
		reply, p = w.config.Defaults.Import(context.Background(), u.Query().Get, body)
	case where == "api/export":
		reply, p = board.Export(w.service, body)
	default:
		reply = board.JSON(200, w.config)
	}
	if p != nil {
		return p.Reply()
	}
	return reply
}

// network takes the file of a network.
func (w *worker) network(args []js.Value) any {
	w.mu.Lock()
	defer w.mu.Unlock()
	w.files[args[0].String()] = bytesOf(args[1])
	return nil
}

// fetch returns the file of a network, which it asks the page for where it has not come. It
// blocks until that has it. A file is handed out once: who loads it keeps what it makes of it.
func (w *worker) fetch(name string) ([]byte, error) {
	w.mu.Lock()
	data, ok := w.files[name]
	delete(w.files, name)
	w.mu.Unlock()
	if ok {
		return data, nil
	}
	file, err := await(js.Global().Call("needNetwork", name))
	if err != nil {
		return nil, err
	}
	return bytesOf(file), nil
}
