package arena

import (
	"cmp"
	"crypto/sha256"
	"encoding/binary"
	"slices"

	"github.com/carozero/carozero/game"
)

// Report is the state of a match.
type Report struct {
	Names    []string    // the entrants
	Pairings []Pairing   // in the order 0-1, 0-2, ..., 1-2, ...
	Forfeits []Forfeited // in game order
	LLR      float64     // of the SPRT, 0 without one
	Verdict  Verdict

	schedule schedule
	test     *SPRT
	seen     map[gameDigest]struct{} // every game that was added
}

// gameDigest tells the games of the same two players apart.
type gameDigest [sha256.Size]byte

// digestOf returns the digest of a game by its players and moves.
func digestOf(r *Result) gameDigest {
	text := binary.LittleEndian.AppendUint64(nil, uint64(r.Players[0]))
	text = binary.LittleEndian.AppendUint64(text, uint64(r.Players[1]))
	for _, m := range r.Moves {
		text = binary.LittleEndian.AppendUint16(text, uint16(m))
	}
	return sha256.Sum256(text)
}

// Forfeited tells of a game that was forfeited.
type Forfeited struct {
	Game   int    `json:"game"` // its number in the match, from 1 as in its record
	Player string `json:"player"`
	Fault  Fault  `json:"fault"`
	Text   string `json:"text"`
}

// Pairing is the record of two entrants against each other.
type Pairing struct {
	A, B int // the entrants, A < B
	Tally
	Repeats   int    // games that equal an earlier one move for move
	Forfeits  [2]int // by A and by B; they count as losses too
	FirstWins int    // games won by the side that moves first, the colours' balance
	Timing    [2]Timing
}

// Summary is a pairing in the form in which it is printed.
type Summary struct {
	A         string  `json:"a"`
	B         string  `json:"b"`
	Games     int     `json:"games"`
	AWins     int     `json:"a_wins"`
	BWins     int     `json:"b_wins"`
	Draws     int     `json:"draws"`
	Pairs     [5]int  `json:"pairs"` // whole pairs by A's points: 0, 1/2, 1, 3/2, 2; without pairs that only repeat earlier games
	Elo       float64 `json:"elo"`   // of A over B
	EloError  float64 `json:"elo_error"`
	LLR       float64 `json:"llr"`
	SPRT      Verdict `json:"sprt"`
	Forfeits  int     `json:"forfeits"`
	AForfeits int     `json:"a_forfeits"`
	BForfeits int     `json:"b_forfeits"`
	FirstWins int     `json:"first_wins"`
	Repeats   int     `json:"repeats"` // games equal to an earlier one, which add no information

	// The longest move of each player that has a clock, and how many moves
	// exceeded the limit, even within the margin.
	ASlowestMS int64 `json:"a_slowest_ms"`
	BSlowestMS int64 `json:"b_slowest_ms"`
	ALate      int   `json:"a_late"`
	BLate      int   `json:"b_late"`
}

// Standing is an entrant's place in a round robin.
type Standing struct {
	Name   string  `json:"name"`
	Games  int     `json:"games"`
	Points float64 `json:"points"` // 1 for a win, 1/2 for a draw
}

func (m *Match) newReport() Report {
	r := Report{schedule: m.schedule, test: m.opts.SPRT, Verdict: NoTest, seen: map[gameDigest]struct{}{}}
	if r.test != nil {
		r.Verdict = Continue
	}
	for _, e := range m.opts.Entrants {
		r.Names = append(r.Names, e.Name)
	}
	for i := range m.schedule.pairings() {
		a, b := m.schedule.pairing(i)
		r.Pairings = append(r.Pairings, Pairing{A: a, B: b})
	}
	return r
}

// decided reports whether the test has accepted a hypothesis.
func (r *Report) decided() bool { return r.Verdict == AcceptH0 || r.Verdict == AcceptH1 }

// add counts the next game in order.
func (r *Report) add(result *Result) {
	f := r.schedule.at(result.Game)
	p := &r.Pairings[f.pairing]
	sideOfA := game.First
	if f.second {
		sideOfA = game.Second
	}
	digest := digestOf(result)
	_, again := r.seen[digest]
	r.seen[digest] = struct{}{}
	if again {
		p.Repeats++
	}
	p.Tally.add(result.Outcome.Value(sideOfA), f.second, again)
	if result.Outcome == game.FirstWins {
		p.FirstWins++
	}
	for side, t := range result.Timing {
		p.Timing[game.Side(side)^sideOfA].add(t)
	}
	if lost := result.Forfeit; lost != nil {
		p.Forfeits[lost.Side^sideOfA]++
		r.Forfeits = append(r.Forfeits, Forfeited{
			Game: result.Game + 1, Player: r.Names[result.Players[lost.Side]], Fault: lost.Fault, Text: lost.Text,
		})
	}
	if r.test != nil && f.second {
		r.LLR = r.test.LLR(p.Pairs[:])
		r.Verdict = r.test.Decide(r.LLR)
	}
}

// clone returns a copy that further games do not change.
func (r *Report) clone() Report {
	c := *r
	c.seen = nil
	c.Pairings = slices.Clone(r.Pairings)
	c.Forfeits = slices.Clone(r.Forfeits)
	return c
}

// Games returns the number of games counted.
func (r *Report) Games() int {
	n := 0
	for i := range r.Pairings {
		n += r.Pairings[i].Games()
	}
	return n
}

// Summary returns the summary of the first pairing, the match of two players.
func (r *Report) Summary() Summary { return r.summary(&r.Pairings[0]) }

// Summaries returns the summary of every pairing.
func (r *Report) Summaries() []Summary {
	all := make([]Summary, len(r.Pairings))
	for i := range r.Pairings {
		all[i] = r.summary(&r.Pairings[i])
	}
	return all
}

func (r *Report) summary(p *Pairing) Summary {
	elo, bound := p.Elo()
	return Summary{
		A:         r.Names[p.A],
		B:         r.Names[p.B],
		Games:     p.Games(),
		AWins:     p.Wins,
		BWins:     p.Losses,
		Draws:     p.Draws,
		Pairs:     p.Pairs,
		Elo:       elo,
		EloError:  bound,
		LLR:       r.LLR,
		SPRT:      r.Verdict,
		Forfeits:  p.Forfeits[0] + p.Forfeits[1],
		AForfeits: p.Forfeits[0],
		BForfeits: p.Forfeits[1],
		FirstWins: p.FirstWins,
		Repeats:   p.Repeats,

		ASlowestMS: p.Timing[0].Slowest.Milliseconds(),
		BSlowestMS: p.Timing[1].Slowest.Milliseconds(),
		ALate:      p.Timing[0].Late,
		BLate:      p.Timing[1].Late,
	}
}

// Standings returns the entrants by their points, equal ones in the order in
// which they entered.
func (r *Report) Standings() []Standing {
	all := make([]Standing, len(r.Names))
	for i, name := range r.Names {
		all[i].Name = name
	}
	for _, p := range r.Pairings {
		all[p.A].Games += p.Games()
		all[p.B].Games += p.Games()
		all[p.A].Points += float64(p.Wins) + float64(p.Draws)/2
		all[p.B].Points += float64(p.Losses) + float64(p.Draws)/2
	}
	slices.SortStableFunc(all, func(a, b Standing) int { return cmp.Compare(b.Points, a.Points) })
	return all
}
