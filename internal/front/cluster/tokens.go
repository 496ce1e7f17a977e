package cluster

import (
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/carozero/carozero/internal/disk"
	"github.com/carozero/carozero/selfplay/samples"
)

// Token is the token of one worker. The file stores only its SHA-256, which is enough
// because a token has 128 random bits.
type Token struct {
	Name    string     `json:"name"`
	SHA256  string     `json:"sha256,omitempty"` // "" for the shared token
	Added   time.Time  `json:"added"`
	Revoked *time.Time `json:"revoked,omitempty"`
}

// SharedToken is the name of the token that all workers share, in the file of tokens.
const SharedToken = "shared"

// Names of files in the cluster's folder of a run.
const (
	tokensName = "tokens.json"
	tokenName  = "token"
)

// TokensFile returns the path of the file with the workers' own tokens.
func TokensFile(run string) string { return filepath.Join(clusterDir(run), tokensName) }

// TokenFile returns the path of the file with the shared token.
func TokenFile(run string) string { return filepath.Join(clusterDir(run), tokenName) }

// Limits of the file of tokens.
const (
	tokensFormat  = "carozero-tokens"
	tokensVersion = 1
	maxTokens     = 4 << 20 // bytes
	mostTokens    = 10_000
)

// tokensText is the content of a file of tokens.
type tokensText struct {
	Format  string  `json:"format"`
	Version int     `json:"version"`
	Tokens  []Token `json:"tokens"`
}

// ReadTokens returns the tokens in a file, in the order in which they were added, or none
// if there is no file.
func ReadTokens(path string) ([]Token, error) {
	data, err := disk.ReadFile(path, maxTokens)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("%s: %w", path, err)
	}
	var text tokensText
	if err := json.Unmarshal(data, &text); err != nil {
		return nil, fmt.Errorf("%s: no file of tokens: %w", path, err)
	}
	if text.Format != tokensFormat || text.Version != tokensVersion || len(text.Tokens) > mostTokens {
		return nil, fmt.Errorf("%s: want format %q, version %d, at most %d tokens", path, tokensFormat, tokensVersion, mostTokens)
	}
	seen := map[string]bool{}
	for _, t := range text.Tokens {
		if CheckName(t.Name) != nil || seen[t.Name] || t.Name != SharedToken && !digestPattern.MatchString(t.SHA256) {
			return nil, fmt.Errorf("%s: token %.60q: want a name of its own and a SHA-256", path, t.Name)
		}
		seen[t.Name] = true
	}
	return text.Tokens, nil
}

// AddToken adds a token with a new name to a file, which it creates if necessary. The
// secret that it returns cannot be recovered later.
func AddToken(path, name string, now time.Time) (secret string, err error) {
	if err := CheckName(name); err != nil {
		return "", err
	}
	err = changeTokens(path, func(list []Token) ([]Token, error) {
		switch {
		case name == SharedToken || slices.ContainsFunc(list, func(t Token) bool { return t.Name == name }):
			return nil, fmt.Errorf("the name %s was used before: choose another, so that what it has sent stays known", name)
		case len(list) >= mostTokens:
			return nil, fmt.Errorf("%d tokens are there, as many as may be", len(list))
		}
		secret = NewSession()
		return append(list, Token{Name: name, SHA256: digest([]byte(secret)), Added: now.UTC()}), nil
	})
	return secret, err
}

// RevokeToken revokes a token of a file; [SharedToken] is the shared one.
func RevokeToken(path, name string, now time.Time) error {
	return changeTokens(path, func(list []Token) ([]Token, error) {
		now := now.UTC()
		at := slices.IndexFunc(list, func(t Token) bool { return t.Name == name })
		switch {
		case at < 0 && name == SharedToken:
			return append(list, Token{Name: name, Added: now, Revoked: &now}), nil
		case at < 0:
			return nil, fmt.Errorf("no token has the name %.60q", name)
		case list[at].Revoked != nil:
			return nil, fmt.Errorf("the token %s was revoked on %s", name, list[at].Revoked.Format(time.DateOnly))
		}
		list[at].Revoked = &now
		return list, nil
	})
}

// changeTokens writes a changed list atomically.
func changeTokens(path string, change func([]Token) ([]Token, error)) (err error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o777); err != nil {
		return err
	}
	l, err := disk.LockFile(path)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, l.Close()) }()
	list, err := ReadTokens(path)
	if err != nil {
		return err
	}
	if list, err = change(list); err != nil {
		return err
	}
	data, err := json.MarshalIndent(tokensText{tokensFormat, tokensVersion, list}, "", "  ")
	if err != nil {
		return err
	}
	return WriteSecret(path, append(data, '\n'))
}

// WriteSecret writes a file that only its owner may read, atomically.
func WriteSecret(path string, data []byte) (err error) {
	folder := filepath.Dir(path)
	file, err := os.CreateTemp(folder, "."+filepath.Base(path)+".*.tmp") // mode 0600
	if err != nil {
		return err
	}
	_, err = file.Write(data)
	if err == nil {
		err = file.Sync()
	}
	if err = errors.Join(err, file.Close()); err == nil {
		err = os.Rename(file.Name(), path)
	}
	if err != nil {
		return errors.Join(err, os.Remove(file.Name()))
	}
	return samples.Disk{}.SyncDir(folder)
}

// keys decide which tokens are accepted. They are read again whenever their file was
// replaced. It is safe for concurrent use.
type keys struct {
	shared [sha256.Size]byte
	none   bool // there is no shared token
	path   string

	mu   sync.Mutex
	file fs.FileInfo // the file last read, nil: none
	name map[string]string
	gone map[string]bool // names of revoked tokens
}

// newKeys returns the keys of a server with a shared token and a file of other tokens;
// either may be "".
func newKeys(shared, path string) (*keys, error) {
	k := &keys{shared: sha256.Sum256([]byte(shared)), none: shared == "", path: path}
	return k, k.refresh()
}

// refresh reads the file again if it was replaced. An unreadable file changes nothing.
func (k *keys) refresh() error {
	if k.path == "" {
		return nil
	}
	info, err := os.Stat(k.path)
	if errors.Is(err, fs.ErrNotExist) && k.file == nil {
		return nil
	}
	if err != nil {
		return err
	}
	if k.file != nil && os.SameFile(info, k.file) && info.ModTime().Equal(k.file.ModTime()) && info.Size() == k.file.Size() {
		return nil
	}
	list, err := ReadTokens(k.path)
	if err != nil {
		return err
	}
	k.file, k.name, k.gone = info, map[string]string{}, map[string]bool{}
	for _, t := range list {
		if t.Revoked != nil {
			k.gone[t.Name] = true
		} else if t.Name != SharedToken {
			k.name[t.SHA256] = t.Name
		}
	}
	return nil
}

// reread is refresh for callers that do not hold the lock.
func (k *keys) reread() error {
	k.mu.Lock()
	defer k.mu.Unlock()
	return k.refresh()
}

// holder returns the name of an accepted token, "" for the shared one.
func (k *keys) holder(secret string) (name string, ok bool) {
	k.mu.Lock()
	defer k.mu.Unlock()
	_ = k.refresh() // on an error the keys read before stay valid
	sum := sha256.Sum256([]byte(secret))
	if !k.none && sum == k.shared && !k.gone[SharedToken] {
		return "", true
	}
	name, ok = k.name[hex.EncodeToString(sum[:])]
	return name, ok
}

// revoked reports whether the token of this name, "" for the shared one, was revoked.
func (k *keys) revoked(name string) bool {
	k.mu.Lock()
	defer k.mu.Unlock()
	if name == "" {
		name = SharedToken
	}
	return k.gone[name]
}

// withToken returns the name of a worker with a token of its own.
func withToken(worker, token string) string {
	if token == "" {
		return worker
	}
	return worker + "@" + token
}

// tokenOf returns the name of the token in a worker's name, "" for the shared one.
func tokenOf(name string) string {
	_, token, _ := strings.Cut(name, "@")
	return token
}
