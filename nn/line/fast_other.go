//go:build !amd64 || purego

package line

// fastest returns the kernels for this machine.
func fastest() *kernels { return &plain }
