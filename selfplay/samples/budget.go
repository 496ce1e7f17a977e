package samples

import (
	"fmt"
	"io"
)

// A budget bounds the memory of decoding, so that a small hostile file cannot expand
// without limit: it allows budgetFloor bytes plus budgetRatio times the bytes read of
// the file, and never more than most. It counts decompressed bytes and the overhead of
// values. Ordinary shards take 5 to 20 times the size of their files.
type budget struct {
	most  int64
	read  int64 // bytes of the file
	spent int64
}

const (
	budgetFloor = 64 << 20
	budgetRatio = 512
)

// Upper bounds of what values take in memory beside the bytes of their texts.
const (
	textCost  = 16
	valueCost = 48  // a field or an element
	gameCost  = 128 // an entry of the header's games
)

// take spends n bytes.
func (b *budget) take(n int) error {
	b.spent += int64(n)
	if allowed := min(b.most, budgetFloor+budgetRatio*b.read); b.spent > allowed {
		return fmt.Errorf("it unfolds to more than %d bytes after %d of the file, as no run's shard does", allowed, b.read)
	}
	return nil
}

// countingReader counts the bytes read of the file.
type countingReader struct {
	io.Reader
	budget *budget
}

func (s countingReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.budget.read += int64(n)
	return n, err
}

// budgetReader spends the budget on each decompressed byte.
type budgetReader struct {
	io.Reader
	budget *budget
}

func (s budgetReader) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if over := s.budget.take(n); over != nil {
		return 0, over
	}
	return n, err
}
