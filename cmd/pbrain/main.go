// Command pbrain is the classical engine for tournaments of the Gomocup protocol,
// without network and without anything to install: make gomocup packs it. It takes
// no arguments; clients name rule, size and clocks.
package main

import (
	"context"
	"fmt"
	"os"

	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/gomocup"
)

// linkedVersion is set by make gomocup.
var linkedVersion = "unknown"

func main() {
	if len(os.Args) > 1 {
		fmt.Fprintf(os.Stderr,
			"pbrain-carozero: %q: it takes no arguments; it speaks the Gomocup protocol on its standard input\n", os.Args[1])
		os.Exit(2)
	}
	open := gomocup.OpenClassical(engine.ClassicalOptions{Weights: games.BestWeights})
	o := gomocup.ClassicalBudget()
	o.Version = linkedVersion
	if err := gomocup.Serve(context.Background(), open, o, os.Stdin, os.Stdout); err != nil {
		fmt.Fprintln(os.Stderr, "pbrain-carozero:", err)
		os.Exit(1)
	}
}
