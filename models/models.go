// Package models embeds the networks that are shipped with the program, ONNX files
// and line networks, and a manifest that says of each one what it is for, where it
// comes from, and its digest. README.md beside it documents the manifest's fields
// and how to add a network.
package models

import "errors"

// ErrUnknown is wrapped by errors that say that no shipped network has a name
// or suits a rule set.
var ErrUnknown = errors.New("no such shipped model")

// Fetch brings the file of a shipped line network that the program was built without; nil: there
// is no way. A program sets it when it starts.
var Fetch func(file string) ([]byte, error)

// List returns the shipped networks, in the order of preference of the
// manifest.
func List() ([]Entry, error) { return catalog{files}.list() }

// Open returns the bytes and the entry of the named network. It checks the bytes'
// SHA-256.
func Open(name string) ([]byte, Entry, error) { return catalog{files}.open(name) }

// Find returns the entry of the model of that name, or an error wrapping ErrUnknown.
func Find(name string) (Entry, error) { return catalog{files}.find(name) }

// Best returns the first shipped network trained for the rule set and board size. If
// none was trained for the size, it returns the first of those with the nearest
// size: networks compute boards of any size.
func Best(rule string, size int) (Entry, error) { return catalog{files}.best(rule, size) }

// ForClassical returns the line network that is the default evaluation of the
// classical search for a rule set and board size, false if there is none: then the
// fitted evaluation is the default.
func ForClassical(rule string, size int) (Entry, bool, error) {
	return catalog{files}.forClassical(rule, size)
}
