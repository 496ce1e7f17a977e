package report

import (
	"fmt"
	"io"

	"github.com/carozero/carozero/internal/record/dataset"
)

// Collected is what "samples merge" and "samples export" print.
type Collected struct {
	dataset.Total
	Out string `json:"out"`
}

// Text implements [Report].
func (r Collected) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d shards, %d games, %d rows, %d bytes\n", single(r.Out), r.Shards, r.Games, r.Rows, r.Bytes)
}

// Filtered is what "samples filter" prints.
type Filtered struct {
	dataset.Kept
	Where string `json:"where"`
	Out   string `json:"out"`
}

// Text implements [Report].
func (r Filtered) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d of %d rows, %d of %d games, in %d shards of %d bytes\n",
		single(r.Out), r.Rows, r.OfRows, r.Games, r.OfGames, r.Shards, r.Bytes)
	fmt.Fprintf(w, "where %s\n", single(r.Where))
}
