package analysis

import _ "embed"

//go:embed schema.json
var schema []byte

// Schema returns the JSON Schema of the messages: its definition "line" is what a
// peer sends, "message" what it gets.
func Schema() []byte { return schema }
