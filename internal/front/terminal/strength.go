package terminal

import (
	"fmt"
	"strconv"
	"time"

	"github.com/carozero/carozero/internal/engine"

	"github.com/carozero/carozero/internal/engine/players"
	"github.com/carozero/carozero/internal/engine/search"
)

// Strength says which engine plays and what bounds each of its moves. It is
// comparable.
type Strength struct {
	Engine players.PlayerKind // players.MCTS, players.AlphaBeta or players.Both
	Level  string             // of the classical engine; "": the other bounds count
	Nodes  int64              // moves played by the classical search, otherwise playouts; 0: no bound
	Depth  int                // last iteration of the classical search; 0: no bound
	Time   time.Duration      // 0: no bound
}

// engineNames are what the engines are called on the screen.
var engineNames = map[players.PlayerKind]string{players.MCTS: "tree search", players.AlphaBeta: "alpha-beta", players.Both: "both searches"}

// String returns "tree search, 400 playouts" or "alpha-beta, hard".
func (s Strength) String() string {
	text := engineNames[s.Engine]
	if s.Level != "" {
		return text + ", " + s.Level
	}
	if s.Nodes > 0 {
		unit := "playouts"
		if s.Engine == players.AlphaBeta {
			unit = "nodes"
		}
		text += ", " + short(s.Nodes) + " " + unit
	}
	if s.Depth > 0 {
		text += ", depth " + strconv.Itoa(s.Depth)
	}
	if s.Time > 0 {
		text += ", " + s.Time.String()
	}
	return text
}

// about tells of a level of a game what it scores, "" where that was not measured.
func (s Strength) about(game string) string {
	if l, err := search.ParseLevel(s.Level); err == nil {
		if rating, measured := l.Elo(game); measured {
			return strconv.Itoa(rating) + " Elo above the weakest level"
		}
	}
	return ""
}

// Ponders reports whether such an engine may think while a person does: only where time alone
// bounds its moves. With a fixed budget they must not depend on how long the person thinks.
func (s Strength) Ponders() bool {
	return s.Time > 0 && s.Nodes == 0 && s.Depth == 0 && s.Level == ""
}

// strengths returns those to choose from, with one that is not among them first.
func strengths(own Strength) []Strength {
	var list []Strength
	for _, name := range search.LevelNames() {
		list = append(list, Strength{Engine: players.AlphaBeta, Level: name})
	}
	times := []time.Duration{time.Second, 3 * time.Second, 10 * time.Second}
	for _, t := range times {
		list = append(list, Strength{Engine: players.AlphaBeta, Time: t})
	}
	for _, n := range []int64{50, 200, 800, 3200} {
		list = append(list, Strength{Engine: players.MCTS, Nodes: n})
	}
	for _, t := range times {
		list = append(list, Strength{Engine: players.MCTS, Time: t})
	}
	for _, s := range list {
		if s == own {
			return list
		}
	}
	return append([]Strength{own}, list...)
}

// short returns a count in a few letters: 950, 12k, 3.4M.
func short(n int64) string {
	switch {
	case n < 10_000:
		return strconv.FormatInt(n, 10)
	case n < 1_000_000:
		return fmt.Sprintf("%dk", n/1000)
	}
	return fmt.Sprintf("%.1fM", float64(n)/1e6)
}

// Player is an engine, what bounds its moves, and what frees both.
type Player struct {
	Engine engine.Engine
	Limits engine.Limits
	Close  func()
}
