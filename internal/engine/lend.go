package engine

import "github.com/carozero/carozero/nn"

// lend returns the network of n for another variant. It must not be closed.
func (l *Loader) lend(n *Net, v Variant) (*Net, error) {
	var metadata nn.Metadata
	if n.line != nil {
		if err := v.takesLines(n.line); err != nil {
			return nil, err
		}
		metadata = n.line.Metadata()
	} else {
		enc, err := v.Encoder()
		if err == nil {
			err = n.network.Check(enc)
		}
		if err != nil {
			return nil, err
		}
		metadata = n.network.Metadata()
	}
	l.note(n.Name, metadata, v)
	lent := *n
	lent.variant = v
	return &lent, nil
}
