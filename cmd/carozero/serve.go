package main

import (
	"crypto/rand"
	"errors"
	"fmt"
	"net"
	"net/url"
	"os"
	"slices"
	"time"

	"github.com/spf13/cobra"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/internal/front/analysis"
	"github.com/carozero/carozero/internal/front/web"
	"github.com/carozero/carozero/internal/record/book"
	"github.com/carozero/carozero/internal/support/option"
	"github.com/carozero/carozero/models"
)

// serveCommand holds the flags of the command "serve".
type serveCommand struct {
	serviceFlags
	web      web.Options
	noPonder bool
}

// newServe returns the command "serve".
func newServe() *cobra.Command {
	var s serveCommand
	cmd := &cobra.Command{
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
		Example: `  carozero serve
  carozero serve runs/first games.sgf rows.jsonl
  carozero serve --addr 0.0.0.0:8080 --host board.example.org
  carozero serve --rule renju --max-visits 400 --memory 64`,
		Args: anyArgs("a file or a folder to look through"),
		RunE: s.run,
	}
	s.register(cmd, serviceDefaults{memory: 128, table: 16, cache: 64, queue: 10_000})
	fs := cmd.Flags()
	fs.StringVar(&s.web.Addr, "addr", "127.0.0.1:8080", "address to listen on, host:port; port 0 is any that is free")
	fs.StringVar(&s.web.Token, "token", "", "what every visitor needs, which the printed link has (default: none on loopback without --edit-book, else one that is made up)")
	fs.StringArrayVar(&s.web.Hosts, "host", nil, "name by which browsers call this server, beside localhost and addresses; may be repeated")
	fs.BoolVar(&s.web.EditBook, "edit-book", false, "let visitors set labels and comments in the book; whoever visits needs the token then, also on loopback")
	fs.BoolVar(&s.noPonder, "no-ponder", false, "engines do not think while a person does, as they do in games in which time bounds their moves")
	addInt(cmd, &s.web.Limits.Clients, option.Count.Named("max-clients").With(100, "sockets that may be open at once, one a page"))
	return cmd
}

func (s *serveCommand) run(cmd *cobra.Command, paths []string) (err error) {
	if err := s.settle(); err != nil {
		return err
	}
	if s.web.EditBook {
		if s.book.file == "" {
			return usagef("--edit-book: which book? Name it by --book FILE")
		}
		s.book.mode = book.ReadWrite
	}
	defer func() { err = s.forget(cmd, err) }()
	if err := s.know(cmd); err != nil {
		return err
	}
	nets := s.net.nets()
	defer func() { err = errors.Join(err, nets.Close()) }()
	s.bound()
	engines, err := s.engines(cmd, nets)
	if err != nil {
		return err
	}
	service, err := analysis.New(nets, s.opts)
	if err != nil {
		return asUsage(err)
	}
	if s.web.Config, err = s.config(engines); err != nil {
		return err
	}
	s.web.Paths, s.web.Book = paths, s.opts.Book
	s.name()
	server, err := web.New(service, s.web)
	if err != nil {
		return err
	}
	listener, err := net.Listen("tcp", s.web.Addr)
	if err != nil {
		return fmt.Errorf("--addr %s: %w", s.web.Addr, err)
	}
	fmt.Fprintln(cmd.OutOrStdout(), s.link(listener.Addr()))
	return server.Run(cmd.Context(), listener)
}

// engines returns the engines that can be asked, the usual one first. Without a
// network there is the classical one; a network that was named must be there.
func (s *serveCommand) engines(cmd *cobra.Command, nets *networks.Nets) ([]string, error) {
	v, err := s.variant.variant()
	if err != nil {
		return nil, err
	}
	if _, err := nets.Net(v); err != nil {
		if s.net.model != "" || cmd.Flags().Changed("engine") && s.opts.Engine != analysis.AlphaBeta {
			return nil, err
		}
		fmt.Fprintf(cmd.ErrOrStderr(), "carozero: no network (%s): only the classical engine is there\n", oneLine(err.Error()))
		s.opts.Engine = analysis.AlphaBeta
		return []string{string(analysis.AlphaBeta)}, nil
	}
	list := []string{string(analysis.MCTS), string(analysis.AlphaBeta), string(analysis.Each), string(analysis.Both)}
	slices.SortStableFunc(list, func(a, b string) int {
		usual := string(s.opts.Engine)
		return bits(a != usual) - bits(b != usual)
	})
	return list, nil
}

// bits is 1 for true.
func bits(b bool) int {
	if b {
		return 1
	}
	return 0
}

// name settles by what names the server may be called and whether it wants a token.
func (s *serveCommand) name() {
	local := web.IsLoopback(s.web.Addr)
	if s.web.Token == "" && (!local || s.web.EditBook) {
		s.web.Token = rand.Text()
	}
	if local {
		return
	}
	if name, err := os.Hostname(); err == nil {
		s.web.Hosts = append(s.web.Hosts, name)
	}
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
	link := url.URL{Scheme: "http", Host: net.JoinHostPort(host, port), Path: "/"}
	if s.web.Token != "" {
		link.RawQuery = url.Values{"token": {s.web.Token}}.Encode()
	}
	return link.String()
}

// Bounds of what a page may ask for.
const (
	mostVisits    = 1_000_000
	mostNodes     = 100_000_000
	mostSolver    = 100_000
	mostQueries   = 2_000 // turns of one page that wait or are being searched
	mostSearch    = time.Minute
	shareOfSearch = 2 * time.Second
	mostPondering = 2 * time.Minute
	leastReports  = 100 * time.Millisecond
	queriesHeld   = 32 << 20
)

// bound bounds what the service takes from pages.
func (s *serveCommand) bound() {
	l := &s.opts.Limits
	l.Client, l.Held = mostQueries, queriesHeld
	l.Visits, l.Nodes, l.Solver = max(mostVisits, s.opts.MaxVisits), max(mostNodes, s.opts.MaxNodes), max(mostSolver, s.opts.Tree.Solvers.Root)
	l.Search, l.Share, l.Every = mostSearch, shareOfSearch, leastReports
	if !s.noPonder {
		l.Ponder = mostPondering
	}
}

// config returns what the page has to know.
func (s *serveCommand) config(engines []string) (web.Config, error) {
	o := &s.opts
	l := &o.Limits
	shipped, err := models.List()
	if err != nil {
		return web.Config{}, err
	}
	names := []string{}
	for _, m := range shipped {
		names = append(names, m.Name)
	}
	return web.Config{
		Version: version, Commit: commit, Games: web.Games(), Levels: web.Levels(), Engines: engines, Models: names,
		Defaults: web.Defaults{Game: o.Game, Rule: o.Rules, Size: o.Size, Engine: string(o.Engine), MaxVisits: o.MaxVisits, MaxNodes: o.MaxNodes},
		Limits: web.Bounds{
			MaxVisits: l.Visits, MaxNodes: l.Nodes, MaxTime: l.Search.Seconds(), ReportEvery: l.Every.Seconds(), Queries: l.Client,
			Ponder: l.Ponder.Seconds(),
		},
	}, nil
}
