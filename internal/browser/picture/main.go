// Command picture takes the pictures of the README: the head of a cross-check's report
// with its first disagreement, and the board in the browser with both engines' opinions; and
// of the courses on the page of a tuning.
//
//	go run ./internal/browser/picture report REPORT.html PICTURE.png
//	go run ./internal/browser/picture tuning REPORT.html PICTURE.png
//	go run ./internal/browser/picture board PROGRAM PICTURE.png
package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
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

// report leaves out the tables and the calibration, so that the board fits.
var report = view{width: 1000, height: 796, until: "true", change: `const s = document.createElement("style"); document.head.append(s); s.textContent =
	"h2, h2 + .panel, .filters, main > table, details { display: none !important } main { padding: 20px 20px 0 } .tiles { margin: 16px 0 }"; s.isConnected`}

// tuning has the courses of the first six settings.
var tuning = view{width: 1280, height: 706, until: "true", change: `const s = document.createElement("style"); document.head.append(s); s.textContent =
	"h1, h2, .soft, .wide, .chart:nth-of-type(n+7) { display: none !important } main { padding: 12px }"; s.isConnected`}

// game is the position of the board's picture, as a link has it.
const game = "#v=caro&s=15&m=h8i9j8i7i8g8k9j7h7k10j11l8l10g6a1m11&turn=8&view=analyse"

// board waits for both engines, for what came of their difference, and for the curve.
var board = view{
	width: 1280, height: 860,
	before: `(localStorage.setItem("carozero.prefs", JSON.stringify({visits: 400, nodes: 20000, sweepVisits: 30, live: true})), true)`,
	until: `!!document.querySelector(".verdict") && /differ|play|loses|misses/.test(document.querySelector(".verdict").textContent) &&
	document.querySelector('[data-testid="sweep"]').textContent === "" && !document.querySelector('[aria-busy="true"]')`,
	change: "true",
}

func main() {
	var err error
	switch {
	case len(os.Args) == 4 && os.Args[1] == "report":
		err = takeReport(os.Args[2], report, os.Args[3])
	case len(os.Args) == 4 && os.Args[1] == "tuning":
		err = takeReport(os.Args[2], tuning, os.Args[3])
	case len(os.Args) == 4 && os.Args[1] == "board":
		err = takeBoard(os.Args[2], os.Args[3])
	default:
		fmt.Fprintln(os.Stderr, "picture: want report or tuning, REPORT.html and PICTURE.png; or board PROGRAM PICTURE.png")
		os.Exit(2)
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// takeReport writes the picture of a report.
func takeReport(path string, v view, picture string) error {
	path, err := filepath.Abs(path)
	if err != nil {
		return err
	}
	if _, err := os.Stat(path); err != nil {
		return err
	}
	return take("file://"+path, v, picture)
}

// takeBoard writes the picture of the page that a program serves.
func takeBoard(program, picture string) (err error) {
	ctx, cancel := context.WithCancel(context.Background())
	serve := exec.CommandContext(ctx, program, "serve", "--addr", "127.0.0.1:0")
	serve.Stderr = os.Stderr
	out, err := serve.StdoutPipe()
	if err != nil {
		cancel()
		return err
	}
	if err := serve.Start(); err != nil {
		cancel()
		return err
	}
	defer func() {
		cancel()
		_ = serve.Wait() // it was killed
	}()
	address, err := bufio.NewReader(out).ReadString('\n')
	if err != nil {
		return fmt.Errorf("%s serve printed no address: %w", program, err)
	}
	return take(strings.TrimSpace(address)+game, board, picture)
}

// take writes a picture of a page.
func take(address string, v view, picture string) error {
	data, err := shot(address, v)
	if err != nil {
		return err
	}
	if len(data) > largest {
		return fmt.Errorf("%s would have %d bytes: want at most %d", picture, len(data), largest)
	}
	return os.WriteFile(picture, data, 0o644)
}

// shot returns what a browser shows of a page, as PNG.
func shot(address string, v view) (png []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
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
