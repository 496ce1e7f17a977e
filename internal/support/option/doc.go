// Package option describes the values that a user can give: each has a key, a
// sentence of help, a unit, a default, and a range. Flags, keys of players, configurations
// and queries share these descriptions, so that a number is checked while it is read.
//
// Ranges are declared in ranges.go. A command that wants
// another default or other words takes a copy: option.Playouts.With(800,
// "playouts of a search").
//
// Ranges bound each number by itself; [Memory] adds up what several of them ask
// for together.
package option
