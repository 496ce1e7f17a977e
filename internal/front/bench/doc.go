// Package bench measures the speed of the engine's parts, each against the
// limit that the hardware sets, timed in the same run and interleaved with it,
// so that a machine whose speed drifts skews no ratio.
package bench
