package main

import (
	"context"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/search"
	"github.com/carozero/carozero/internal/front/report"
	"github.com/carozero/carozero/internal/front/tactics"
	"github.com/carozero/carozero/internal/support/option"
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
	r := report.Claims{Seed: c.boards.seed, Nodes: c.nodes, Wrong: []string{}}
	for _, rule := range rules {
		score, wrong, err := c.count(cmd.Context(), rule)
		if err != nil {
			return interrupted(err, "%d of %d rule sets were complete; nothing is kept", len(r.Rows), len(rules))
		}
		r.Rows, r.Wrong = append(r.Rows, score), append(r.Wrong, wrong...)
	}
	return found(c.output.print(cmd, r), len(r.Wrong) > 0, "tactics: %d claims are contradicted", len(r.Wrong))
}

// count searches the boards of one rule set and counts the claims.
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

// claimant returns a function that searches a board with an empty table.
func claimant(ctx context.Context, v games.Variant, o alphabeta.Options, noProof bool, nodes int64, seed uint64) (func(game.Position) (tactics.Claim, error), error) {
	var proof search.ProofNodes
	if noProof {
		proof = search.ProofNodes{Root: alphabeta.Off, Claim: alphabeta.Off}
	}
	c, err := search.NewClassical(v, search.ClassicalOptions{Search: o, Proof: proof})
	if err != nil {
		return nil, err
	}
	return func(pos game.Position) (tactics.Claim, error) {
		c.Forget()
		a, err := engine.Complete(ctx, c, pos, engine.Limits{Nodes: nodes, Seed: seed})
		if err != nil {
			return tactics.Claim{}, err
		}
		return tactics.Claim{Move: a.Move, Plies: a.Proof.Signed()}, nil
	}, nil
}
