package disk

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"hash"
	"io"
	"io/fs"
	"strings"
)

// Digest counts and hashes what is written to it.
type Digest struct {
	Bytes int64
	hash  hash.Hash
}

// NewDigest returns the digest of nothing.
func NewDigest() *Digest { return &Digest{hash: sha256.New()} }

// Write implements [io.Writer].
func (d *Digest) Write(b []byte) (int, error) {
	d.Bytes += int64(len(b))
	return d.hash.Write(b)
}

// SHA256 returns the SHA-256 in hexadecimal digits.
func (d *Digest) SHA256() string { return hex.EncodeToString(d.hash.Sum(nil)) }

// Sum returns the SHA-256 of data in hexadecimal digits.
func Sum(data []byte) string {
	sum := sha256.Sum256(data)
	return hex.EncodeToString(sum[:])
}

// SHA256 returns the digest of a regular file in hexadecimal digits. Its errors name the
// path.
func SHA256(path string) (string, error) {
	f, err := Open(path)
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	defer f.Close()
	sum := NewDigest()
	if _, err := io.Copy(sum, f); err != nil {
		return "", fmt.Errorf("%s: %w", path, Cause(err))
	}
	return sum.SHA256(), nil
}

// DigestSuffix is the ending of the file beside another one that holds its SHA-256,
// as sha256sum writes it.
const DigestSuffix = ".sha256"

// mostDigest bounds such a file, in bytes.
const mostDigest = 8 << 10

// ReadDigest returns the digest in a file, "" if there is no file. Its errors name
// the path.
func ReadDigest(path string) (string, error) {
	text, err := ReadFile(path, mostDigest)
	if errors.Is(err, fs.ErrNotExist) {
		return "", nil
	}
	var digest string
	if err == nil {
		digest, err = parseDigest(string(text))
	}
	if err != nil {
		return "", fmt.Errorf("digest %s: %w", path, err)
	}
	return digest, nil
}

// parseDigest returns the first word of a text as sha256sum writes it.
func parseDigest(text string) (string, error) {
	words := strings.Fields(text)
	if len(words) > 0 {
		// A backslash comes first where the file's name has one.
		word := strings.ToLower(strings.TrimPrefix(words[0], `\`))
		if sum, err := hex.DecodeString(word); err == nil && len(sum) == sha256.Size {
			return word, nil
		}
	}
	return "", errors.New("want a SHA-256 in hexadecimal, as sha256sum writes it")
}
