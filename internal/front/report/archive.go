package report

import (
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/record/archive"
)

// Packed is what "samples pack" prints.
type Packed struct {
	archive.Packed
	Out string `json:"out"`
}

// Text implements [Report].
func (r Packed) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d runs, %d shards, %d games, %d positions, %d bytes: %s a position, where the shards have %s\n",
		single(r.Out), r.Runs, r.Shards, r.Games, r.Rows, r.Bytes, perRow(r.Bytes, r.Rows), perRow(r.From, r.Rows))
}

// perRow returns bytes a position.
func perRow(bytes int64, rows int) string {
	return fmt.Sprintf("%.2f", float64(bytes)/float64(max(1, rows)))
}

// Unpacked is what "samples unpack" prints.
type Unpacked struct {
	archive.Unpacked
	Out string `json:"out"`
}

// Text implements [Report].
func (r Unpacked) Text(w io.Writer) {
	fmt.Fprintf(w, "%s: %d runs, %d shards, %d games, %d positions, %d bytes, all with the digests that they had\n",
		single(r.Out), r.Runs, r.Shards, r.Games, r.Rows, r.Bytes)
}

// Archive is what "samples unpack --list" prints.
type Archive struct {
	archive.Listing
	File string `json:"file"`
}

// Text implements [Report].
func (r Archive) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "run\tgame\tplayer\tmodel\tcarozero\tseed\tshards\tgames\tpositions\tbytes")
	for i := range r.Runs {
		l := &r.Runs[i]
		fmt.Fprintf(t, "%s\t%s %s %dx%d\t%s\t%s %.12s\t%s\t%d\t%d\t%d\t%d\t%d\n", single(l.Name), single(l.Game), single(l.Rule), l.Size, l.Size,
			single(l.Player), single(l.Model), single(l.SHA256), single(l.Engine.Version), l.Seed, l.Shards, l.Games, l.Rows, l.Bytes)
	}
	t.Flush()
	fmt.Fprintf(w, "%s: %d runs, %d shards, %d games, %d positions, in %d bytes: %s a position, where the shards have %s\n",
		single(r.File), len(r.Runs), r.Shards, r.Games, r.Rows, r.Bytes, perRow(r.Bytes, r.Rows), perRow(r.From, r.Rows))
}
