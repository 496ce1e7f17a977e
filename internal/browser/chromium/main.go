// Command chromium fetches the browser and its driver of Vulkan, and takes the picture of the README: the board with
// both engines' opinions.
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

	"github.com/carozero/carozero/internal/browser"
	"github.com/carozero/carozero/internal/fetch"
)

const (
	largest  = 150_000 // bytes of a picture
	patience = 5 * time.Minute
)

// view is what a picture shows of a page.
type view struct {
	width, height int64  // in pixels
	before        string // run on the page, which is then loaded again; "" if it need not be
	until         string // true once the page has all that it should show
	change        string // run before the picture is taken
}

// game is the position of the board's picture, as a link has it.
const game = "#v=caro&s=15&m=h8i9j8i7i8g8k9j7h7k10j11l8l10g6a1m11&turn=8&view=analyse"

// board waits for both engines, for what came of their difference, and for the curve.
var board = view{
	width: 1280, height: 860,
	before: `(localStorage.setItem("carozero.prefs",
		JSON.stringify({visits: 400, nodes: 20000, sweepVisits: 30, live: true})), true)`,
	until: `/differ|play|loses|misses/.test(document.querySelector(".verdict")?.textContent) &&
		document.querySelector('[data-testid="sweep"]').textContent === "" && !document.querySelector('[aria-busy="true"]')`,
	change: "true",
}

const usage = `chromium: want one of
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
		err = printFetched(ctx, browser.Install)
	case "vulkan1":
		err = printFetched(ctx, browser.Vulkan)
	case "board3":
		err = takeBoard(ctx, args[1], args[2])
	default:
		fmt.Fprintln(os.Stderr, usage)
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "chromium:", err)
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
		err = take(ctx, strings.TrimSpace(address)+game, board, picture)
	}
	cancel()
	_ = serve.Wait() // it was killed
	return err
}

// take writes a picture of a page.
func take(ctx context.Context, address string, v view, picture string) error {
	data, err := shot(ctx, address, v)
	if err != nil {
		return err
	}
	if len(data) > largest {
		return fmt.Errorf("%s would have %d bytes: want at most %d", picture, len(data), largest)
	}
	return os.WriteFile(picture, data, 0o644)
}

// shot returns what a browser shows of a page, as PNG.
func shot(ctx context.Context, address string, v view) (png []byte, err error) {
	ctx, cancel := context.WithTimeout(ctx, patience)
	defer cancel()
	path, err := browser.Install(ctx, func(fetch.Package) {})
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
	if err := chromedp.Do(ctx, chromedp.EmulateViewport(v.width, v.height), chromedp.Navigate(address)); err != nil {
		return nil, err
	}
	if v.before != "" {
		if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](v.before)); err != nil {
			return nil, err
		}
		if err := chromedp.Do(ctx, chromedp.Reload()); err != nil {
			return nil, err
		}
	}
	for {
		shown, err := chromedp.Run(ctx, chromedp.Evaluate[bool](v.until))
		if err != nil {
			return nil, err
		}
		if shown {
			break
		}
		time.Sleep(200 * time.Millisecond)
	}
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](v.change)); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}
