package vcf_test

import "flag"

var (
	oraclePositions = flag.Int("positions", 40, "random positions per rule set for the comparison with the oracle")
	oracleRoom      = flag.Int("room", 3000, "positions that the oracle may look at before it gives up on one")
)

var replays = flag.Int("replays", 10, "wins per rule set to replay on roomy boards")

var densePositions = flag.Int("dense", 16, "crowded boards of full size per rule set")
