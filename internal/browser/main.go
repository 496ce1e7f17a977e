// Command browser fetches the Chromium of the tests and its driver of Vulkan, and takes the
// picture of the README: the board with both engines' opinions.
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"strings"
	"syscall"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carozero/carozero/internal/fetch"
)

const (
	largest  = 150_000 // bytes of a picture
	patience = 5 * time.Minute
)

// What the picture shows of the page that a program serves: the position that a link has, once
// both engines, what came of their difference, and the curve are there.
const (
	width, height = 1280, 860 // in pixels

	position = "#v=caro&s=15&m=h8i9j8i7i8g8k9j7h7k10j11l8l10g6a1m11&turn=8&view=analyse"

	prepare = `(localStorage.setItem("carozero.prefs",
		JSON.stringify({visits: 400, nodes: 20000, sweepVisits: 30, live: true})), true)`
	complete = `/differ|play|loses|misses/.test(document.querySelector(".verdict")?.textContent) &&
		document.querySelector('[data-testid="sweep"]').textContent === "" && !document.querySelector('[aria-busy="true"]')`
)

const usage = `browser: want one of
  fetch                            prints the path of a Chromium, and fetches it first if there is none
  vulkan                           prints the folder of the pinned one's driver of Vulkan, likewise
  board PROGRAM PICTURE            takes the picture of the board that a program serves`

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	args := append(os.Args[1:], "")
	var err error
	switch form := fmt.Sprint(args[0], len(args)-1); form {
	case "fetch1":
		err = printFetched(ctx, fetch.Chromium)
	case "vulkan1":
		err = printFetched(ctx, fetch.Vulkan)
	case "board3":
		err = takeBoard(ctx, args[1], args[2])
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "browser:", err)
		os.Exit(1)
	}
}

// printFetched prints where something of Chromium is.
func printFetched(ctx context.Context, install func(context.Context, func(fetch.Package)) (string, error)) error {
	path, err := install(ctx, func(p fetch.Package) {
		fmt.Fprintf(os.Stderr, "fetching %s %s into the user's cache, 68 MB\n", p.Name, p.Version)
	})
	if err == nil {
		fmt.Println(path)
	}
	return err
}

// takeBoard writes the picture of the page that a program serves.
func takeBoard(ctx context.Context, program, picture string) error {
	ctx, cancel := context.WithCancel(ctx)
	defer cancel()
	serve := exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0")
	serve.Stderr = os.Stderr
	out, err := serve.StdoutPipe()
	if err != nil {
		return err
	}
	if err := serve.Start(); err != nil {
		return err
	}
	address, err := bufio.NewReader(out).ReadString('\n')
	if err == nil {
		err = take(ctx, strings.TrimSpace(address)+position, picture)
	}
	cancel()
	_ = serve.Wait() // it was killed
	return err
}

// take writes the picture of a page.
func take(ctx context.Context, address, picture string) error {
	data, err := shot(ctx, address)
	if err == nil && len(data) > largest {
		err = fmt.Errorf("%s would have %d bytes: want at most %d", picture, len(data), largest)
	}
	if err != nil {
		return err
	}
	return os.WriteFile(picture, data, 0o644)
}

// shot returns what a browser shows of a page, as PNG.
func shot(ctx context.Context, address string) (png []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	path, err := fetch.Chromium(ctx, func(fetch.Package) {})
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU,
		chromedp.Flag("hide-scrollbars", true))
	if os.Getuid() == 0 {
		options = append(options, chromedp.NoSandbox) // the sandbox refuses root
	}
	ctx, end := chromedp.NewExecAllocator(ctx, options...)
	defer end()
	ctx, done := chromedp.NewContext(ctx)
	defer done()
	defer func() { err = errors.Join(err, chromedp.Cancel(ctx)) }()
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(width, height), chromedp.Navigate(address)); err != nil {
		return nil, err
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](prepare)); err != nil {
		return nil, err
	}
	if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
		return nil, err
	}
	for {
		shown, err := chromedp.Run(ctx, chromedp.Evaluate[bool](complete))
		if err != nil {
			return nil, err
		}
		if shown {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}
