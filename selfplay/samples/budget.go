package samples

import (
	"fmt"
	"io"
)

// A budget bounds what decoding may take, so that a small file cannot unfold to
// more than memory holds: floor bytes and ratio times what has been read of the
// file, and in no case more than most. It counts the bytes under the
// compression and what values take beside these. Shards of ordinary games
// take 5 to 20 times the bytes of their files.
type budget struct {
	most  int64
	read  int64 // bytes of the file
	spent int64
}

const (
	budgetFloor = 64 << 20
	budgetRatio = 512
)

// What values take in memory beside the bytes of their texts, or more.
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

// source counts what is read of the file.
type source struct {
	io.Reader
	budget *budget
}

func (s source) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	s.budget.read += int64(n)
	return n, err
}

// spender is the reader of the bytes under the compression, which cost what
// they are.
type spender struct {
	io.Reader
	budget *budget
}

func (s spender) Read(p []byte) (int, error) {
	n, err := s.Reader.Read(p)
	if over := s.budget.take(n); over != nil {
		return 0, over
	}
	return n, err
}
