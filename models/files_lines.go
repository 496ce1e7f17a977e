//go:build lines

package models

import "embed"

// The networks of a program that has no runtime for the others and wants to be
// small: *.json and *.line.
//
//go:embed *.[jl]*[ne]
var files embed.FS
