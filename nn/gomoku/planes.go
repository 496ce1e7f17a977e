package gomoku

import "slices"

// Version names this version of the input planes, as in a model's metadata.
const Version = "gomoku-1"

// The input planes of version 1, in order.
const (
	PlaneBoard         = iota // 1 on every cell of the board
	PlaneOwn                  // stones of the side to move
	PlaneOpp                  // stones of its opponent
	PlaneForbidden            // empty cells that the side to move may not play
	PlaneFiveOwn              // five points
	PlaneFiveOpp              //
	PlaneOpenFourOwn          // open-four points
	PlaneOpenFourOpp          //
	PlaneFourOwn              // four points
	PlaneFourOpp              //
	PlaneCapturableOwn        // own stones that the opponent could capture
	PlaneCapturableOpp        // the opponent's that the side to move could

	Planes // their number
)

// The scalar inputs of version 1, in order. A rule is 1 where it holds, else 0.
const (
	GlobalExactOwn     = iota // the side to move needs exactly five
	GlobalExactOpp            // the opponent does
	GlobalOppBlocks           // an opponent's stone blocks the end of a five
	GlobalEdgeBlocks          // the edge blocks the end of a five
	GlobalOverlineFree        // six or more win although ends block a five
	GlobalRenjuOwn            // renju restricts the side to move
	GlobalRenjuOpp            // renju restricts the opponent
	GlobalDoubleThree         // double free-threes are forbidden
	GlobalCaptures            // pairs are captured
	GlobalCapturedOwn         // stones that the side to move has taken / 10
	GlobalCapturedOpp         // stones that the opponent has taken / 10
	GlobalFill                // stones on the board / cells
	GlobalSize                // size / 20

	Globals // their number
)

var planeNames = [Planes]string{
	"board", "own", "opp", "forbidden",
	"five_own", "five_opp", "open_four_own", "open_four_opp", "four_own", "four_opp",
	"capturable_own", "capturable_opp",
}

var globalNames = [Globals]string{
	"exact_own", "exact_opp", "opp_blocks", "edge_blocks", "overline_free",
	"renju_own", "renju_opp", "double_three", "captures",
	"captured_own", "captured_opp", "fill", "size",
}

// PlaneNames returns the names of the input planes in order, in a slice of the
// caller's own.
func PlaneNames() []string { return slices.Clone(planeNames[:]) }

// GlobalNames returns the names of the scalar inputs in order, in a slice of
// the caller's own.
func GlobalNames() []string { return slices.Clone(globalNames[:]) }
