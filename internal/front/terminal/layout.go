package terminal

// layout says what is where on the screen.
type layout struct {
	small bool // there is no room for a board
	board board

	boardX, boardY                          int
	cardsX, cardsWidth                      int // 0 wide: the cards are in the panel, or there are none
	panelX, panelY, panelWidth, panelHeight int // 0 wide: no panel
	messageY, promptY                       int
}

// Measures of the screen, in columns and lines.
const (
	leastWidth  = 32
	leastHeight = 10
	leastPanel  = 22
	menuWidth   = 44
	frameLines  = 3  // title, message, prompt
	usualBody   = 24 // lines for the panel, if the board leaves so many
	gap         = 2  // between board, cards and panel
)

// layout returns what is where at the present size.
func (m *model) layout() *layout {
	l := &layout{small: m.width < leastWidth || m.height < leastHeight, boardY: 1}
	if l.small {
		return l
	}
	body := m.height - frameLines
	b := &l.board
	*b = board{
		Display: m.record.variant.Display(m.record.pos), glyphs: m.glyphs, palette: &m.palette,
		cursor: m.cursor, from: m.from, hint: m.hint, cellWidth: 2, cellHeight: 1, left: m.left, top: m.top,
	}
	size := b.Size
	switch {
	case m.showNumbers && m.record.variant.Columns() > 0:
		b.cellWidth = 3
	case 4*size+boardMargin+leastPanel+gap <= m.width && 2*size <= body:
		b.cellWidth, b.cellHeight = 4, 2
	}
	b.columns = min(size, (m.width-boardMargin)/b.cellWidth)
	b.rows = min(size, (body-1+b.cellHeight-1)/b.cellHeight)
	b.left, b.top = min(b.left, size-b.columns), min(b.top, size-b.rows)

	body = min(body, max(b.height(), usualBody)) // on tall screens the prompt stays near the board
	l.messageY, l.promptY = body+1, body+2
	l.panelX, l.panelY, l.panelHeight = b.width()+gap, 1, body
	if len(m.menus) > 0 {
		if l.panelWidth = m.width - l.panelX; l.panelWidth < menuWidth {
			l.panelX, l.panelWidth = 0, m.width // over everything else
		}
		return l
	}
	if b.Hands != nil && body >= cardsHeight && m.width-l.panelX >= cardsWidth {
		l.cardsX, l.cardsWidth = l.panelX, cardsWidth
		l.panelX += cardsWidth + gap
	}
	if l.panelWidth = m.width - l.panelX; l.panelWidth < leastPanel {
		l.panelWidth = 0
	}
	return l
}

// follow keeps the cursor among the rows and columns that are seen.
func (m *model) follow() {
	l := m.layout()
	if l.small {
		return
	}
	b := &l.board
	column, row := m.cursor%b.Size, b.Size-1-m.cursor/b.Size
	m.left = min(max(b.left, column-b.columns+1), column)
	m.top = min(max(b.top, row-b.rows+1), row)
}
