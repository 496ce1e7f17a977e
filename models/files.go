//go:build !lines && !js

package models

import "embed"

// The pattern matches *.json, *.onnx and *.line. It includes *.json because a pattern
// without a match is an error, and the package must build without any network.
//
//go:embed *.[jol]*[nxe]
var files embed.FS
