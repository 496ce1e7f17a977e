// Command fetch prints the path of a Chromium, and fetches one into the user's
// cache first if the machine has none.
package main

import (
	"context"
	"fmt"
	"os"
	"os/signal"
	"syscall"

	"github.com/carozero/carozero/internal/browser"
	"github.com/carozero/carozero/internal/fetch"
)

func main() {
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	path, err := browser.Install(ctx, func(p fetch.Package) {
		fmt.Fprintf(os.Stderr, "no Chromium here: fetching %s %s into the user's cache, 68 MB\n", p.Name, p.Version)
	})
	if err != nil {
		fmt.Fprintln(os.Stderr, "fetch:", err)
		os.Exit(1)
	}
	fmt.Println(path)
}
