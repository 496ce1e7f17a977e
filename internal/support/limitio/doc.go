// Package limitio reads files and lines within limits, so that no file, whatever its size or
// kind, fills the memory or makes the program wait for ever. Its errors are one line that says what is wrong and what
// would be right, without the path, which callers name as the user did.
package limitio
