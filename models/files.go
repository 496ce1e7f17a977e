//go:build !lines

package models

import "embed"

// The pattern matches *.json, *.onnx and *.line. Unlike the latter alone it always
// matches something, so the package builds without any network as well.
//
//go:embed *.[jol]*[nxe]
var files embed.FS
