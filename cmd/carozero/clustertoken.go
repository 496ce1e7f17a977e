package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"os"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/front/cluster"
)

// newClusterToken returns the command "cluster token".
func newClusterToken() *cobra.Command {
	cmd := group("token", "Give each worker a token of its own, and take it back", newClusterTokenAdd(), newClusterTokenList(), newClusterTokenRevoke())
	cmd.Long = `Give each worker a token of its own, and take it back. Without any, all workers share
the one in DIR/cluster/token. DIR/cluster/tokens.json holds a name and a SHA-256 of
each token; a coordinator that runs sees every change within a second.

A worker with a token of its own is known as NAME@TOKEN: it can take nobody's name,
and once it is quarantined its token is refused under every name. Where a token is
revoked its workers are sent away, and what they have sent since their last game that
was found true is played again by others.`
	return cmd
}

// runFolder defines the flag that names a run.
func runFolder(cmd *cobra.Command, dir *string) {
	cmd.Flags().StringVar(dir, "out", "", "directory of the coordinator's run, or of the loop (required)")
}

// checkRunFolder checks that flag.
func checkRunFolder(dir string) error {
	if dir == "" {
		return usagef("--out: name the directory of the coordinator's run")
	}
	info, err := os.Stat(dir)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("%s is no directory", dir)
	}
	if errors.Is(err, os.ErrNotExist) {
		err = fmt.Errorf("%s is not there: make it, or begin the run", dir)
	}
	if err != nil {
		return fmt.Errorf("--out: %w", err)
	}
	return nil
}

func newClusterTokenAdd() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "add NAME --out DIR",
		Short: "Make a token and print it",
		Long: `Make a token and print it. It is told this once: the coordinator keeps its SHA-256
only. Put it into a file of the worker's machine for 'cluster worker --token-file'. A
name is used once; that of a revoked token is not free again.`,
		Example: `  carozero cluster token add alice --out runs/big > alice.token`,
		Args:    oneArg("the name of one token"),
		RunE: func(cmd *cobra.Command, args []string) error {
			if err := checkRunFolder(dir); err != nil {
				return err
			}
			if err := cluster.CheckName(args[0]); err != nil {
				return usagef("name %w", err)
			}
			token, err := cluster.AddToken(cluster.TokensFile(dir), args[0], time.Now())
			if err != nil {
				return err
			}
			_, err = fmt.Fprintln(cmd.OutOrStdout(), token)
			return err
		},
	}
	runFolder(cmd, &dir)
	return cmd
}

func newClusterTokenRevoke() *cobra.Command {
	var dir string
	cmd := &cobra.Command{
		Use:   "revoke NAME --out DIR",
		Short: "Let a token's workers in no more",
		Long: `Let a token's workers in no more. A coordinator that runs sends them away within a
second and has what they sent since their last game that was found true played again.
The name "shared" stands for the token in DIR/cluster/token, which all workers have.`,
		Example: `  carozero cluster token revoke alice --out runs/big
  carozero cluster token revoke shared --out runs/big`,
		Args: oneArg("the name of one token"),
		RunE: func(_ *cobra.Command, args []string) error {
			if err := checkRunFolder(dir); err != nil {
				return err
			}
			return cluster.RevokeToken(cluster.TokensFile(dir), args[0], time.Now())
		},
	}
	runFolder(cmd, &dir)
	return cmd
}

func newClusterTokenList() *cobra.Command {
	var (
		dir    string
		output outputFlags
	)
	cmd := &cobra.Command{
		Use:   "list --out DIR",
		Short: "List the names of the tokens",
		Long:  "List the names of the tokens, when they were added, and which were revoked. The tokens themselves are known to nobody but their workers.",
		Args:  noArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			if err := checkRunFolder(dir); err != nil {
				return err
			}
			list, err := cluster.ReadTokens(cluster.TokensFile(dir))
			if err != nil {
				return err
			}
			return output.print(cmd, tokenList{list, cluster.TokenFile(dir)})
		},
	}
	runFolder(cmd, &dir)
	output.register(cmd)
	return cmd
}

// tokenList is a report of tokens. The file is of the token that workers without one of
// their own share.
type tokenList struct {
	tokens []cluster.Token
	shared string
}

// MarshalJSON implements [json.Marshaler].
func (l tokenList) MarshalJSON() ([]byte, error) {
	return json.Marshal(append([]cluster.Token{}, l.tokens...))
}

// Text implements [report.Report].
func (l tokenList) Text(w io.Writer) {
	if len(l.tokens) == 0 {
		fmt.Fprintln(w, "no worker has a token of its own: all share the one in", l.shared)
	}
	for _, t := range l.tokens {
		state := "added " + t.Added.Format(time.DateTime)
		if t.Revoked != nil {
			state = "revoked " + t.Revoked.Format(time.DateTime)
		}
		fmt.Fprintf(w, "%-24s %s\n", t.Name, state)
	}
}
