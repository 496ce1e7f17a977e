//go:build lines && !js

package models

import "embed"

// Small programs without ONNX Runtime embed only the line network for all rule sets.
//
//go:embed manifest.json taught7-line16.line
var files embed.FS
