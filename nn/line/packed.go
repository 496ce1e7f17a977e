package line

// packed holds the weights of the layers as the kernels read them.
type packed struct{ w1, w2, g1, g2 matrix }

// matrix is a layer's weights in blocks of 32 rows, and in a block by pairs of
// inputs: [block][pair][row][2], so that one input pair meets all rows of a block.
// Rows and inputs that are not there are zeros.
type matrix struct {
	weights []int16
	biases  []int32 // a multiple of 32
	pairs   int
}

// newMatrix packs the weights [row][input] of a layer.
func newMatrix(weights []int16, biases []int32, inputs int) matrix {
	rows := (len(biases) + hidden - 1) / hidden * hidden
	m := matrix{pairs: (inputs + 1) / 2, biases: make([]int32, rows)}
	copy(m.biases, biases)
	m.weights = make([]int16, rows*2*m.pairs)
	for row := range biases {
		for i := range inputs {
			m.weights[m.index(row, i)] = weights[row*inputs+i]
		}
	}
	return m
}

func (m *matrix) index(row, input int) int {
	return ((row/hidden*m.pairs+input/2)*hidden+row%hidden)*2 + input%2
}

// at returns the weight of an input in a row.
func (m *matrix) at(row, input int) int16 { return m.weights[m.index(row, input)] }
