// Package report has what the commands print: for each a struct whose JSON is
// what --json gives, a contract with other programs, and its text for a person.
// Reports are built from results; they search, read and write nothing.
package report

import "io"

// Report is what a command prints: as JSON by its fields, or its text. Text
// ignores errors of writing, which w must remember.
type Report interface {
	Text(w io.Writer)
}
