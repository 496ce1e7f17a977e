//go:build !linux && !darwin

package main

import "errors"

func limited(_, _ uint64, _ string, _ []string) error {
	return errors.New("memory and processor time can be limited on Linux and macOS only")
}
