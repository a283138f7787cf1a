package memorymap

import "math"

// run is some columns of a row: one piece, or several that are too narrow for a column each.
type run struct {
	At, Columns int
	Bytes       amounts
	Pieces      int  // that have a part in it
	Ends        bool // the last of them does
}

// add adds a piece.
func (g *run) add(s slice) {
	g.Bytes.add(s.state, s.size)
	g.Pieces++
	g.Ends = s.ends
}

// join adds another run.
func (g *run) join(other run) {
	g.Bytes.join(other.Bytes)
	g.Pieces += other.Pieces
	g.Ends = other.Ends
}

// runs cuts the row at columns. A piece that ends in the column in which it begins shares that column with its neighbours: a small block in a large
// free range stays visible.
func (r *mapRow) runs() []run {
	c := cutter{columns: r.Columns, total: r.Size()}
	r.each(c.piece)
	return c.end()
}

// cutter makes runs.
type cutter struct {
	columns int
	total   float64
	seen    float64
	at      int // the next column
	narrow  run // pieces without a column so far
	runs    []run
}

// piece adds the next piece of the row.
func (c *cutter) piece(s slice) {
	c.seen += float64(s.size)
	end := min(int(math.Round(float64(c.columns)*c.seen/c.total)), c.columns)
	switch {
	case end <= c.at:
		c.narrow.add(s)
	case c.narrow.Pieces == 0:
		c.put(run{}, s, end)
	case end == c.at+1:
		c.put(c.narrow, s, end)
	default:
		c.keep(c.narrow, c.at+1)
		c.put(run{}, s, end)
	}
}

// put makes a run of the pieces without a column, and a piece.
func (c *cutter) put(g run, s slice, end int) {
	g.add(s)
	c.keep(g, end)
}

func (c *cutter) keep(g run, end int) {
	g.At, g.Columns = c.at, end-c.at
	c.runs, c.at, c.narrow = append(c.runs, g), end, run{}
}

// end finds room for the remaining pieces without a column: a column of the last run, or all of the run if it has only one.
func (c *cutter) end() []run {
	if c.narrow.Pieces == 0 {
		return c.runs
	}
	switch n := len(c.runs) - 1; {
	case n < 0 || c.at < c.columns:
		c.keep(c.narrow, c.columns)
	case c.runs[n].Columns > 1:
		c.runs[n].Columns--
		c.at--
		c.keep(c.narrow, c.columns)
	default:
		c.runs[n].join(c.narrow)
	}
	return c.runs
}
