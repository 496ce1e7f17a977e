package samples

// ColumnInfo is one column of a shard as a reader sees it.
type ColumnInfo struct {
	Name  string `json:"name"`
	DType string `json:"dtype"`
	Shape []int  `json:"shape"`
}

// ShardInfo describes one shard: its statistics and its schema.
type ShardInfo struct {
	File    string       `json:"file"`
	Header  Header       `json:"header"` // games left out
	Columns []ColumnInfo `json:"columns"`
	Statistics
}

// Inspect reads the shards at the paths, each a run's directory or a shard's
// file, one at a time, and returns what is in each and in all together. The
// total's means are over all games and rows.
func Inspect(files FS, paths ...string) (total Statistics, shards []ShardInfo, err error) {
	sum := newTally()
	for _, path := range paths {
		list, err := ShardPaths(files, path)
		if err != nil {
			return total, nil, err
		}
		for _, file := range list {
			s, size, err := readFile(files, file)
			if err != nil {
				return total, nil, err
			}
			t := newTally()
			t.add(s, size)
			sum.merge(t)
			s.Header.Games = nil
			shards = append(shards, ShardInfo{file, s.Header, s.Columns.info(), t.statistics()})
		}
	}
	return sum.statistics(), shards, nil
}

// Array is a column with its numbers: a slice of uint8, int8, uint16, uint32 or
// float32, as the dtype says, of the length that the shape says.
type Array struct {
	ColumnInfo
	Data any
}

// Arrays returns the columns that there are, in the order of a shard's file. The
// slices are those of c.
func (c *Columns) Arrays() []Array {
	var list []Array
	for _, col := range c.table() {
		if col.name == crcColumn && c.RowCRC == nil {
			continue
		}
		info := ColumnInfo{col.name, col.dtype, col.shape(c.Rows, len(c.VisitActions))}
		list = append(list, Array{info, col.data.entries()})
	}
	return list
}

// info lists the columns.
func (c *Columns) info() []ColumnInfo {
	var list []ColumnInfo
	for _, a := range c.Arrays() {
		list = append(list, a.ColumnInfo)
	}
	return list
}
