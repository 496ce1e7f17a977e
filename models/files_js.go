package models

import "embed"

// In a browser networks are fetched when they are needed.
//
//go:embed manifest.json
var files embed.FS
