package graph

import (
	"errors"
	"fmt"
)

// info reads a ValueInfoProto, which must be of a tensor.
func (p *parser) info(message []byte) (in input, err error) {
	var seen [3]bool
	err = p.each(message, infoFields, func(f field) error {
		if f.number == 1 {
			in.name = string(f.bytes)
			return nil
		}
		typ, err := f.message(&seen[0], "the type of a value")
		if err != nil {
			return err
		}
		return p.each(typ, typeFields, func(f field) error {
			if f.number != 1 {
				return errors.New("a value is no tensor")
			}
			tensor, err := f.message(&seen[1], "the type of a tensor")
			if err != nil {
				return err
			}
			return p.shape(&in, tensor, &seen[2])
		})
	})
	return in, err
}

// shape reads the dimensions of a TypeProto.Tensor.
func (p *parser) shape(in *input, message []byte, seen *bool) error {
	return p.each(message, typeTensor, func(f field) error {
		shape, err := f.message(seen, "the shape of a value")
		if err != nil {
			return err
		}
		return p.each(shape, shapeFields, func(f field) error {
			if len(in.dims) == mostRank {
				return fmt.Errorf("a value has more than %d dimensions", mostRank)
			}
			fixed := int64(0)
			err := p.each(f.bytes, dimFields, func(f field) error {
				fixed = int64(f.varint)
				return nil
			})
			in.dims = append(in.dims, max(fixed, 0))
			return err
		})
	})
}
