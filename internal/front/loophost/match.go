package loophost

import (
	"context"
	"fmt"

	"github.com/carozero/carozero/internal/engine/games"
	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/front/arena"
	"github.com/carozero/carozero/internal/support/limitio"
	"github.com/carozero/carozero/selfplay/loop"
)

// again adds a hint on what the user can do when a file or a run cannot be resumed.
func again(path string, err error) error {
	return fmt.Errorf("%w; finish it with the program that began it, or remove %s, and it will be made again", err, path)
}

// balanced is how far, in expected result, random openings may be from even.
const balanced = 0.3

// treePlayer describes a player of a match.
func treePlayer(playouts int, model string) (players.PlayerSpec, error) {
	return players.ParsePlayer(players.Spec{
		Kind: players.MCTS, Args: players.Args{{Key: "playouts", Value: fmt.Sprint(playouts)}, {Key: "model", Value: model}},
	})
}

// nameBest is the name of the best network in a match.
const nameBest = "best"

// Match implements [loop.Referee].
func (w *Worker) Match(ctx context.Context, job loop.MatchJob) (arena.Tally, error) {
	v, err := variantOf(job.Board)
	if err != nil {
		return arena.Tally{}, err
	}
	entrants := players.NewPlayers(w.Loader, v, job.Seed, job.Cache<<20)
	defer entrants.Close()
	o := arena.Options{
		Games: job.Games, Notation: v.Notation(), Seed: job.Seed, Workers: job.Workers, MaxPlies: v.Of().MoveLimit,
		Setting: fmt.Sprintf("%s %s %d %v", v.Game, v.Rule(), v.Size, v.OpenRule), Program: w.Program, Journal: job.Journal,
		OnResult: func(_ *arena.Result, r arena.Report) { job.Progress(r.Games()) },
	}
	if o.Start, err = v.Start(); err != nil {
		return arena.Tally{}, err
	}
	if job.Openings == "" { // those of a file are from the usual start
		if o.Starts = v.RandomStarts(job.Seed); o.Starts != nil {
			o.Setting += " dealt"
		}
	}
	var specs []players.PlayerSpec
	for _, e := range []struct {
		name string
		net  loop.Network
	}{{"candidate", job.Candidate}, {nameBest, job.Best}} {
		spec, err := treePlayer(job.Playouts, e.net.Path)
		if err != nil {
			return arena.Tally{}, err
		}
		entrant, err := entrants.Entrant(spec)
		if err != nil {
			return arena.Tally{}, err
		}
		// The path is not part of it: the directory may be moved before the match resumes.
		entrant.Name, entrant.Description = e.name, fmt.Sprintf("mcts:playouts=%d", job.Playouts)
		o.Entrants = append(o.Entrants, entrant)
		specs = append(specs, spec)
	}
	if o.Openings, err = openings(v, &job, entrants, specs, o); err != nil {
		return arena.Tally{}, err
	}
	match, err := arena.New(o)
	if err != nil {
		return arena.Tally{}, err
	}
	report, err := match.Run(ctx)
	if err != nil {
		if ctx.Err() == nil {
			err = again(job.Journal, err)
		}
		return arena.Tally{}, err
	}
	for _, f := range report.Forfeits {
		if f.Player == nameBest { // a candidate that cannot continue has lost
			return arena.Tally{}, again(job.Journal, fmt.Errorf("the best network forfeits game %d: %s", f.Game, f.Text))
		}
	}
	return report.Pairings[0].Tally, nil
}

// openings returns the openings of a match's board.
func openings(v games.Variant, job *loop.MatchJob, entrants *players.Players, specs []players.PlayerSpec, o arena.Options) (arena.Openings, error) {
	if job.Openings != "" {
		return readOpenings(v, job.Openings)
	}
	balance, err := entrants.Balance(specs)
	if err != nil {
		return nil, err
	}
	return &arena.RandomOpenings{
		Start: o.Start, Starts: o.Starts, Plies: job.OpeningPlies, Seed: job.Seed, Balance: balance, Tolerance: balanced, Candidates: v.Candidates(),
	}, nil
}

// readOpenings reads a file of openings.
func readOpenings(v games.Variant, path string) (arena.OpeningList, error) {
	file, err := limitio.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	start, err := v.Start()
	if err != nil {
		return nil, err
	}
	list, err := arena.ReadOpenings(file, start, arena.OpeningParser(v.Notation(), v.Columns()))
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	return list, nil
}
