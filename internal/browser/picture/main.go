// Command picture takes the picture of the README: the head of a cross-check's
// report and its first disagreement.
//
//	go run ./internal/browser/picture REPORT.html PICTURE.png
package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/chromedp/chromedp"

	"github.com/carozero/carozero/internal/browser"
	"github.com/carozero/carozero/internal/npm"
)

const (
	width, height = 1000, 796 // of the picture, in pixels
	largest       = 150_000   // bytes of the picture
	patience      = time.Minute
)

// hidden leaves out the tables and the calibration, so that the board fits.
const hidden = `const s = document.createElement("style"); document.head.append(s); s.textContent =
	"h2, h2 + .panel, .filters, main > table, details { display: none !important } main { padding: 20px 20px 0 } .tiles { margin: 16px 0 }"; s.isConnected`

func main() {
	if len(os.Args) != 3 {
		fmt.Fprintln(os.Stderr, "picture: want a report and the picture to write")
		os.Exit(2)
	}
	if err := take(os.Args[1], os.Args[2]); err != nil {
		fmt.Fprintln(os.Stderr, "picture:", err)
		os.Exit(1)
	}
}

// take writes the picture of a report.
func take(report, picture string) error {
	report, err := filepath.Abs(report)
	if err != nil {
		return err
	}
	if _, err := os.Stat(report); err != nil {
		return err
	}
	data, err := shot("file://" + report)
	if err != nil {
		return err
	}
	if len(data) > largest {
		return fmt.Errorf("%s would have %d bytes: want at most %d", picture, len(data), largest)
	}
	return os.WriteFile(picture, data, 0o644)
}

// shot returns what a browser shows of a page, as PNG.
func shot(address string) (png []byte, err error) {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	path, err := browser.Install(ctx, func(npm.Package) {})
	if err != nil {
		return nil, err
	}
	options := append(chromedp.DefaultExecAllocatorOptions[:], chromedp.ExecPath(path), chromedp.DisableGPU, chromedp.Flag("hide-scrollbars", true))
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
	if _, err := chromedp.Run(ctx, chromedp.Evaluate[bool](hidden)); err != nil {
		return nil, err
	}
	return chromedp.Run(ctx, chromedp.CaptureScreenshot())
}
