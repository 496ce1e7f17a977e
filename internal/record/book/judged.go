package book

import (
	"encoding/binary"
	"math"
	"time"

	"github.com/carozero/carozero/game"
)

// The column judged of a position holds its values, by ascending numbers of their sources,
// as records of 32 bytes, big-endian:
//
//	4 bytes  number of the source
//	4        value in millionths, and a million
//	1        result
//	2        plies
//	8        nodes
//	2        depth
//	2        cell of the best move as it is stored, and 1; 0: unknown
//	4        number of the author
//	5        time, seconds since 1970, in two's complement
const judgedBytes = 32

// judgement is a record.
type judgement struct {
	source, author uint32
	Value          // but for its names
}

// append appends the record.
func (j *judgement) append(to []byte) []byte {
	to = binary.BigEndian.AppendUint32(to, j.source)
	to = binary.BigEndian.AppendUint32(to, uint32(math.Round(j.Value.Value*millionths)+millionths))
	to = append(to, byte(j.Proof))
	to = binary.BigEndian.AppendUint16(to, uint16(j.Plies))
	to = binary.BigEndian.AppendUint64(to, uint64(j.Nodes))
	to = binary.BigEndian.AppendUint16(to, uint16(j.Depth))
	best := uint16(0)
	if j.Best != game.NoMove {
		best = uint16(j.Best) + 1
	}
	to = binary.BigEndian.AppendUint16(to, best)
	to = binary.BigEndian.AppendUint32(to, j.author)
	at := uint64(j.Time.Unix())
	return binary.BigEndian.AppendUint32(append(to, byte(at>>32)), uint32(at))
}

// judgementOf reads a record, 32 bytes.
func judgementOf(record []byte) (j judgement) {
	j.source = binary.BigEndian.Uint32(record)
	j.Value.Value = (float64(binary.BigEndian.Uint32(record[4:])) - millionths) / millionths
	j.Proof, j.Plies = Result(record[8]), int(binary.BigEndian.Uint16(record[9:]))
	j.Nodes, j.Depth = int64(binary.BigEndian.Uint64(record[11:])), int(binary.BigEndian.Uint16(record[19:]))
	j.Best = game.NoMove
	if best := binary.BigEndian.Uint16(record[21:]); best > 0 {
		j.Best = game.Move(best - 1)
	}
	j.author = binary.BigEndian.Uint32(record[23:])
	j.Time = time.Unix(int64(int8(record[27]))<<32|int64(binary.BigEndian.Uint32(record[28:])), 0).UTC()
	return j
}

// values reads the values of a position on a board of so many cells, with their moves as
// they are stored.
func (b *Book) values(judged []byte, cells int) ([]Value, error) {
	if len(judged)%judgedBytes != 0 {
		return nil, damaged("values of %d bytes, want a multiple of %d", len(judged), judgedBytes)
	}
	if len(judged) == 0 {
		return nil, nil
	}
	list := make([]Value, 0, len(judged)/judgedBytes)
	last := int64(-1)
	for ; len(judged) > 0; judged = judged[judgedBytes:] {
		j := judgementOf(judged)
		if int64(j.source) <= last {
			return nil, damaged("values out of order")
		}
		last = int64(j.source)
		var err error
		if j.Source, err = b.names.source(last); err != nil {
			return nil, err
		}
		if j.Author, err = b.names.author(int64(j.author)); err != nil {
			return nil, err
		}
		if err := asDamage(j.check(cells)); err != nil {
			return nil, err
		}
		list = append(list, j.Value)
	}
	return list, nil
}

// withJudgement returns values with a record in place of that of its source, or added.
func withJudgement(judged []byte, j judgement) []byte {
	at, replaced := 0, 0
	for ; at+judgedBytes <= len(judged); at += judgedBytes {
		if source := binary.BigEndian.Uint32(judged[at:]); source >= j.source {
			if source == j.source {
				replaced = judgedBytes
			}
			break
		}
	}
	out := append(make([]byte, 0, len(judged)+judgedBytes), judged[:at]...)
	return append(j.append(out), judged[at+replaced:]...)
}
