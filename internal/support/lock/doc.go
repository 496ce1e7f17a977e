// Package lock keeps two processes from writing the same files.
//
// A [Lock] is a lock of the operating system on a small file: flock on Linux,
// macOS and the BSDs, LockFileEx on Windows. The system releases it when the
// process that has it ends, however it ends, so a lock never has to be removed by
// hand. The file names that process for the error message of the second one; its
// content is not used otherwise, and a file that is not locked has no meaning.
//
// The lock of a directory is a file inside it, so it is the same under every name
// of the directory. The lock of a file lies beside it, beside the target of symbolic
// links; each hard link of a file has a lock of its own.
package lock
