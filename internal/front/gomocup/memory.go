package gomocup

import "math/bits"

// Boards ask for more memory than there is: the largest number that one offers is
// 64 GiB. What is more than the machine has becomes what it has.

// assumedMemory is what a machine that tells nothing is taken to have.
const assumedMemory = 2 << 30

// tableShare is the part of the memory that what is remembered of searches may
// take; the rest is for the network, the runtime, and other programs.
const tableShare = 2

// mostTable bounds what is remembered of searches, in bytes, on any machine: it is
// cleared for every game, which takes time.
const mostTable = 2 << 30

// mostMemory returns the bytes that the program may use: what the client named,
// at most what the machine has.
func (s *session) mostMemory() int64 {
	if s.settings.memory > 0 {
		return min(s.settings.memory, s.opts.Memory)
	}
	return s.opts.Memory
}

// wanted returns the settings of the engine for a game under rules on a board.
func (s *session) wanted(rules string, size int) Settings {
	return Settings{
		Rule:    rules,
		Size:    size,
		Memory:  min(s.settings.memory, s.opts.Memory),
		Table:   min(s.settings.table, s.mostTable()),
		Threads: min(s.settings.threads, s.opts.Threads),
	}
}

// mostTable returns the bytes that what is remembered of searches may take.
func (s *session) mostTable() int64 { return min(s.mostMemory()/tableShare, mostTable) }

// mostHash returns the largest table that a board should offer, in its terms: the
// logarithm to base 2 of a number of KiB.
func (s *session) mostHash() int {
	return bits.Len64(uint64(min(s.opts.Memory/tableShare, mostTable))>>10) - 1
}
