package memorymap

import (
	"bufio"
	"fmt"
	"io"
	"math/bits"

	"github.com/poolgen/poolgen/internal/figure"
	poolrt "github.com/poolgen/poolgen/runtime"
)

// Paper describes the medium of text.
type Paper struct {
	Width  int  // characters of a line
	Rows   int  // about how many lines a map may have
	Colour bool // by escape sequences
}

// textPerBlock is the mean number of cells of a block, if there is room.
const textPerBlock = 1

// leastCells is the smallest number of cells in a line, however narrow the paper is.
const leastCells = 16

// Text draws the chunks of a pool, a line for each row, and a legend below them.
func Text(w io.Writer, p *poolrt.PoolSnapshot, paper Paper) error {
	out := bufio.NewWriter(w)
	if len(p.Chunks) > 0 {
		m := textMap{out: out, pool: p, paper: paper}
		m.fit()
		m.rows()
		m.legend()
	}
	return out.Flush()
}

// textMap is the map of one pool.
type textMap struct {
	out   *bufio.Writer
	pool  *poolrt.PoolSnapshot
	paper Paper
	label int // characters of an address
	cells int // of a line, a power of two: a cell has a round number of bytes
	list  []mapRow
	seen  [256]bool // letters
}

// fit computes how many cells there is room for.
func (m *textMap) fit() {
	for _, c := range m.pool.Chunks {
		m.label = max(m.label, len(Place(m.pool, c.Addr+c.Size)))
	}
	room := max(m.paper.Width-m.label-2, leastCells)
	m.cells = 1 << (bits.Len(uint(room)) - 1)
	m.list = layOut(m.pool.Chunks, m.cells, m.paper.Rows, textPerBlock)
}

// Place writes an address: of memory in hexadecimal, of numbered resources in decimal.
func Place(p *poolrt.PoolSnapshot, addr uint64) string {
	if p.Unit == "bytes" {
		return fmt.Sprintf("%#x", addr)
	}
	return fmt.Sprint(addr)
}

func (m *textMap) rows() {
	for i := range m.list {
		r := &m.list[i]
		fmt.Fprintf(m.out, " %*s ", m.label, Place(m.pool, r.Addr))
		colour := ""
		for _, c := range r.cells() {
			letter, state := c.letter()
			m.seen[letter] = true
			if next := looks[state].ansi; m.paper.Colour && next != colour {
				fmt.Fprintf(m.out, "\x1b[%sm", next)
				colour = next
			}
			m.out.WriteByte(letter)
		}
		if colour != "" {
			m.out.WriteString("\x1b[0m")
		}
		if beside := about(m.list[i:], m.pool.Unit); beside != "" && m.label+2+m.cells+2+len(beside) <= m.paper.Width {
			fmt.Fprintf(m.out, "%*s", m.cells-r.Columns+2+len(beside), beside)
		}
		m.out.WriteByte('\n')
	}
}

// about returns the text beside the first line of a chunk, or of several.
func about(list []mapRow, unit string) string {
	if !list[0].Start {
		return ""
	}
	whole := chunkOf(list)
	text := fmt.Sprintf("%s, %.0f%%", figure.Size(whole.memory(), unit), whole.percent())
	if n := list[0].Chunks; n > 1 {
		text = fmt.Sprintf("%d: %s", n, text)
	}
	return text
}

// chunkOf sums the rows of the chunk that begins in the first row.
func chunkOf(list []mapRow) (whole amounts) {
	for i := 0; i < len(list) && (i == 0 || !list[i].Start); i++ {
		whole.join(list[i].inStates())
	}
	return whole
}

// legend explains the letters that occur, and how many bytes each stands for.
func (m *textMap) legend() {
	var parts []string
	for _, s := range stack {
		if l := looks[s]; m.seen[l.letter] {
			letter := string(l.letter)
			if letter == " " {
				letter = "space"
			}
			parts = append(parts, letter+" "+l.name)
		}
		if s == poolrt.PieceLive && m.seen[partly] {
			parts = append(parts, string(partly)+" live in part")
		}
	}
	indent := m.label + 1
	if indent > m.paper.Width/3 {
		indent = 1
	}
	at := 0
	for _, part := range append(parts, "each letter is "+figure.Size(perColumn(m.list), m.pool.Unit)) {
		if at > 0 && at+2+len(part) > m.paper.Width {
			m.out.WriteByte('\n')
			at = 0
		}
		gap := 2
		if at == 0 {
			gap = indent + 1
		}
		fmt.Fprintf(m.out, "%*s%s", gap, "", part)
		at += gap + len(part)
	}
	m.out.WriteByte('\n')
}
