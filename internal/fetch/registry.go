package fetch

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"strings"
	"time"
)

// npmPatience is how long npm may take to tell its registry.
const npmPatience = 10 * time.Second

// Registry returns the registry that npm would use, so that mirrors work: the one
// that NPM_CONFIG_REGISTRY names, else what npm says.
func Registry(ctx context.Context) (string, error) {
	for _, name := range []string{"NPM_CONFIG_REGISTRY", "npm_config_registry"} {
		if value := os.Getenv(name); value != "" {
			if err := CheckURL(value); err != nil {
				return "", fmt.Errorf("%s: %w", name, err)
			}
			return value, nil
		}
	}
	ctx, cancel := context.WithTimeout(ctx, npmPatience)
	defer cancel()
	out, err := exec.CommandContext(ctx, "npm", "config", "get", "registry").Output()
	if registry := strings.TrimSpace(string(out)); err == nil && CheckURL(registry) == nil {
		return registry, nil
	}
	return "", errors.New("no npm registry is known: set NPM_CONFIG_REGISTRY to its URL, or install npm")
}
