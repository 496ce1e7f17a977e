// Package procgroup runs other programs such that nothing of them is left: a
// program with all that it starts is one group, which is killed as a whole, and
// which dies with this process, however that ends.
//
// A [Group] is started once. Whoever starts it calls Kill when the program is not
// wanted any more or has ended, since what it started may go on, and then Release.
package procgroup
