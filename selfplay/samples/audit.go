package samples

import "github.com/carozero/carozero/game"

// Audit says what resignation would have done to a game that was played on.
type Audit struct {
	Resigns string // "first", "second", or Nobody
	Ply     int    // moves before the resignation; 0 for Nobody
}

// Resigned reports whether a side would have resigned a game with the given result,
// and whether it has lost it. A nil Audit says no.
func (a *Audit) Resigned(result string) (would, lost bool) {
	if a == nil || a.Resigns == Nobody {
		return false, false
	}
	return true, result != game.Draw.String() && result != a.Resigns
}

// Nobody stands in Audit.Resigns where no side would have resigned.
const Nobody = "none"

// Keys of the header's search map about resignation.
const (
	AuditKey  = "resign_audit" // share of the games that are played on
	resignKey = "resign_at"
)

// auditStream separates the choice of audited games from other uses of a seed.
const auditStream = 0x6175646974

// Audited reports whether the game with a seed is one of the share that is played on
// where a side would resign.
func Audited(seed uint64, share float64) bool {
	return float64(GameSeed(seed^auditStream, 0)>>11)/(1<<53) < share
}
