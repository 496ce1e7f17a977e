// Package generate sets up self-play. [Run] is all that decides the bytes of a run's shards:
// the command selfplay makes one of its flags, a loop of its file, and a cluster sends it to
// its workers. [Run.Open] opens what plays it. The package also names the variant of shards
// and checks what their rows say is proven.
package generate
