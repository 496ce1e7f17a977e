package players

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"io"
	"os"
	"os/exec"

	"github.com/carozero/carozero/internal/front/arena"
)

// FileSHA256 returns the SHA-256 of a file in hexadecimal digits.
func FileSHA256(path string) (string, error) {
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, file); err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

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
		sum, err := FileSHA256(name)
		if err != nil {
			return nil, err
		}
		parts = append(parts, arena.Part{What: "program", Name: word, SHA256: sum})
	}
	return parts, nil
}
