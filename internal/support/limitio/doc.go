// Package limitio reads files and lines within limits, so that no file, be it a
// device or of any size, can take the memory of the machine or keep the program
// waiting for ever. Its errors are one line that says what is wrong and what
// would be right, without the path, which callers name as the user did.
package limitio
