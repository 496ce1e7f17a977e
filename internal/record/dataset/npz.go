package dataset

import (
	"archive/zip"
	"bufio"
	"encoding/binary"
	"encoding/json"
	"fmt"
	"io"
	"strings"

	"gorgonia.org/tensor"

	"github.com/carozero/carozero/selfplay/samples"
)

// npz writes the columns as numpy.savez_compressed does: a zip archive of an npy
// file for each.
func (t *table) npz(w io.Writer) error {
	z := zip.NewWriter(w)
	for _, a := range t.arrays {
		file, err := z.Create(a.Name + ".npy")
		if err != nil {
			return err
		}
		out := bufio.NewWriterSize(file, 1<<16)
		if err := npy(out, a); err != nil {
			return fmt.Errorf("%s: %w", a.Name, err)
		}
		if err := out.Flush(); err != nil {
			return err
		}
	}
	return z.Close()
}

// npy writes an array as an npy file of version 1.0. Arrays without an element,
// which tensor does not have, are written here.
func npy(w io.Writer, a samples.Array) error {
	for _, n := range a.Shape {
		if n == 0 {
			return emptyNpy(w, a.ColumnInfo)
		}
	}
	return tensor.New(tensor.WithShape(a.Shape...), tensor.WithBacking(a.Data)).WriteNpy(w)
}

// emptyNpy writes the header of an array without elements.
func emptyNpy(w io.Writer, a samples.ColumnInfo) error {
	shape := ""
	for _, n := range a.Shape {
		shape += fmt.Sprintf("%d,", n)
	}
	dtype := "<" + strings.TrimPrefix(a.DType, "<")
	header := fmt.Sprintf("{'descr': '%s', 'fortran_order': False, 'shape': (%s)}", dtype, shape)
	const before = 10 // bytes of magic, version and length
	header += strings.Repeat(" ", 15-(before+len(header))%16) + "\n"
	data := binary.LittleEndian.AppendUint16([]byte("\x93NUMPY\x01\x00"), uint16(len(header)))
	_, err := w.Write(append(data, header...))
	return err
}

// jsonLines writes the games, a JSON object a line.
func (t *table) jsonLines(w io.Writer) error {
	out := bufio.NewWriter(w)
	enc := json.NewEncoder(out)
	enc.SetEscapeHTML(false)
	for _, g := range t.games() {
		if err := enc.Encode(g); err != nil {
			return err
		}
	}
	return out.Flush()
}
