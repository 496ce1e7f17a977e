// Package browser finds the Chromium that the tests of the page and the pictures
// need: the system's where there is one, else a headless one out of an npm package,
// pinned, in the user's cache. It needs no root, brings the libraries that it
// loads, and is started like the system's, by one path.
package browser

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"

	"github.com/carozero/carozero/internal/fetch"
)

// errNone is the error on a machine without a browser.
var errNone = errors.New("no Chromium found: `make browser` fetches one into the user's cache, or install it, on " +
	"Debian with: apt-get install chromium")

// Find returns the path of a Chromium that can be started: the system's, else the
// one that [Install] has put into the user's cache.
func Find() (string, error) {
	if path := system(); path != "" {
		return path, nil
	}
	dir, err := folder()
	if err != nil {
		return "", err
	}
	path := filepath.Join(dir, launcher)
	if _, err := os.Stat(path); err != nil {
		return "", errNone
	}
	return path, nil
}

// Install returns the path of a Chromium, as Find does, and fetches one first if
// there is none. fetching is called before anything is fetched. Several processes may
// install at once.
func Install(ctx context.Context, fetching func(fetch.Package)) (string, error) {
	if path := system(); path != "" {
		return path, nil
	}
	return install(ctx, fetching)
}

// Vulkan returns the folder of a graphics driver that computes on the processor, and of the
// library that loads it. It is part of the pinned Chromium, which it installs as Install does.
func Vulkan(ctx context.Context, fetching func(fetch.Package)) (string, error) {
	path, err := install(ctx, fetching)
	return filepath.Join(filepath.Dir(path), "vulkan"), err
}

func install(ctx context.Context, fetching func(fetch.Package)) (string, error) {
	dir, err := folder()
	if err != nil {
		return "", err
	}
	result, err := fetch.Install(ctx, fetch.Options{Package: pinned(), Dir: dir,
		Registry: func(ctx context.Context) (string, error) {
			fetching(pinned())
			return fetch.Registry(ctx)
		}})
	return result.Path, err
}

// system returns the path of the system's Chromium, "" if it has none.
func system() string {
	for _, name := range []string{"chromium", "chromium-browser", "google-chrome", "google-chrome-stable"} {
		if path, err := exec.LookPath(name); err == nil {
			return path
		}
	}
	return ""
}

// folder is where the pinned Chromium lies.
func folder() (string, error) {
	cache, err := os.UserCacheDir()
	if err != nil {
		return "", fmt.Errorf("the user's cache folder is not known (%w): set HOME", err)
	}
	return filepath.Join(cache, "carozero", "chromium-"+pinned().Version), nil
}
