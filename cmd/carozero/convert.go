package main

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/record"
	"github.com/carozero/carozero/internal/record/convert"
	"github.com/carozero/carozero/internal/record/gamefiles"
	"github.com/carozero/carozero/internal/support/outfile"
)

// convertFlags say what becomes of the games.
type convertFlags struct {
	to, out, charset   string
	merge, main, check bool
}

// newConvert returns the command "convert".
func newConvert() *cobra.Command {
	var (
		variant variantFlags
		flags   convertFlags
		output  outputFlags
	)
	cmd := &cobra.Command{
		Use:   "convert IN... --out OUT",
		Short: "Turn recorded games into another format: SGF, psq, lib, text, litama",
		Long: `Turn recorded games into another format: SGF, Piskvork's psq, RenLib's lib, a
text of one position a line, or what the Onitama server Litama tells of a game
(with --game onitama). IN is a file of any of these, whose content says
which, a folder of them, a run of self-play or one of its shards. OUT is a file
for all games, a folder (with a / at its end, if it is new) for one file a game,
or - for standard output. What the new format cannot hold is counted and told.

Games are not held against any rules, but with --check, which says where a game
becomes illegal; the exit status is 3 then. --rule and --size are for records
that do not say of what rule and size they are. A psq file takes the main line of
a game, a text a line for each of its variations.`,
		Example: `  carozero convert games.lib --out games.sgf
  carozero convert tournament/ --out tournament.sgf
  carozero convert --merge --to lib --out all.lib runs/one
  carozero convert --to text --out - game.psq`,
		Args: someArgs("a file of games, or a folder"),
		RunE: func(cmd *cobra.Command, args []string) error {
			return flags.run(cmd, &variant, &output, args)
		},
	}
	fs := cmd.Flags()
	addWord(cmd, &flags.to, "to", "", "format: "+strings.Join(record.FormatNames(), ", ")+" (default: by the extension of --out)", record.FormatNames()...)
	fs.StringVar(&flags.out, "out", "", "file, folder, or - for standard output (required)")
	fs.BoolVar(&flags.merge, "merge", false, "make one tree of all games")
	fs.BoolVar(&flags.main, "main-line", false, "leave variations out")
	fs.BoolVar(&flags.check, "check", false, "replay the games through the rules")
	fs.StringVar(&flags.charset, "charset", "", "encoding of texts in psq and lib files, read and written, such as gbk (default: UTF-8, or windows-1252 for what is none)")
	variant.register(cmd)
	output.register(cmd)
	return cmd
}

// format returns the format to write.
func (f *convertFlags) format() (record.Format, error) {
	if f.out == "" {
		return 0, usagef("--out: want a file, a folder, or -")
	}
	if f.to == "" {
		if to := record.ByExtension(f.out); to != record.Unknown && !f.folder() {
			return to, nil
		}
		return 0, usagef("--to: want %s; the extension of --out %s says none", strings.Join(record.FormatNames(), ", "), shownValue(f.out))
	}
	return record.FormatOf(f.to), nil
}

// folder reports whether --out names a folder.
func (f *convertFlags) folder() bool {
	info, err := os.Stat(f.out)
	return err == nil && info.IsDir() || strings.HasSuffix(f.out, "/") || strings.HasSuffix(f.out, string(os.PathSeparator))
}

func (f *convertFlags) run(cmd *cobra.Command, variant *variantFlags, output *outputFlags, args []string) error {
	v, err := variant.variant()
	if err != nil {
		return err
	}
	to, err := f.format()
	if err != nil {
		return err
	}
	if err := record.LookupCharset(f.charset); err != nil {
		return usagef("--charset: %w", err)
	}
	if f.merge && f.folder() {
		return usagef("--merge makes one file, and --out %s is a folder", shownValue(f.out))
	}
	in, err := gamefiles.OpenTrees(args, gamefiles.Options{Variant: v, Out: f.out}, f.charset)
	if err != nil {
		return err
	}
	defer in.Close()
	o := convert.Options{
		To: to, Program: "carozero:" + version, Charset: f.charset, Main: f.main, Check: f.check,
		Note: func(text string) { fmt.Fprintln(cmd.ErrOrStderr(), "carozero: "+oneLine(text)) },
	}
	if cmd.Flags().Changed("rule") {
		o.Rule = v.Rule()
	}
	sum, err := f.convert(cmd, in, o)
	if err != nil {
		return interrupted(err, "what was being written is not kept")
	}
	r := report.NewConversion(to, f.out, f.check, &sum)
	told := cmd.OutOrStdout()
	if f.out == "-" {
		told = cmd.ErrOrStderr()
	}
	return found(output.printTo(told, r), sum.Illegal > 0, "convert: %d of %d games are not legal", sum.Illegal, sum.Games)
}

// convert writes the games to where --out says.
func (f *convertFlags) convert(cmd *cobra.Command, in *gamefiles.Trees, o convert.Options) (sum convert.Summary, err error) {
	if f.folder() {
		return convert.Folder(cmd.Context(), f.out, in, o)
	}
	do := convert.Stream
	if f.merge {
		do = convert.Merge
	}
	if f.out == "-" {
		return do(cmd.Context(), fileOutput(cmd), in, o)
	}
	if err := convert.CheckOut(f.out, o.To, o.Program); err != nil {
		return sum, fmt.Errorf("--out: %w", err)
	}
	err = outfile.Write(f.out, func(out io.Writer) error {
		sum, err = do(cmd.Context(), out, in, o)
		return err
	})
	return sum, err
}
