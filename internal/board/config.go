package board

import (
	"context"
	"strings"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/review"
	"github.com/carozero/carozero/models"
)

// Config is what a page has to know before it asks anything.
type Config struct {
	Version  string       `json:"version"`
	Commit   string       `json:"commit"`
	Games    []GameInfo   `json:"games"`
	Levels   []LevelInfo  `json:"levels"` // weakest first
	Models   []string     `json:"models"`
	Engines  []string     `json:"engines"` // that can be asked, the usual one first
	Defaults Defaults     `json:"defaults"`
	Limits   Bounds       `json:"limits"`
	Review   []FileInfo   `json:"review"`
	Page     string       `json:"page"`           // digest of what the page is made of, by which an older one is known
	Scale    review.Scale `json:"scale"`          // by which moves are judged
	Book     *BookInfo    `json:"book,omitempty"` // none: no book is open
}

// Offline is what a page has to know of the program that runs in it (cmd/board): it has both
// engines and the line networks, and no files, book or token. Version is what the page says of it.
func Offline(version string) (Config, error) {
	list, err := models.List()
	var lines []string
	for _, m := range list {
		if strings.HasSuffix(m.File, ".line") {
			lines = append(lines, m.Name)
		}
	}
	return Config{
		Version: version, Games: Games(), Levels: Levels(), Models: lines, Scale: review.NewScale(),
		Engines:  []string{"mcts", "alphabeta", "each"},
		Defaults: Defaults{Game: "gomoku", Rule: "caro", Size: 15, Engine: "mcts", MaxVisits: 800, MaxNodes: 200_000},
		Limits: Bounds{
			MaxVisits: 1_000_000, MaxNodes: 100_000_000, MaxTime: 60, ReportEvery: 0.1, Line: 256 << 10, Queries: 2000,
			Body: 4 << 20,
		},
	}, err
}

// Of a service offline, whose memory a browser's tab holds.
const (
	treeMiB   = 128
	tableMiB  = 16
	solverMax = 100_000
)

// Service returns a service that does what a page is told offline, one search at a time. The
// classical search judges by its fitted weights, for which no network has to come, and games
// without a line network have a tree search without knowledge. searching is as
// [analysis.Options] has it.
func (c *Config) Service(searching func(context.Context) context.Context) (*analysis.Service, error) {
	seconds := func(s float64) time.Duration { return time.Duration(s * float64(time.Second)) }
	l := &c.Limits
	o := analysis.Options{
		Version: c.Version, Engine: analysis.EngineName(c.Defaults.Engine),
		MaxVisits: c.Defaults.MaxVisits, MaxNodes: c.Defaults.MaxNodes, Workers: 1, Searching: searching,
		Tree: engine.DefaultTreeSettings(treeMiB), Classical: players.NewAlphabeta(tableMiB),
		Limits: analysis.Limits{
			Line: l.Line, Client: l.Queries, Visits: l.MaxVisits, Nodes: l.MaxNodes, Solver: solverMax,
			Search: seconds(l.MaxTime), Every: seconds(l.ReportEvery),
		},
	}
	if weights, ok := option.Find(players.AlphabetaSettings, "weights"); ok {
		if err := weights.Set(&o.Classical, "fitted"); err != nil {
			return nil, err
		}
	}
	nets := networks.NewNets(networks.NewLoader(networks.LoaderOptions{Threads: 1}), "")
	nets.Lines = true
	return analysis.New(nets, o)
}

// GameInfo describes a game.
type GameInfo struct {
	Name        string     `json:"name"`
	Board       string     `json:"board"` // cells, on which stones are put, or cards, by which pieces move
	Rules       []RuleInfo `json:"rules"`
	Sizes       [2]int     `json:"sizes"` // least and most
	DefaultRule string     `json:"defaultRule"`
	DefaultSize int        `json:"defaultSize"`

	// Cards are what the game's cards let a piece do, by name: columns to the right and
	// rows ahead, as their owner sees them.
	Cards map[string][][2]int `json:"cards,omitempty"`
}

// RuleInfo describes a rule set.
type RuleInfo struct {
	Name      string `json:"name"`
	Title     string `json:"title"`
	About     string `json:"about"`
	Captures  bool   `json:"captures"`
	Forbidden string `json:"forbidden"` // to whom points are forbidden: none, first or both
}

// LevelInfo describes a strength of play.
type LevelInfo struct {
	Name  string         `json:"name"`
	Nodes int64          `json:"nodes"`
	Elo   map[string]int `json:"elo"` // by game, where it was measured; the weakest level has 0
}

// Defaults are what holds where a query says nothing else.
type Defaults struct {
	Game      string `json:"game"`
	Rule      string `json:"rule"`
	Size      int    `json:"size"`
	Engine    string `json:"engine"`
	MaxVisits int    `json:"maxVisits"`
	MaxNodes  int    `json:"maxNodes"`
}

// Bounds are the most that a query may ask for.
type Bounds struct {
	MaxVisits   int     `json:"maxVisits"`
	MaxNodes    int     `json:"maxNodes"`
	MaxTime     float64 `json:"maxTime"`     // seconds that a search may take
	ReportEvery float64 `json:"reportEvery"` // seconds between answers on the way, at least
	Line        int     `json:"line"`        // bytes of a message
	Queries     int     `json:"queries"`     // turns of one client that wait or are under way
	Body        int     `json:"body"`        // bytes of a body
}

// FileInfo describes a file that is open for review.
type FileInfo struct {
	ID    int    `json:"id"`
	Path  string `json:"path"`
	Kind  string `json:"kind"`  // shard, sgf or crosscheck
	Games int    `json:"games"` // -1: not counted yet
}

// Games returns what there is to play.
func Games() []GameInfo {
	var list []GameInfo
	for _, name := range games.GameNames() {
		v, err := games.NewVariant(games.VariantOptions{Game: name})
		if err != nil {
			continue // every game has a usual variant
		}
		info := GameInfo{
			Name: name, Board: "cards", Sizes: [2]int{v.Size, v.Size}, DefaultRule: v.Rule(), DefaultSize: v.Size,
		}
		if v.Columns() > 0 {
			info.Board = "cells"
		}
		if v.Of().Sizes {
			info.Sizes = [2]int{int(option.BoardSize.Min), int(option.BoardSize.Max)}
		}
		for _, card := range v.Of().Cards {
			if info.Cards == nil {
				info.Cards = map[string][][2]int{}
			}
			info.Cards[card.Name] = card.Steps
		}
		for _, rule := range v.Of().RuleSets {
			info.Rules = append(info.Rules, describe(name, rule))
		}
		list = append(list, info)
	}
	return list
}

// Levels returns the strengths of play.
func Levels() []LevelInfo {
	var list []LevelInfo
	for _, name := range engine.LevelNames() {
		if l, err := engine.ParseLevel(name); err == nil {
			info := LevelInfo{Name: l.Name, Nodes: l.Nodes, Elo: map[string]int{}}
			for _, of := range games.GameNames() {
				if rating, measured := l.Elo(of); measured {
					info.Elo[of] = rating
				}
			}
			list = append(list, info)
		}
	}
	return list
}

// describe tells of a rule set.
func describe(name, rule string) RuleInfo {
	info := RuleInfo{Name: rule, Title: rule, Forbidden: "none"}
	v, err := games.NewVariant(games.VariantOptions{Game: name, Rule: rule})
	if err != nil {
		return info // every rule set has a variant
	}
	a := v.About()
	info.Title, info.About, info.Captures = a.Title, a.Text, a.Captures
	switch {
	case a.Forbidden[game.First] && a.Forbidden[game.Second]:
		info.Forbidden = "both"
	case a.Forbidden[game.First]:
		info.Forbidden = "first"
	}
	return info
}

// BookInfo describes the opening book.
type BookInfo struct {
	Name         string `json:"name"`
	Editable     bool   `json:"editable"`     // labels and comments may be set
	CommentBytes int    `json:"commentBytes"` // of a comment, at most
}
