package players

import (
	"fmt"
	"os"
	"os/exec"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/internal/front/arena"
)

// programs returns the executables that a command names: its program, its
// first argument if that is a file, as after an interpreter, and every later
// file that may be executed. Other arguments are not included, because the
// program may write to them.
func programs(command []string) ([]arena.Part, error) {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return nil, fmt.Errorf("no such program: %w", err)
	}
	var parts []arena.Part
	for i, word := range command {
		name := word
		if i == 0 {
			name = path
		}
		info, err := os.Stat(name)
		if err != nil || !info.Mode().IsRegular() || i > 1 && info.Mode()&0o111 == 0 {
			continue
		}
		sum, err := disk.SHA256(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, arena.Part{What: "program", Name: word, SHA256: sum})
	}
	return parts, nil
}
