package main

import (
	"context"
	"fmt"
	"io"
	"text/tabwriter"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/tactics"
	"github.com/carozero/carozero/internal/think"
)

// claimsCommand is the state of "tactics claims".
type claimsCommand struct {
	output  outputFlags
	boards  boardFlags
	nodes   int64
	judge   int
	noProof bool
}

// newTacticsClaims returns the command "tactics claims".
func newTacticsClaims() *cobra.Command {
	c := &claimsCommand{}
	cmd := &cobra.Command{
		Use:   "claims",
		Short: "Count claims of the classical search that a proof speaks against",
		Long: `Let the classical search look at random dense boards, and hold every win and
loss that it claims against the solver of forced wins. The exit status is 3 if a
claim is contradicted.`,
		Example: "  carozero tactics claims --rule school42 --boards 2000 --nodes 20000",
		Args:    noArgs,
		RunE:    c.run,
	}
	c.output.register(cmd)
	fs := cmd.Flags()
	c.boards.register(cmd, 2000)
	addInt(cmd, &c.nodes, option.Nodes.With(5_000, "moves that a search plays at most"))
	addInt(cmd, &c.judge, option.Nodes.Named("judge-nodes").With(20_000, "most moves that the solver plays for a proof"))
	fs.BoolVar(&c.noProof, "no-proof", false, "without the solver that stands beside the search")
	return cmd
}

func (c *claimsCommand) run(cmd *cobra.Command, _ []string) error {
	rules := c.boards.rules()
	report := claimsReport{Seed: c.boards.seed, Nodes: c.nodes, Wrong: []string{}}
	for _, rule := range rules {
		score, wrong, err := c.count(cmd.Context(), rule)
		if err != nil {
			return interrupted(err, "%d of %d rule sets were complete; nothing is kept", len(report.Rows), len(rules))
		}
		report.Rows, report.Wrong = append(report.Rows, score), append(report.Wrong, wrong...)
	}
	err := c.output.print(cmd.OutOrStdout(), report, report.text)
	if err == nil && len(report.Wrong) > 0 {
		err = fmt.Errorf("tactics: %d claims are contradicted%w", len(report.Wrong), errFound)
	}
	return err
}

// count lets the search claim what it will of the boards of one rule set.
func (c *claimsCommand) count(ctx context.Context, rule string) (s tactics.ClaimScore, wrong []string, err error) {
	v, err := c.boards.variant(rule)
	if err != nil {
		return s, nil, err
	}
	ask, err := claimant(ctx, v, alphabeta.Options{TableMiB: 16}, c.noProof, c.nodes, c.boards.seed)
	if err != nil {
		return s, nil, err
	}
	return tactics.RunClaims(ctx, c.boards.dense(v), c.boards.count, c.judge, ask)
}

// claimant returns what asks a classical search about a board, with nothing
// left of the boards before.
func claimant(ctx context.Context, v engine.Variant, o alphabeta.Options, noProof bool, nodes int64, seed uint64) (func(*tactics.Board) (tactics.Claim, error), error) {
	var proof engine.ProofNodes
	if noProof {
		proof = engine.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}
	}
	c, err := engine.NewClassical(v, engine.ClassicalOptions{Search: o, Proof: proof})
	if err != nil {
		return nil, err
	}
	return func(b *tactics.Board) (tactics.Claim, error) {
		c.Forget()
		a, err := think.Complete(ctx, c, b, think.Limits{Nodes: nodes, Seed: seed})
		if err != nil {
			return tactics.Claim{}, err
		}
		return tactics.Claim{Move: a.Move, Plies: a.Proof.Signed()}, nil
	}, nil
}

// claimsReport is the report of "tactics claims".
type claimsReport struct {
	Seed  uint64               `json:"seed"`
	Nodes int64                `json:"nodes"`
	Rows  []tactics.ClaimScore `json:"rows"`
	Wrong []string             `json:"wrong"`
}

func (r claimsReport) text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "rule\tboards\tclaimed wins\tproven\tlonger\tclaimed losses\tcontradicted\t")
	for _, s := range r.Rows {
		fmt.Fprintf(t, "%s\t%d\t%d\t%d\t%d\t%d\t%d\t\n", s.Rule, s.Boards, s.Wins, s.Proven, s.Longer, s.Losses, s.Contradicted)
	}
	t.Flush()
	for _, text := range r.Wrong {
		fmt.Fprintf(w, "\n%s", text)
	}
}
