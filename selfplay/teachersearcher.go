package selfplay

import (
	"context"
	"math"
	"math/rand/v2"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/support/exactmath"
	"github.com/carozero/carozero/mcts"
)

// teacherSearcher searches with a Teacher. It never waits.
type teacherSearcher struct {
	opts    *TeacherOptions
	teacher Teacher

	seed    uint64 // of the game
	pcg     rand.PCG
	rng     *rand.Rand
	pos     game.Position // the play's, only read
	opinion Opinion
	chances []float64 // scratch
	answer  decision
}

func newTeacherSearcher(opts *TeacherOptions, teacher Teacher) *teacherSearcher {
	j := &teacherSearcher{opts: opts, teacher: teacher}
	j.rng = rand.New(&j.pcg)
	return j
}

func (j *teacherSearcher) start(pos game.Position, seed uint64) error {
	j.pos, j.seed = pos, seed
	j.teacher.Forget()
	return nil
}

func (j *teacherSearcher) begin(int) {}

func (j *teacherSearcher) step(ctx context.Context) (waits bool, err error) {
	return false, j.teacher.Search(ctx, j.pos, j.opts.Lines, &j.opinion)
}

func (*teacherSearcher) absorb() {}

func (j *teacherSearcher) decision(ply int) (*decision, error) {
	scored := j.opinion.Moves
	v := &j.answer
	v.rootQ, v.netQ, v.proven = scored[0].Value, j.opinion.Static, j.opinion.Proven
	v.full, v.weight = true, 1
	j.chances = shares(j.chances[:0], scored, j.opts.TargetTemperature, math.Inf(1))
	v.moves = v.moves[:0]
	for i, s := range scored {
		v.moves = append(v.moves, searchedMove{move: s.Move, target: float32(j.chances[i])})
	}
	v.move = scored[0].Move
	if t := j.opts.Temperature.At(ply); t > 0 && len(scored) > 1 && v.proven == mcts.Unknown {
		j.chances = shares(j.chances[:0], scored, t, j.opts.MaxLoss)
		j.pcg.Seed(j.seed^moveStream, uint64(ply))
		v.move = scored[draw(j.chances, j.rng)].Move
	}
	return v, nil
}

func (*teacherSearcher) advance(game.Move, game.Position) error { return nil }

// certain is the least value that counts as a win; its negative is the greatest that
// counts as a loss.
const certain = 1

// shares appends each move's share of a softmax over the values at a temperature.
// Moves that lose get nothing unless all lose, and moves worse than the best by more
// than most get nothing. If the best move wins, the winning moves share equally.
func shares(list []float64, scored []Scored, temperature, most float64) []float64 {
	best := scored[0].Value
	sum := 0.0
	for _, s := range scored {
		behind := float64(best) - float64(s.Value)
		share := exactmath.Exp(-behind / temperature)
		switch {
		case best >= certain && s.Value < certain, best > -certain && s.Value <= -certain, behind > most:
			share = 0
		}
		list = append(list, share)
		sum += share
	}
	for i := range list {
		list[i] /= sum
	}
	return list
}

// draw returns an index drawn with the given probabilities, which sum to 1.
func draw(chances []float64, rng *rand.Rand) int {
	mark := rng.Float64()
	last := 0
	for i, c := range chances {
		if c == 0 {
			continue
		}
		last = i
		if mark -= c; mark < 0 {
			break
		}
	}
	return last
}

// teacherBalance evaluates openings with a teacher, before their games begin.
type teacherBalance struct {
	teacher Teacher
	worth   float64
}

func (b *teacherBalance) ask(ctx context.Context, pos game.Position) (answered bool, err error) {
	b.teacher.Forget()
	b.worth, err = b.teacher.Balance(ctx, pos)
	return true, err
}

func (b *teacherBalance) value() float64 { return b.worth }
