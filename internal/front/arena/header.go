package arena

import (
	"fmt"
	"slices"
	"strings"
)

// journalFormat and journalVersion mark the header of a journal.
const (
	journalFormat  = "carozero-match"
	journalVersion = 2
)

// header is the first line of a journal: the settings that must be equal to
// resume a match. The openings are compared game by game.
type header struct {
	Format   string         `json:"format"`
	Version  int            `json:"version"`
	Program  string         `json:"program"`
	Players  []headerPlayer `json:"players"`
	Seed     uint64         `json:"seed"`
	MaxPlies int            `json:"max_plies"`
	Setting  string         `json:"setting"`
	Start    string         `json:"start"` // hash of the start position
}

// headerPlayer is an entrant.
type headerPlayer struct {
	Name        string `json:"name"`
	Description string `json:"description"`
	Control     string `json:"control"`
	Parts       []Part `json:"parts"`
}

// Part is a file that decides how a player plays: a network or a program.
type Part struct {
	What   string `json:"what"` // in a word
	Name   string `json:"name"`
	SHA256 string `json:"sha256"`
}

func (m *Match) header() (header, error) {
	h := header{
		Format:   journalFormat,
		Version:  journalVersion,
		Program:  m.opts.Program,
		Seed:     m.opts.Seed,
		MaxPlies: m.opts.MaxPlies,
		Setting:  m.opts.Setting,
		Start:    fmt.Sprintf("%016x", m.opts.Start.Hash()),
	}
	for _, e := range m.opts.Entrants {
		p := headerPlayer{Name: e.Name, Description: e.Description, Control: e.Control.String(), Parts: []Part{}}
		if e.Parts != nil {
			parts, err := e.Parts()
			if err != nil {
				return h, fmt.Errorf("player %s: %w", e.Name, err)
			}
			p.Parts = append(p.Parts, parts...)
		}
		h.Players = append(h.Players, p)
	}
	return h, nil
}

// differs returns the first difference between found and h, "" if there is
// none.
func (h header) differs(found header) string {
	switch {
	case found.Program != h.Program:
		return fmt.Sprintf("program %q, here %q", found.Program, h.Program)
	case found.names() != h.names():
		return fmt.Sprintf("players %s, here %s", found.names(), h.names())
	case found.Seed != h.Seed:
		return fmt.Sprintf("seed %d, here %d", found.Seed, h.Seed)
	case found.MaxPlies != h.MaxPlies:
		return fmt.Sprintf("move limit %d, here %d", found.MaxPlies, h.MaxPlies)
	case found.Setting != h.Setting:
		return fmt.Sprintf("setting %q, here %q", found.Setting, h.Setting)
	case found.Start != h.Start:
		return "another start position"
	}
	for i := range h.Players {
		if d := h.Players[i].differs(found.Players[i]); d != "" {
			return fmt.Sprintf("player %q: %s", h.Players[i].Name, d)
		}
	}
	return ""
}

func (h header) names() string {
	var list []string
	for _, p := range h.Players {
		list = append(list, fmt.Sprintf("%q", p.Name))
	}
	return strings.Join(list, ", ")
}

func (p headerPlayer) differs(found headerPlayer) string {
	switch {
	case found.Description != p.Description:
		return fmt.Sprintf("it was %q, here %q", found.Description, p.Description)
	case found.Control != p.Control:
		return fmt.Sprintf("time control %q, here %q", found.Control, p.Control)
	}
	for i, part := range p.Parts {
		if i >= len(found.Parts) {
			break
		}
		switch was := found.Parts[i]; {
		case was.What != part.What:
			return fmt.Sprintf("a file of the kind %.40q, here %s %q", was.What, part.What, part.Name)
		case was.Name != part.Name:
			return fmt.Sprintf("%s %q, here %s %q", part.What, was.Name, part.What, part.Name)
		case was.SHA256 != part.SHA256:
			return fmt.Sprintf("the %s %q had the SHA-256 %.64q, here %q", part.What, part.Name, was.SHA256, part.SHA256)
		}
	}
	if !slices.Equal(found.Parts, p.Parts) {
		return fmt.Sprintf("%d files, here %d", len(found.Parts), len(p.Parts))
	}
	return ""
}
