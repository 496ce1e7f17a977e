package crosscheck

import (
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"testing"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gomoku"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/engine/games"
)

var (
	certified    = flag.Int("certified", 8, "convictions whose certificates are checked, of all rule sets alike")
	certificates = flag.String("certificates", "", "folder to keep these certificates in, for a second checker")
)

// Convictions from games under all rule sets have certificates that hold, of the position
// and the winner that the verdict is about.
func TestConvictionsAreCertified(t *testing.T) {
	const mostGames, perGame = 2_000, 3
	rules := gomoku.Names()
	found, without := 0, 0
	for i, rule := range rules {
		b := newBench(t, rule)
		left := (*certified + i) / len(rules)
		for g := uint64(0); left > 0; g++ {
			if g == mostGames {
				t.Fatalf("%s: %d convictions are missing after %d games", rule, left, g)
			}
			here := min(left, perGame)
			b.play(t, rand.New(rand.NewPCG(*standSeed, g)), func(pos game.Position, mcts, alphaBeta *engine.Answer) {
				if here <= 0 {
					return
				}
				r, err := b.judge.Row(t.Context(), pos, mcts, alphaBeta)
				if err != nil {
					t.Fatal(err)
				}
				for _, c := range convictionsOf(&r, mcts, alphaBeta) {
					if c.proof.Certificate == nil {
						if pos.Play(c.move); pos.Outcome() == game.Undecided || c.kind == Misses {
							without++
							t.Errorf("%s: no certificate that %s %s\n%v", rule, b.v.Notation().FormatMove(c.move), c.kind, pos)
						}
						pos.Undo()
						continue
					}
					checkConviction(t, b.v, pos, c)
					name := filepath.Join(*certificates, fmt.Sprintf("%s-%03d.cert", rule, found))
					if *certificates != "" {
						if err := os.WriteFile(name, c.proof.Certificate, 0o644); err != nil {
							t.Fatal(err)
						}
					}
					found, here, left = found+1, here-1, left-1
				}
			})
		}
	}
	t.Logf("%d certificates hold, %d are missing", found, without)
}

// conviction is one engine's blunder in a row.
type conviction struct {
	kind  string
	move  game.Move
	proof *ProofView
}

func convictionsOf(r *Row, mcts, alphaBeta *engine.Answer) (list []conviction) {
	if r.MCTSBlunder != "" {
		list = append(list, conviction{r.MCTSBlunder, mcts.Move, r.Proof})
	}
	if r.AlphaBetaBlunder != "" {
		proof := r.Proof
		if r.AlphaBetaProof != nil {
			proof = r.AlphaBetaProof
		}
		list = append(list, conviction{r.AlphaBetaBlunder, alphaBeta.Move, proof})
	}
	return list
}

// checkConviction checks the certificate of a conviction, and that it is of its position.
func checkConviction(t *testing.T, v games.Variant, pos game.Position, c conviction) {
	t.Helper()
	if c.kind == Loses {
		pos.Play(c.move)
		defer pos.Undo()
	}
	facts, err := games.CheckCertificate(t.Context(), c.proof.Certificate)
	if err != nil {
		t.Errorf("%s: %v\n%v", c.kind, err, pos)
		return
	}
	board := pos.(interface{ String() string }).String()
	if facts.Winner != pos.ToMove() || facts.ToMove != pos.ToMove() || facts.Rule != v.Rule() || facts.Board+"\n" != board {
		t.Errorf("%s: %v wins in\n%s\nwant %v in\n%s", c.kind, facts.Winner, facts.Board, pos.ToMove(), board)
	}
}
