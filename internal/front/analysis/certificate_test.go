package analysis

import (
	"encoding/json"
	"fmt"
	"testing"

	"github.com/carozero/carozero/game/gomoku/certificate"
)

// A won turn has a certificate that its checker believes, whoever is to move and whether
// or not the winner is named; another side's win is not found.
func TestCertificates(t *testing.T) {
	const won = `"rules":"freestyle","moves":["h8","a1","i8","a3","j8","a5","k8"]`
	said := finals(t, small(),
		`{"id":"lost","action":"query_certificate",`+won+`}`,
		`{"id":"won","action":"query_certificate","turnNumber":6,"winner":"black",`+won+`}`,
		`{"id":"other","action":"query_certificate","turnNumber":6,"winner":"W","maxNodes":2000,`+won+`}`,
	)
	for id, plies := range map[string]int{"lost": 2, "won": 3} {
		var c Certificate
		if err := json.Unmarshal(said[id]["certificate"], &c); err != nil || c.Winner != "B" || c.Plies != plies {
			t.Errorf("%s: %s, %v", id, said[id], err)
			continue
		}
		proof, err := certificate.Decode(c.File)
		if err == nil {
			err = proof.Check(t.Context())
		}
		if err != nil || c.SHA256 != fmt.Sprintf("%x", certificate.Digest(c.File)) || len(proof.Moves) != c.Nodes {
			t.Errorf("%s: %+v: %v", id, c, err)
		}
	}
	if string(said["other"]["code"]) != `"failed"` || said["other"]["certificate"] != nil {
		t.Errorf("%s", said["other"])
	}
}
