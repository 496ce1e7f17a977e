package analysis

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/carozero/carozero/game"
	"github.com/carozero/carozero/internal/engine/games"
)

// Dialect is how moves are written.
type Dialect string

// The dialects.
const (
	Native Dialect = ""       // as everywhere in this program: h8
	KataGo Dialect = "katago" // as in KataGo: columns in capital letters without I, or "(x,y)" from the top left
)

// ParseDialect returns the dialect of that name, "native" or "katago".
func ParseDialect(name string) (Dialect, error) {
	switch name {
	case "native":
		return Native, nil
	case string(KataGo):
		return KataGo, nil
	}
	return Native, fmt.Errorf("unknown dialect %q: want native or katago", name)
}

// notation returns the texts of a variant's moves. Games whose moves are no cells
// have one notation.
func (d Dialect) notation(v games.Variant) game.Notation {
	if d == KataGo && v.Columns() > 0 {
		return gtp{v.Columns()}
	}
	return v.Notation()
}

// longestMove bounds the text of a move, in bytes.
const longestMove = 64

// parseMove reads the text of one move.
func parseMove(n game.Notation, text string) (game.Move, error) {
	if len(text) > longestMove {
		return game.NoMove, fmt.Errorf("a move of %d bytes: want at most %d", len(text), longestMove)
	}
	moves, err := n.ParseMoves(text)
	if err != nil {
		return game.NoMove, err
	}
	if len(moves) != 1 {
		return game.NoMove, fmt.Errorf("%q are %d moves: want one", text, len(moves))
	}
	return moves[0], nil
}

// gtp is the notation of KataGo on a square board: a column letter without I and
// the number of the row from below.
type gtp struct{ size int }

var _ game.Notation = gtp{}

// columns are the letters of columns.
const columns = "ABCDEFGHJKLMNOPQRSTUVWXYZ"

// FormatMove implements [game.Notation].
func (n gtp) FormatMove(m game.Move) string {
	return string(columns[int(m)%n.size]) + strconv.Itoa(int(m)/n.size+1)
}

// FormatMoves implements [game.Notation]: moves are separated by spaces.
func (n gtp) FormatMoves(moves []game.Move) string {
	texts := make([]string, len(moves))
	for i, m := range moves {
		texts[i] = n.FormatMove(m)
	}
	return strings.Join(texts, " ")
}

// ParseMoves implements [game.Notation].
func (n gtp) ParseMoves(text string) ([]game.Move, error) {
	var moves []game.Move
	for _, word := range strings.Fields(text) {
		x, y, ok := n.place(word)
		if !ok {
			return nil, fmt.Errorf("%q is no point: want a column A-%c without I and a row 1-%d, or (x,y) from the top left", word, columns[n.size-1], n.size)
		}
		moves = append(moves, game.Move(y*n.size+x))
	}
	return moves, nil
}

// place reads one point.
func (n gtp) place(word string) (x, y int, ok bool) {
	if inner, cut := strings.CutPrefix(word, "("); cut {
		left, right, _ := strings.Cut(strings.TrimSuffix(inner, ")"), ",")
		x, errX := strconv.Atoi(left)
		down, errY := strconv.Atoi(right)
		y = n.size - 1 - down
		return x, y, errX == nil && errY == nil && strings.HasSuffix(word, ")") && n.has(x) && n.has(y)
	}
	x = strings.IndexByte(columns, word[0]&^0x20)
	row, err := strconv.ParseUint(word[1:], 10, 8)
	y = int(row) - 1
	return x, y, err == nil && n.has(x) && n.has(y)
}

// has reports whether a column or row is on the board.
func (n gtp) has(i int) bool { return i >= 0 && i < n.size }

// Perspective is whose rates are shown.
type Perspective string

// The perspectives, as KataGo's setting reportAnalysisWinratesAs names them.
const (
	SideToMove Perspective = "SIDETOMOVE"
	AsBlack    Perspective = "BLACK"
	AsWhite    Perspective = "WHITE"
)

// ParsePerspective returns the perspective of that name, in any case.
func ParsePerspective(name string) (Perspective, error) {
	switch p := Perspective(strings.ToUpper(name)); p {
	case SideToMove, AsBlack, AsWhite:
		return p, nil
	}
	return "", fmt.Errorf("unknown side %s: want BLACK, WHITE or SIDETOMOVE", shown(name))
}

// flips reports whether what is good for side is to be shown as bad.
func (p Perspective) flips(side game.Side) bool {
	return p == AsBlack && side == game.Second || p == AsWhite && side == game.First
}

// PlayerOf returns the name of a side: the first player is Black.
func PlayerOf(side game.Side) string {
	if side == game.First {
		return "B"
	}
	return "W"
}

// parsePlayer returns the side of a name, in any case.
func parsePlayer(name string) (game.Side, bool) {
	switch strings.ToLower(name) {
	case "b", "black", "first":
		return game.First, true
	case "w", "white", "second":
		return game.Second, true
	}
	return game.First, false
}

// winnerOf returns who has won a game.
func winnerOf(o game.Outcome) string {
	switch o {
	case game.FirstWins:
		return PlayerOf(game.First)
	case game.SecondWins:
		return PlayerOf(game.Second)
	}
	return "none"
}

// shown returns a text of a peer as messages show it: quoted, and shortened.
func shown(text string) string {
	const most = 40
	if len(text) > most {
		return strconv.Quote(strings.ToValidUTF8(text[:most], "")) + "..."
	}
	return strconv.Quote(text)
}
