package report

import (
	"cmp"
	"fmt"
	"io"
	"strings"
	"text/tabwriter"

	"github.com/carozero/carozero/internal/engine/networks"
	"github.com/carozero/carozero/models"
)

// Shipped is what "models list" prints.
type Shipped []models.Entry

// Text implements [Report].
func (list Shipped) Text(w io.Writer) {
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	fmt.Fprintln(t, "name\talso\tarchitecture\tplanes\tsizes\trules")
	for _, m := range list {
		fmt.Fprintf(t, "%s\t%s\t%s\t%s\t%d-%d\t%s\n", m.Name, cmp.Or(m.Alias, "-"), m.Architecture, m.Planes, m.Sizes[0], m.Sizes[1], strings.Join(m.Rules, " "))
	}
	t.Flush()
	for _, m := range list {
		if len(m.Classical) > 0 {
			fmt.Fprintf(w, "%s judges for the classical search under %s\n", m.Name, strings.Join(m.Classical, " "))
		}
	}
}

// Models is what "models show" prints.
type Models []*networks.ModelInfo

// Text implements [Report].
func (list Models) Text(w io.Writer) {
	for _, m := range list {
		modelText(w, m)
	}
}

// modelText shows what is known of a network.
func modelText(w io.Writer, m *networks.ModelInfo) {
	temperature := ""
	if m.Temperature != 0 {
		temperature = fmt.Sprintf("policy logits divided by %g", m.Temperature)
	}
	t := tabwriter.NewWriter(w, 0, 0, 2, ' ', 0)
	for _, row := range [][2]string{
		{"name", m.Name}, {"sha256", m.SHA256}, {"planes", m.Planes}, {"rules", strings.Join(m.Rules, " ")},
		{"sizes", m.Sizes}, {"run", m.Run}, {"temperature", temperature}, {"architecture", m.Architecture}, {"provenance", m.Provenance},
		{"strength", m.Strength}, {"created", m.Created},
	} {
		if row[1] != "" {
			fmt.Fprintf(t, "%s\t%s\n", row[0], single(row[1]))
		}
	}
	t.Flush()
}

// ModelCheck says whether a network is in order.
type ModelCheck struct {
	Model string `json:"model"`
	OK    bool   `json:"ok"`
	Error string `json:"error,omitempty"`
}

// ModelChecks is what "models verify" prints.
type ModelChecks []ModelCheck

// Text implements [Report].
func (checks ModelChecks) Text(w io.Writer) {
	for _, c := range checks {
		if c.OK {
			fmt.Fprintf(w, "%s: ok\n", single(c.Model))
		} else {
			fmt.Fprintf(w, "%s: %s\n", single(c.Model), single(c.Error))
		}
	}
}
