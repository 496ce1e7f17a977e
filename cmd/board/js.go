//go:build js && wasm

package main

import (
	"context"
	"errors"
	"syscall/js"
	"time"
)

// bytesOf copies an Uint8Array.
func bytesOf(array js.Value) []byte {
	data := make([]byte, array.Get("length").Int())
	js.CopyBytesToGo(data, array)
	return data
}

// arrayOf makes an Uint8Array.
func arrayOf(data []byte) js.Value {
	array := js.Global().Get("Uint8Array").New(len(data))
	js.CopyBytesToJS(array, data)
	return array
}

// promise returns a promise of what do finds, on a goroutine of its own.
func promise(do func() (js.Value, error)) js.Value {
	var settle js.Func
	settle = js.FuncOf(func(_ js.Value, args []js.Value) any {
		resolve, reject := args[0], args[1]
		go func() {
			defer settle.Release()
			v, err := do()
			if err != nil {
				reject.Invoke(js.Global().Get("Error").New(err.Error()))
				return
			}
			resolve.Invoke(v)
		}()
		return nil
	})
	return js.Global().Get("Promise").New(settle)
}

// await blocks until a promise is settled. It must not be called by one of JavaScript's calls.
func await(promise js.Value) (js.Value, error) {
	type settled struct {
		value js.Value
		err   error
	}
	done := make(chan settled, 1)
	kept := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{value: args[0]}
		return nil
	})
	defer kept.Release()
	broken := js.FuncOf(func(_ js.Value, args []js.Value) any {
		done <- settled{err: errors.New(args[0].Call("toString").String())}
		return nil
	})
	defer broken.Release()
	promise.Call("then", kept, broken)
	s := <-done
	return s.value, s.err
}

// rest is how long a search goes on before it lets the worker take messages.
const rest = 15 * time.Millisecond

// patient returns ctx with an Err that lets the worker take messages now and then: Go runs on the
// thread that they come to, and nothing interrupts a search.
func patient(ctx context.Context) context.Context { return &breather{ctx, time.Now()} }

// breather is such a context. It belongs to one search.
type breather struct {
	context.Context
	last time.Time
}

// Err implements [context.Context].
func (b *breather) Err() error {
	if time.Since(b.last) > rest {
		breathe()
		b.last = time.Now()
	}
	return b.Context.Err()
}

// later calls a function behind what waits to be done, and arrived is told of each call. A timer
// would take 4 ms in a browser, and Node passes a thousand messages on before it does all else.
var later, arrived = newLater()

func newLater() (later func(), arrived chan struct{}) {
	arrived = make(chan struct{}, 1)
	call := js.FuncOf(func(js.Value, []js.Value) any {
		arrived <- struct{}{}
		return nil
	})
	if js.Global().Get("setImmediate").Type() == js.TypeFunction {
		return func() { js.Global().Call("setImmediate", call) }, arrived
	}
	channel := js.Global().Get("MessageChannel").New()
	channel.Get("port1").Set("onmessage", call)
	return func() { channel.Get("port2").Call("postMessage", js.Null()) }, arrived
}

// breathe lets the messages that wait be taken.
func breathe() {
	later()
	<-arrived
}
