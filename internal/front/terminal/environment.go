package terminal

import (
	"runtime"
	"slices"
	"strings"
)

// Environment is what a process knows of its terminal by its variables.
type Environment struct {
	Plain bool // it can show lines only
	ASCII bool // it shows no letters beyond ASCII, as far as is known
}

// ParseEnvironment reads variables as [os.Environ] has them. On Windows, whose
// consoles need none, only TERM=dumb says anything.
func ParseEnvironment(variables []string) Environment {
	value := func(name string) string {
		for _, v := range slices.Backward(variables) {
			if key, text, ok := strings.Cut(v, "="); ok && key == name {
				return text
			}
		}
		return ""
	}
	windows := runtime.GOOS == "windows"
	term := value("TERM")
	e := Environment{Plain: term == "dumb" || term == "" && !windows}
	if windows {
		return e
	}
	locale := value("LC_ALL")
	for _, name := range []string{"LC_CTYPE", "LANG"} {
		if locale == "" {
			locale = value(name)
		}
	}
	locale = strings.ReplaceAll(strings.ToLower(locale), "-", "")
	e.ASCII = !strings.Contains(locale, "utf8") || slices.Contains(asciiTerminals, term)
	return e
}

// asciiTerminals are those whose fonts have few letters, whatever the locale.
var asciiTerminals = []string{"linux", "ansi", "vt52", "vt100", "vt102", "vt220", "vt320", "cons25", "sun"}
