package samples

import (
	"bytes"
	"fmt"

	"github.com/vmihailenco/msgpack/v5"
)

// Plan is the part of a run.json that says which shards the run has when complete.
type Plan struct {
	Games, GamesPerShard int
	Layout               Layout
}

// ParsePlan reads the text of a run.json.
func ParsePlan(text []byte) (Plan, error) {
	if len(text) > maxRunFile {
		return Plan{}, fmt.Errorf("%s: more than %d bytes", RunName, maxRunFile)
	}
	p, err := parsePlan(text)
	if err != nil {
		return Plan{}, err
	}
	return Plan{p.Games, p.GamesPerShard, p.Layout}, nil
}

// Shards returns the number of the run's shards.
func (p Plan) Shards() int { return (p.Games-1)/p.GamesPerShard + 1 }

// Options returns the header as a shard has it, without rows and games.
func (h Header) Options() ([]byte, error) {
	h.Rows, h.Games = 0, nil
	var b bytes.Buffer
	e := &mapEncoder{Encoder: msgpack.NewEncoder(&b)}
	h.encode(e)
	return b.Bytes(), e.err
}

// ParseOptions reads the output of Options. The input is untrusted, as for ReadShard.
func ParseOptions(data []byte) (h Header, err error) {
	d := payloadDecoder(data)
	if err := d.header(&h); err != nil {
		return h, err
	}
	if h.Rows != 0 || len(h.Games) != 0 {
		return h, fmt.Errorf("header: %d rows, %d games: want none", h.Rows, len(h.Games))
	}
	return h, d.end()
}

// ParseEntry reads a line of a manifest, without its end.
func ParseEntry(line []byte) (Entry, error) { return parseEntry(line) }
