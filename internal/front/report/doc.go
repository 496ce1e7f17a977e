// Package report has what the commands print: a struct for each, whose JSON is the output of
// --json, a contract with other programs, and whose Text is for people.
// Reports are built from results; they search, read and write nothing.
package report

import "io"

// Report is what a command prints: as JSON by its fields, or its text. Text
// ignores errors of writing, which w must remember.
type Report interface {
	Text(w io.Writer)
}
