package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"runtime"
	"strings"
	"time"

	"github.com/spf13/cobra"
	"github.com/spf13/pflag"

	"github.com/carozero/carozero/internal/analysis"
	"github.com/carozero/carozero/internal/board"
	"github.com/carozero/carozero/internal/book"
	"github.com/carozero/carozero/internal/engine"
	"github.com/carozero/carozero/internal/games"
	"github.com/carozero/carozero/internal/networks"
	"github.com/carozero/carozero/internal/option"
	"github.com/carozero/carozero/internal/players"
	"github.com/carozero/carozero/internal/web"
	"github.com/carozero/carozero/models"
)

// serveCommand holds the flags of the command "serve".
type serveCommand struct {
	serviceFlags
	web web.Options
}

// newServe returns the command "serve".
func newServe() *cobra.Command {
	var s serveCommand
	return plain(&cobra.Command{
		Use:   "serve [PATH...]",
		Short: "A board in the browser",
		Long: `Serve a page with a board: play either side, analyse with both engines side by
side, review games, and share them. The page is part of the program and asks
nobody but this server; open the printed link.

Paths are opened for review: sample shards and runs of self-play, games in SGF,
psq, lib and text, folders of these, and rows of a cross-check.

The server listens on this machine only, unless --addr says otherwise; then every
visitor needs the token of the link. The other flags are defaults, for what the
page leaves open.

docs/http.md describes what the page asks, and /openapi.json has it for programs.`,
		Example: `  carozero serve runs/first games.sgf rows.jsonl
  carozero serve --addr 0.0.0.0:8080 --host board.example.org`,
		Args: takes(0, many, "a file or a folder to look through"),
	}, s.run, s.register)
}

func (s *serveCommand) register(cmd *cobra.Command) {
	s.serviceFlags.register(cmd, serviceDefaults{memory: 128, table: 16, cache: 64, queue: 10_000})
	s.book.register(cmd)
	fs := cmd.Flags()
	fs.StringVar(&s.web.Addr, "addr", "127.0.0.1:8080", "address to listen on, host:port; port 0 is any that is free")
	fs.StringVar(&s.web.Token, "token", "",
		"what every visitor needs, which the printed link has (default: none on loopback without --edit-book, else one "+
			"that is made up)")
	fs.StringArrayVar(&s.web.Hosts, "host", nil,
		"name by which browsers call this server, beside localhost and addresses; may be repeated")
	fs.BoolVar(&s.web.EditBook, "edit-book", false,
		"let visitors set labels and comments in the book; whoever visits needs the token then, also on loopback")
	addNum(cmd, &s.web.Limits.Clients, option.Count.Named("max-clients").With(100,
		"sockets that may be open at once, one a page"))
}

func (s *serveCommand) run(cmd *cobra.Command, paths []string) (err error) {
	if s.web.EditBook && s.book.file == "" {
		return usagef("--edit-book: which book? Name it by --book FILE")
	}
	if s.web.EditBook {
		s.book.mode = book.ReadWrite
	}
	defer func() { err = s.close(err) }()
	if err := s.open(cmd); err != nil {
		return err
	}
	s.bound()
	engines, err := s.engines(cmd)
	if err != nil {
		return err
	}
	service, err := analysis.New(s.nets, s.opts)
	if err != nil {
		return asUsage(err)
	}
	if s.web.Config, err = s.config(engines); err != nil {
		return err
	}
	s.web.Paths, s.web.Book = paths, s.book.book
	local := web.IsLoopback(s.web.Addr)
	if s.web.Token == "" && (!local || s.web.EditBook) {
		s.web.Token = rand.Text()
	}
	if name, err := os.Hostname(); err == nil && !local {
		s.web.Hosts = append(s.web.Hosts, name)
	}
	server, err := web.New(service, s.web)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.web.Addr)
	if err != nil {
		return about("--addr "+s.web.Addr, err)
	}
	fmt.Fprintln(cmd.OutOrStdout(), s.link(listener.Addr()))
	return server.Run(cmd.Context(), listener)
}

// engines returns the engines that can be asked, the usual one first. Without a
// network there is the classical one; a network that was named must be there.
func (s *serveCommand) engines(cmd *cobra.Command) ([]string, error) {
	o := &s.opts
	if _, err := s.nets.Net(s.variant.v); err != nil {
		if s.net.model != "" || cmd.Flags().Changed("engine") && o.Engine != analysis.AlphaBeta {
			return nil, err
		}
		noteOf(cmd)(fmt.Sprintf("no network (%v): only the classical engine is there", err))
		o.Engine = analysis.AlphaBeta
		return []string{string(analysis.AlphaBeta)}, nil
	}
	list := []string{string(o.Engine)}
	for _, name := range []analysis.EngineName{analysis.MCTS, analysis.AlphaBeta, analysis.Each} {
		if name != o.Engine {
			list = append(list, string(name))
		}
	}
	return list, nil
}

// link returns what to open in a browser.
func (s *serveCommand) link(addr net.Addr) string {
	host, port, err := net.SplitHostPort(addr.String())
	if err != nil {
		return addr.String()
	}
	if ip := net.ParseIP(host); ip != nil && ip.IsUnspecified() {
		host = "localhost"
		if len(s.web.Hosts) > 0 {
			host = s.web.Hosts[0]
		}
	}
	link := "http://" + net.JoinHostPort(host, port) + "/"
	if s.web.Token != "" {
		link += "?token=" + url.QueryEscape(s.web.Token)
	}
	return link
}

// Bounds of what a page may ask for.
const (
	mostVisits    = 1_000_000
	mostNodes     = 100_000_000
	mostSolver    = 100_000
	mostQueries   = 2_000 // turns of one page that wait or are being searched
	mostSearch    = time.Minute
	shareOfSearch = 2 * time.Second
	leastReports  = 100 * time.Millisecond
	queriesHeld   = 32 << 20
)

// bound bounds what the service takes from pages.
func (s *serveCommand) bound() {
	o := &s.opts
	l := &o.Limits
	l.Client, l.Held = mostQueries, queriesHeld
	l.Visits, l.Nodes = max(mostVisits, o.MaxVisits), max(mostNodes, o.MaxNodes)
	l.Solver = max(mostSolver, o.Tree.Solvers.Root)
	l.Search, l.Share, l.Every = mostSearch, shareOfSearch, leastReports
}

// config returns what the page has to know.
func (s *serveCommand) config(engines []string) (board.Config, error) {
	o := &s.opts
	l := &o.Limits
	shipped, err := models.List()
	if err != nil {
		return board.Config{}, err
	}
	names := []string{}
	for _, m := range shipped {
		names = append(names, m.Name)
	}
	return board.Config{
		Version: version, Commit: commit, Games: board.Games(), Levels: board.Levels(), Engines: engines, Models: names,
		Defaults: board.Defaults{
			Game: o.Variant.Game, Rule: o.Variant.Rule, Size: o.Variant.Size, Engine: string(o.Engine), MaxVisits: o.MaxVisits,
			MaxNodes: o.MaxNodes,
		},
		Limits: board.Bounds{
			MaxVisits: l.Visits, MaxNodes: l.Nodes, MaxTime: l.Search.Seconds(), ReportEvery: l.Every.Seconds(),
			Queries: l.Client,
		},
	}, nil
}

// serviceFlags choose what a service of analyses does where a query leaves it
// open, and what it may take.
type serviceFlags struct {
	variant  variantFlags
	net      netFlags
	opts     analysis.Options
	engine   string
	endgames endgamesFlag
	book     bookFlag
	nets     *networks.Nets // nil before open
}

// serviceDefaults are defaults in which commands differ: MiB of a tree, of a
// table and of the cache, and positions that may wait.
type serviceDefaults struct{ memory, table, cache, queue int64 }

func (f *serviceFlags) register(cmd *cobra.Command, d serviceDefaults) {
	f.variant.register(cmd)
	o := &f.opts
	f.net.registerModel(cmd)
	addWord(cmd, &f.engine, "engine", engineMCTS, "what analyses: mcts, alphabeta or each (the two, each by itself)",
		engineMCTS, engineAlphaBeta, string(analysis.Each))
	addNum(cmd, &o.MaxVisits, option.Visits.Named("max-visits").With(800, "mcts: visits of a position"))
	addNum(cmd, &o.MaxNodes, option.Nodes.Named("max-nodes").With(200_000,
		"alphabeta: moves that the search of a position plays at most"))
	addNum(cmd, &o.PVLength, option.Count.Named("pv-length").With(15, "moves of a line that are shown beside the first"))
	o.Tree, o.Classical = engine.DefaultTreeSettings(int(d.memory)), players.NewAlphabeta(int(d.table))
	addSettings(cmd, players.FixedTreeSettings, &o.Tree, "mcts")
	addSettings(cmd, option.Only(players.AlphabetaSettings, "table"), &o.Classical, "alphabeta")
	addTechniques(cmd, &o.Classical.Search)
	f.endgames.register(cmd)
	addNum(cmd, &o.Workers, option.Workers.Named("analysis-threads").With(int64(runtime.NumCPU()),
		"positions at once; changes no final answer"))
	addNum(cmd, &o.CacheMiB, option.Cache.With(d.cache, "memory of the cache of network results; changes no answer"))
	addNum(cmd, &o.Limits.Tasks, option.Count.Named("max-queue").With(d.queue, "positions that may wait"))
	addNum(cmd, &o.Seed, option.RandomSeed)
}

// open makes the flags options, refuses more memory than there is, and opens what searches may
// ask: networks, solved endgames, and the book.
func (f *serviceFlags) open(cmd *cobra.Command) error {
	v, o := f.variant.v, &f.opts
	if v.Cards != "" {
		return usagef("--cards: who asks names the deal of a position")
	}
	o.Variant, o.Engine, o.Version, o.Commit = v.Options(), analysis.EngineName(f.engine), version, commit
	var memory []need
	if o.Engine != analysis.AlphaBeta {
		memory = append(memory, need{
			fmt.Sprintf("--analysis-threads %d, --memory %d", o.Workers, o.Tree.MemoryMiB()), o.Tree.Bytes(v, 0), o.Workers,
		})
	}
	if table := o.Classical.Search.TableMiB; o.Engine != analysis.MCTS {
		memory = append(memory, need{
			fmt.Sprintf("--analysis-threads %d, --table %d", o.Workers, table), games.ClassicalBytes(1, table), o.Workers,
		})
	}
	if err := checkMemory(append(memory, cacheNeed(o.CacheMiB))...); err != nil {
		return err
	}
	f.nets = f.net.nets()
	if err := f.book.open(); err != nil {
		return err
	}
	if f.book.book != nil {
		o.Book = f.book.book
	}
	err := f.endgames.open(cmd, games.Variant{}, nil)
	o.Tree.Endgames, o.Classical.Endgames = f.endgames.solved, f.endgames.solved
	return err
}

// close closes what open has opened, and returns err with what went wrong then.
func (f *serviceFlags) close(err error) error {
	f.book.close()
	if f.nets != nil {
		err = errors.Join(err, f.nets.Close())
	}
	return f.endgames.close(err)
}

// analysisCommand holds the flags of the command "analysis".
type analysisCommand struct {
	serviceFlags
	quit, showForm bool
}

// newAnalysis returns the command "analysis".
func newAnalysis() *cobra.Command {
	var a analysisCommand
	return plain(&cobra.Command{
		Use:   "analysis",
		Short: "Analyse many positions at once: JSON lines in, JSON lines out",
		Long: `Answer queries on standard input, JSON objects one a line, on standard output,
with the fields of KataGo's analysis engine. Queries name rules, size, moves and
the turns to analyse; answers come as they are found, exactly one final one a
turn. When the input ends, what was asked is finished first, or dropped with
--quit-without-waiting; an interrupt drops it.

The flags are defaults, for what a query leaves open.

docs/analysis.md describes the messages, and --schema prints their JSON Schema.`,
		Example: `  echo '{"id":"a","moves":[["B","h8"],["W","i9"]],"maxVisits":200}' | carozero analysis
  carozero analysis --engine each --max-visits 400 --max-nodes 100000 <queries.jsonl >answers.jsonl`,
	}, a.run, a.register)
}

func (a *analysisCommand) register(cmd *cobra.Command) {
	a.serviceFlags.register(cmd, serviceDefaults{memory: 512, table: defaultTableMiB, cache: 128, queue: 100_000})
	fs := cmd.Flags()
	fs.BoolVar(&a.quit, "quit-without-waiting", false, "drop open queries when the input ends")
	a.book.register(cmd)
	fs.BoolVar(&a.showForm, "schema", false, "print the JSON Schema of the messages and end")
	fs.VisitAll(func(other *pflag.Flag) {
		if other.Name != "schema" {
			cmd.MarkFlagsMutuallyExclusive("schema", other.Name)
		}
	})
}

func (a *analysisCommand) run(cmd *cobra.Command, _ []string) (err error) {
	if a.showForm {
		_, err := cmd.OutOrStdout().Write(analysis.Schema())
		return err
	}
	defer func() { err = a.close(err) }()
	if err := a.open(cmd); err != nil {
		return err
	}
	service, err := analysis.New(a.nets, a.opts)
	if err != nil {
		return asUsage(err)
	}
	end := analysis.Finish
	if a.quit {
		end = analysis.Quit
	}
	err = service.Serve(cmd.Context(), cmd.InOrStdin(), cmd.OutOrStdout(), end)
	if errors.Is(err, analysis.ErrInterrupted) {
		return interrupted(err, "%s", strings.TrimPrefix(strings.TrimSuffix(err.Error(), ": context canceled"),
			"interrupted: "))
	}
	return err
}
