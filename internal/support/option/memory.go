package option

import (
	"fmt"
	"math"
	"strings"

	"github.com/carozero/carozero/internal/disk"
)

// Naming returns the name that a front has for the option with a key, for errors of library
// code: "workers" is --workers on a command line. Nil names options by their keys.
type Naming func(key string) string

// FlagName returns the name of the option with a key.
func (n Naming) FlagName(key string) string {
	if n == nil {
		return key
	}
	return n(key)
}

// Memory adds up what a command may take, so that one that asks for more than
// the machine has is refused before anything is allocated. The zero value is
// empty.
type Memory struct {
	total int64 // math.MaxInt64: more than can be counted
	of    []string
}

// Add adds bytes, times each of the counts; none of them may be negative. what
// names the options that the number comes from, "" for what cannot be chosen.
func (m *Memory) Add(what string, bytes int64, counts ...int) {
	for _, n := range counts {
		bytes = times(bytes, int64(n))
	}
	m.total += min(bytes, math.MaxInt64-m.total)
	if what != "" {
		m.of = append(m.of, what)
	}
}

// Check returns an error that names what was added if it is more than most
// bytes.
func (m *Memory) Check(most int64) error {
	if m.total <= most {
		return nil
	}
	size := disk.FormatSize(m.total)
	if m.total == math.MaxInt64 {
		size = "more than can be counted"
	}
	return fmt.Errorf("%s: together they may take %s of memory, want at most %s, what this machine has",
		strings.Join(m.of, ", "), size, disk.FormatSize(most))
}

// times multiplies and stops at the largest number.
func times(a, b int64) int64 {
	if a > 0 && b > math.MaxInt64/a {
		return math.MaxInt64
	}
	return a * b
}

// unknownMemory is taken for the machine's memory where it is not known.
const unknownMemory = 1 << 40

// Machine returns the memory, in bytes, that the program may take: that of the
// machine, or what a control group leaves it, or 1 TiB where neither is known.
func Machine() int64 {
	most := int64(unknownMemory)
	if n := installed(); n > 0 {
		most = n
	}
	if n := granted(); n > 0 {
		most = min(most, n)
	}
	return most
}
