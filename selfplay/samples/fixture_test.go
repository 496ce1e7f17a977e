package samples

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/game/gametest"
	"github.com/carozero/carozero/nn"
)

// The fixtures are games of tic-tac-toe on 4x4, three in a row, played at
// random with made-up searches.
const (
	boardSize = 4
	testSeed  = 99
)

// gridEncoder is a plain encoder for the toy game: own stones, the opponent's,
// and as one scalar the share of the board that is full.
type gridEncoder struct{}

func (gridEncoder) Shape() nn.Shape {
	return nn.Shape{Planes: 2, Height: boardSize, Width: boardSize, Globals: 1, Actions: boardSize * boardSize}
}
func (gridEncoder) Version() string                                { return "grid-1" }
func (gridEncoder) Symmetries() int                                { return 1 }
func (gridEncoder) Action(_ game.Position, m game.Move, _ int) int { return int(m) }
func (gridEncoder) Key(pos game.Position) nn.Key                   { return nn.Key{pos.Hash()} }
func (gridEncoder) Clone() nn.Encoder                              { return gridEncoder{} }
func (gridEncoder) Encode(pos game.Position, _ int, planes, globals []float32) {
	p := pos.(*gametest.MNK)
	cells := boardSize * boardSize
	for c := range cells {
		planes[c] = float32(p.Stones(p.ToMove()) >> c & 1)
		planes[cells+c] = float32(p.Stones(p.ToMove().Other()) >> c & 1)
	}
	globals[0] = float32(p.Ply()) / float32(cells)
}

func testCodec() Codec {
	n := testStart().Notation()
	return Codec{
		Parse: func(text string) (game.Position, []game.Move, error) {
			moves, err := n.ParseMoves(text)
			return testStart(), moves, err
		},
		Format:   func(_ game.Position, moves []game.Move) string { return n.FormatMoves(moves) },
		Notation: n, Encoder: gridEncoder{},
	}
}

func testStart() *gametest.MNK { return gametest.NewMNK(boardSize, boardSize, 3) }

func testCodecOf(h *Header) (Codec, error) {
	if h.Game != "grid" || h.Size != boardSize {
		return Codec{}, fmt.Errorf("game %q of size %d is unknown", h.Game, h.Size)
	}
	return testCodec(), nil
}

func testHeader() Header {
	return Header{
		Game: "grid", Rule: OrderedMap{{"name", "three"}, {"k", int64(3)}, {"sides", []any{true, false}}},
		Size: boardSize, Planes: Planes{"grid-1", []string{"own", "opp"}}, Globals: []string{"fill"},
		Model: "none", ModelSHA256: "00", Engine: Engine{"1.0", "abc"},
		Search: OrderedMap{{"playouts", int64(8)}, {"noise", 0.25}, {TargetKey, TargetVisits}}, Seed: testSeed,
	}
}

func testLayout() Layout { return NewLayout(2, boardSize*boardSize, 1, boardSize*boardSize) }

func testRun(games, perShard int) Run {
	return Run{Header: testHeader(), Layout: testLayout(), Games: games, GamesPerShard: perShard}
}

// testRecord plays game id.
func testRecord(id uint64) *Record {
	codec := testCodec()
	seed := GameSeed(testSeed, id)
	rng := rand.New(rand.NewPCG(seed, 0))
	pos, rows := game.Position(testStart()), NewColumns(testLayout())
	var moves []game.Move
	var sides []game.Side
	random := rng.IntN(3)
	for pos.Outcome() == game.Undecided {
		legal := pos.Moves(nil)
		m := legal[rng.IntN(len(legal))]
		if len(moves) >= random {
			row := testRow(pos, len(moves), legal, rng)
			row.Played = uint16(m)
			rows.Append(row)
			sides = append(sides, pos.ToMove())
		}
		pos.Play(m)
		moves = append(moves, m)
	}
	for i, s := range sides {
		ply := int(rows.Ply[i])
		rows.Outcome[i] = int8(pos.Outcome().Value(s))
		rows.PliesLeft[i] = uint16(len(moves) - ply)
		rows.Reply[i] = None
		if ply+1 < len(moves) {
			rows.Reply[i] = uint16(moves[ply+1])
		}
	}
	return &Record{Rows: rows, Game: Game{
		ID: id, Seed: seed, Plies: len(moves), Result: pos.Outcome().String(), Reason: pos.Reason(),
		From: codec.Notation.FormatMoves(moves[:random]), Moves: codec.Notation.FormatMoves(moves),
	}}
}

// testRow makes up a search of pos.
func testRow(pos game.Position, ply int, legal []game.Move, rng *rand.Rand) *Row {
	planes, globals := make([]float32, 2*boardSize*boardSize), make([]float32, 1)
	gridEncoder{}.Encode(pos, 0, planes, globals)
	row := &Row{
		Planes: PackPlanes(nil, planes, boardSize*boardSize), Globals: globals, Legal: make([]byte, 2),
		RootQ: rng.Float32()*2 - 1, NetQ: rng.Float32()*2 - 1,
		Ply: uint16(ply), FullSearch: uint8(rng.IntN(2)), Proven: ProvenUnknown, Weight: 0.5 + rng.Float32(),
	}
	var actions []int
	for _, m := range legal {
		actions = append(actions, int(m))
		if n := rng.Uint32N(4); n > 0 {
			row.Actions, row.Counts = append(row.Actions, uint16(m)), append(row.Counts, n)
		}
	}
	PackActions(row.Legal, actions)
	if len(pos.Wins(nil)) > 0 {
		row.Proven = ProvenWin
	}
	if row.Actions == nil {
		row.Actions, row.Counts = []uint16{uint16(legal[0])}, []uint32{1}
	}
	row.Target = make([]float32, len(row.Counts))
	VisitTarget(row.Target, row.Counts)
	return row
}

// testShard returns a shard of the first games.
func testShard(games int) *Shard {
	s := &Shard{Header: testHeader()}
	var parts []*Columns
	for id := range games {
		r := testRecord(uint64(id))
		s.Header.Games = append(s.Header.Games, r.Game)
		parts = append(parts, r.Rows)
	}
	s.Columns = concat(testLayout(), parts)
	s.Columns.Seal()
	s.Header.Rows = s.Columns.Rows
	return s
}

// standStill is a clock.
func standStill() time.Time { return time.Date(2020, 1, 2, 3, 4, 5, 0, time.UTC) }
