// Package procgroup runs other programs so that none of their processes is left: a
// program and all that it starts are one group, which is killed as a whole, and
// which dies with this process, however that ends.
//
// A [Group] is started once. The caller calls Kill when the program is no
// longer needed or has ended, since what it started may still run, and then Release.
package procgroup
