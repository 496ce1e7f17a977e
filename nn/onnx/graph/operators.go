package graph

// call is an operator with what is known of its inputs; a nil input is not given.
type call struct {
	*node
	run *run
	in  []*value
}

// operators are those that a network may have, each with its shape function. Not allowed
// are operators that make tensors out of numbers (ConstantOfShape, Expand, Tile, Range,
// Resize, OneHot), that contain graphs (If, Loop, Scan), or that these networks don't
// need.
var operators = map[string]func(c *call) ([]*value, error){
	"Conv": conv, "ConvInteger": convInteger, "QLinearConv": qlinearConv,
	"Gemm": gemm, "MatMul": matMul, "MatMulInteger": matMulInteger, "QLinearMatMul": qlinearMatMul,

	"BatchNormalization": same, "InstanceNormalization": same, "LayerNormalization": same, "GroupNormalization": same,
	"Relu": same, "LeakyRelu": same, "PRelu": broadcast, "Elu": same, "Selu": same, "Celu": same, "Sigmoid": same, "HardSigmoid": same,
	"HardSwish": same, "Softplus": same, "Softsign": same, "Tanh": same, "Mish": same, "Gelu": same, "Erf": same, "Clip": same,
	"Softmax": same, "LogSoftmax": same, "Exp": same, "Log": same, "Sqrt": same, "Reciprocal": same, "Abs": same, "Neg": same,
	"Floor": same, "Ceil": same, "Round": same, "Sign": same, "Not": same, "Dropout": same, "Identity": same, "Cast": same,
	"QuantizeLinear": same, "DequantizeLinear": same, "DynamicQuantizeLinear": dynamicQuantize,

	"Add": add, "Sub": sub, "Mul": mul, "Div": broadcast, "Pow": broadcast, "Max": broadcast, "Min": broadcast,
	"Sum": broadcast, "Mean": broadcast, "Where": broadcast, "Equal": broadcast, "Less": broadcast, "Greater": broadcast,
	"LessOrEqual": broadcast, "GreaterOrEqual": broadcast, "And": broadcast, "Or": broadcast,

	"GlobalAveragePool": globalPool, "GlobalMaxPool": globalPool, "AveragePool": pool, "MaxPool": pool,
	"ReduceMean": reduce, "ReduceMax": reduce, "ReduceMin": reduce, "ReduceSum": reduce, "ReduceL2": reduce, "ReduceSumSquare": reduce,

	"Constant": constant, "Shape": shapeOf, "Gather": gather, "Concat": concat, "Slice": slice, "Split": split,
	"Flatten": flatten, "Reshape": reshape, "Squeeze": squeeze, "Unsqueeze": unsqueeze, "Transpose": transpose,
}
