package line

// allKernels returns every set of kernels that this machine can run.
func allKernels() map[string]*kernels {
	return map[string]*kernels{"plain": &plain, "fastest": fastest()}
}
