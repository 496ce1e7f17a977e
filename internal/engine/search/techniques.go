package search

import (
	"fmt"
	"strings"

	"github.com/carozero/carozero/alphabeta"
	"github.com/carozero/carozero/internal/support/option"
)

// SetTechniques sets the techniques of the classical search that a list such as
// "rfp=off,lmr=80" names.
func SetTechniques(o *alphabeta.Options, list string) error {
	for _, item := range strings.Split(list, ",") {
		key, text, _ := strings.Cut(item, "=")
		technique, ok := option.Find(alphabeta.Techniques, key)
		if !ok {
			return fmt.Errorf("unknown technique %q: want %s", key, strings.Join(option.Keys(alphabeta.Techniques), ", "))
		}
		if err := technique.Set(o, text); err != nil {
			return fmt.Errorf("%s=%s: %w", key, text, err)
		}
	}
	return nil
}
