// Package option describes the values that a user can give: each has a key, a
// sentence of help, a unit, a default, and a range. Flags, the keys of players'
// descriptions and whatever else reads numbers from outside share these
// descriptions, so that a number is checked while it is read, before anything is
// made of it.
//
// ranges.go is the one place in which ranges are stated. A command that wants
// another default or other words takes a copy: option.Playouts.With(800,
// "playouts of a search").
//
// Ranges bound each number by itself; [Memory] adds up what several of them ask
// for together.
package option
