package alphabeta

import "github.com/carozero/carozero/game"

// singular decides by how many plies the move first, the table's, is searched
// deeper than usual. All other moves are searched to half the depth in an empty
// window below what the table says of the node: if none reaches it, the move is
// singular and gets a ply more (Anantharaman, Campbell and Hsu, "Singular
// extensions: adding selectivity to brute-force searching", 1988). If others
// do as well and the table expects a cut-off, it gets a ply less. It is void if
// w.stopped.
func (w *worker) singular(nd *node, known *entry, first game.Move) (extra int) {
	o := w.opts
	if o.Singular <= 0 || nd.depth < o.Singular || first == noMove || nd.ply >= 2*w.root.depth ||
		known.bound&lower == 0 || known.depth < nd.depth-3 || known.score.decided() {
		return 0
	}
	beta := known.score - w.singularMargin(nd.depth)
	f := &w.stack[nd.ply]
	f.without = first
	w.startPick(nd.ply, noMove)
	best, _ := w.moves(&node{alpha: beta - 1, beta: beta, depth: (nd.depth - 1) / 2, ply: nd.ply, cut: nd.cut}, f, 0)
	f.without = noMove
	switch {
	case best < beta:
		return 1
	case known.score >= nd.beta:
		return -1
	}
	return 0
}

// singularMargin is by how much the other moves must be worse: a sixth of
// the margin of one ply for each ply of depth.
func (w *worker) singularMargin(depth int) Score {
	return w.parts.Evaluation.Margin(1) * Score(depth) / 6
}
