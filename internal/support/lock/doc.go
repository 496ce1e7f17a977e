// Package lock keeps two processes from writing the same files.
//
// A [Lock] is a lock of the operating system on a small file: flock on Linux,
// macOS and the BSDs, LockFileEx on Windows. The system releases it when the
// process that has it ends, however it ends, so a lock never has to be broken
// by hand. The file says who has it, for the error message of the second
// process; its content decides nothing, and a file without a lock means
// nothing.
//
// A directory has its lock inside, so that it is the same one under every name
// of the directory. A file has it beside itself, beside the file that symbolic
// links lead to; of a file with several hard links each has a lock of its own.
package lock
