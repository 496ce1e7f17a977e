package alphabeta

import "github.com/carozero/carozero/game"

// maxPly is the largest distance from the root that a search reaches.
const maxPly = 127

// frame is what the search keeps of a node on its path.
type frame struct {
	eval    Score     // static evaluation
	move    game.Move // being searched from here
	slot    uint16    // of move
	asked   node      // what the parent asked of the node; see posts
	granted int       // plies by which the path to here was extended on request
	pick    picker
	putOff  [mostPutOff]trial // of the node's moves; see trials
	tried   [maxTried]uint16  // slots of the quiet moves searched so far
	nTried  int
}

// maxTried bounds the quiet moves of a node that are marked down when a later
// one causes a cut-off.
const maxTried = 32

// note keeps the quiet move e, which was searched and caused no cut-off.
func (f *frame) note(e *Entry) {
	if e.Kind == Quiet && f.nTried < maxTried {
		f.tried[f.nTried] = e.Slot
		f.nTried++
	}
}

// line is a principal variation from some ply on.
type line struct {
	moves [maxPly + 1]game.Move
	n     int
}

// only makes l the single move m: what would follow is not known.
func (l *line) only(m game.Move) { l.moves[0], l.n = m, 1 }

// set makes l the move m followed by rest.
func (l *line) set(m game.Move, rest *line) {
	l.moves[0] = m
	l.n = 1 + copy(l.moves[1:], rest.moves[:rest.n])
}
