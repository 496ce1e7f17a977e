package engine

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"

	"github.com/carozero/carozero/models"
	"github.com/carozero/carozero/nn"
	"github.com/carozero/carozero/nn/line"
)

// isLine reports whether a model, a path or a shipped name, is a line network: a
// file is known by how it begins, whatever its name. One that begins as neither kind
// is taken for what its name says, so that the right reader says what is wrong.
func isLine(model string) bool {
	if m, err := models.Find(model); err == nil {
		return filepath.Ext(m.File) == line.Extension
	}
	if info, err := os.Stat(model); err != nil || !info.Mode().IsRegular() {
		return filepath.Ext(model) == line.Extension // whoever reads it says what is wrong
	}
	f, err := os.Open(model)
	if err != nil {
		return filepath.Ext(model) == line.Extension
	}
	defer f.Close()
	var start [line.Recognized]byte
	n, _ := io.ReadFull(f, start[:]) // what is shorter is none
	return line.Recognize(start[:n]) || filepath.Ext(model) == line.Extension && !beginsONNX(start[:n])
}

// beginsONNX reports whether a file begins as ONNX files do: with the version of the
// format, a number below 128, and the tag of another field of a ModelProto.
func beginsONNX(start []byte) bool {
	const version, fields = 1 << 3, 25
	return len(start) > 2 && start[0] == version && start[1] < 128 && start[2]>>3 > 1 && start[2]>>3 <= fields && start[2]&7&^2 == 0
}

// openLine opens a line network for a variant.
func (l *Loader) openLine(v Variant, model string) (*Net, error) {
	n, err := LineNetwork(model)
	if err != nil {
		return nil, err
	}
	if err := v.takesLines(n); err != nil {
		return nil, err
	}
	l.note(n.Name(), n.Metadata(), v)
	return &Net{Name: n.Name(), SHA256: n.SHA256(), variant: v, model: model, line: n, threads: l.opts.Threads}, nil
}

// LineNetwork loads a line network: a shipped one by its name, or a file. A file
// with its digest beside it must have that digest.
func LineNetwork(model string) (*line.Network, error) {
	entry, err := models.Find(model)
	switch {
	case err == nil && filepath.Ext(entry.File) != line.Extension:
		return nil, fmt.Errorf("model %s: %w: it is no line network; those are files that end in %s", model, nn.ErrModel, line.Extension)
	case err == nil:
		return shippedLine(entry.Name)
	case errors.Is(err, models.ErrUnknown) && !looksLikePath(model):
		return nil, fmt.Errorf("%w; a file needs its path or the ending %s", err, line.Extension)
	case errors.Is(err, models.ErrUnknown):
		return line.LoadFile(model)
	}
	return nil, err
}

// takesLines returns an error unless a line network can judge the variant.
func (v Variant) takesLines(n *line.Network) error {
	if v.game.lineEvaluator == nil {
		return fmt.Errorf("model %s: %w: a line network judges games of %s, not %s", n.Name(), nn.ErrModel, Gomoku, v.Game)
	}
	return nil
}

// lineEvaluator returns an evaluator of a line network.
func (n *Net) lineEvaluator(o EvalOptions) (nn.Evaluator, error) {
	return n.variant.game.lineEvaluator(n.variant, n.line, line.EvaluatorOptions{Capacity: o.Capacity, Temperature: o.temperature(n.line.Metadata())})
}
