package graph

import (
	"errors"
	"fmt"
)

// Bounds on the parts of a graph; networks have a few of each.
const (
	mostRank    = 8
	mostList    = 1024    // numbers of an attribute, inputs and outputs of a node
	mostValues  = 64      // of a tensor of whole numbers that can be a shape
	mostFixed   = 1 << 31 // of one dimension
	mostNodes   = 20_000
	mostTensors = 20_000
)

// node is an operator with its inputs and outputs.
type node struct {
	op              string
	inputs, outputs []string
	ints            map[string][]int64
	word            map[string]string
	value           *value // of the attribute of Constant that holds it
}

// value is what is known of a value of the graph: its dimensions, and its
// elements if it is a short list of whole numbers.
type value struct {
	dims  []int64
	known []int64
}

// model is the part of a file that matters.
type model struct {
	nodes   []node
	tensors map[string]*value // constants
	bytes   int64             // that the constants take
	inputs  []input
	outputs []string

	initializers []initializer
	seal         *string // the property sealName; nil: not there
}

// input is an input of the graph; dimensions that are open are 0.
type input struct {
	name string
	dims []int64
}

// The fields of the messages that are read; those that are refused are there
// too.
var (
	modelFields     = fields{7: part, 14: part, 20: part, 25: part}
	propertyFields  = fields{1: text, 2: text}
	graphFields     = fields{1: part, 5: part, 11: part, 12: part, 13: part, 15: part}
	nodeFields      = fields{1: text, 2: text, 4: text, 5: part, 7: text}
	attributeFields = fields{1: text, 3: number, 4: text, 5: part, 6: part, 7: list, 8: list, 9: text, 10: part, 11: part, 14: part, 15: part, 21: text, 22: part, 23: part}
	tensorFields    = fields{1: list, 2: number, 3: part, 4: list, 5: list, 6: text, 7: list, 8: text, 9: text, 10: list, 11: list, 13: part, 14: number}
	infoFields      = fields{1: text, 2: part}
	typeFields      = fields{1: part, 4: part, 5: part, 7: part, 8: part, 9: part}
	typeTensor      = fields{2: part}
	shapeFields     = fields{1: part}
	dimFields       = fields{1: number}
)

// parse reads a file.
func parse(data []byte) (*model, error) {
	p := &parser{}
	m := &model{tensors: map[string]*value{}}
	var graph []byte
	var seen bool
	err := p.each(data, modelFields, func(f field) (err error) {
		switch f.number {
		case 7:
			graph, err = f.message(&seen, "a graph")
		case 14:
			err = p.property(m, f.bytes)
		case 20, 25:
			err = errors.New("it has functions or a part for training")
		}
		return err
	})
	if err == nil && !seen {
		err = errCut
	}
	if err == nil {
		err = p.graph(m, graph)
	}
	return m, err
}

// graph reads a GraphProto.
func (p *parser) graph(m *model, message []byte) error {
	return p.each(message, graphFields, func(f field) error {
		switch f.number {
		case 1:
			n, err := p.node(m, f.bytes)
			m.nodes = append(m.nodes, n)
			if len(m.nodes) > mostNodes {
				return fmt.Errorf("it has more than %d operators", mostNodes)
			}
			return err
		case 5:
			name, dataType, v, err := p.tensor(m, f.bytes)
			if err == nil && m.tensors[name] != nil {
				err = fmt.Errorf("it has the tensor %s twice", excerpt(name))
			}
			m.tensors[name] = v
			m.initializers = append(m.initializers, initializer{name, dataType, v.dims, f.bytes})
			if len(m.tensors) > mostTensors {
				return fmt.Errorf("it has more than %d tensors", mostTensors)
			}
			return err
		case 11, 12, 13:
			in, err := p.info(f.bytes)
			if err == nil && f.number == 11 {
				m.inputs = append(m.inputs, in)
			} else if err == nil && f.number == 12 {
				m.outputs = append(m.outputs, in.name)
			}
			return err
		case 15:
			return errors.New("it has sparse tensors")
		}
		return nil
	})
}

// node reads a NodeProto.
func (p *parser) node(m *model, message []byte) (n node, err error) {
	err = p.each(message, nodeFields, func(f field) error {
		switch f.number {
		case 1:
			n.inputs = append(n.inputs, string(f.bytes))
		case 2:
			n.outputs = append(n.outputs, string(f.bytes))
		case 4:
			n.op = string(f.bytes)
		case 5:
			return p.attribute(m, &n, f.bytes)
		case 7:
			if domain := string(f.bytes); domain != "" && domain != "ai.onnx" {
				return fmt.Errorf("an operator of %s: want those of ONNX itself", excerpt(domain))
			}
		}
		if len(n.inputs) > mostList || len(n.outputs) > mostList {
			return fmt.Errorf("an operator has more than %d inputs or outputs", mostList)
		}
		return nil
	})
	return n, err
}

// attribute reads an AttributeProto into n.
func (p *parser) attribute(m *model, n *node, message []byte) error {
	var name, text string
	var ints []int64
	var single, tensor, isText bool
	var v *value
	err := p.each(message, attributeFields, func(f field) (err error) {
		switch f.number {
		case 1:
			name = string(f.bytes)
		case 3:
			ints, single = []int64{int64(f.varint)}, true
		case 4:
			text, isText = string(f.bytes), true
		case 5:
			var body []byte
			if body, err = f.message(&tensor, "a tensor of an attribute"); err == nil {
				_, _, v, err = p.tensor(m, body)
			}
		case 8:
			if single {
				return errCut
			}
			ints, err = f.numbers(ints, mostList)
		case 7:
			if f.count(4) > mostList {
				err = fmt.Errorf("an attribute has more than %d numbers", mostList)
			}
		case 6, 9, 10, 11, 14, 15, 21, 22, 23:
			err = errors.New("an operator has a graph, or lists of tensors, in it")
		}
		return err
	})
	if err != nil {
		return err
	}
	if n.ints == nil {
		n.ints, n.word = map[string][]int64{}, map[string]string{}
	}
	if _, twice := n.ints[name]; twice {
		return fmt.Errorf("an operator has the attribute %s twice", excerpt(name))
	}
	n.ints[name] = ints
	if isText {
		n.word[name] = text
	}
	if v != nil {
		n.value = v
	}
	return nil
}
