//go:build lines

package models

import "embed"

// The network of a program that has no runtime for the others and wants to be
// small: the line network for all rule sets.
//
//go:embed manifest.json taught6-line16.line
var files embed.FS
