// Package models holds the networks that are shipped with the program: ONNX
// files and line networks, embedded, and a manifest that says what each one is for, where it
// comes from and which bytes it must have. README.md beside it documents the
// manifest's fields and how to add a network.
package models

import "errors"

// ErrUnknown is wrapped by errors that say that no shipped network has a name
// or suits a rule set.
var ErrUnknown = errors.New("no such shipped model")

// List returns the shipped networks, in the order of preference of the
// manifest.
func List() ([]Entry, error) { return catalog{files}.list() }

// Open returns the bytes and the entry of the named network, after it has
// checked their SHA-256.
func Open(name string) ([]byte, Entry, error) { return catalog{files}.open(name) }

// Find returns the entry of the model of that name, or an error wrapping ErrUnknown.
func Find(name string) (Entry, error) { return catalog{files}.find(name) }

// Best returns the first shipped network that suits the rule set and the size
// of the board. Networks compute boards of any size: where none was trained for
// this one, it is the first whose sizes come nearest.
func Best(rule string, size int) (Entry, error) { return catalog{files}.best(rule, size) }

// Judge returns the line network that judges for the classical search under a rule
// set on boards of that size where nothing else is asked for; false: none was
// measured to be stronger than the fitted evaluation there.
func Judge(rule string, size int) (Entry, bool, error) { return catalog{files}.judge(rule, size) }
