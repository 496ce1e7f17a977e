package alphabeta

import "fmt"

// CheckTable fails with ErrMemory if tables of that many MiB together are larger
// than the memory of the machine, or than any table can be. Allocating that
// much would end the program.
func CheckTable(mib int) error {
	most := mostMiB
	if bytes := memory(); bytes > 0 {
		most = min(most, int(bytes>>20))
	}
	if mib > most {
		return fmt.Errorf("%w: %d MiB, at most %d are possible", ErrMemory, mib, most)
	}
	return nil
}
