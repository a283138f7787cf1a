package cli

// usualWidth is the width of output that is not a terminal.
const usualWidth = 100

// leastWidth is the least width for narrow terminals.
const leastWidth = 40

// width is how many characters a line for w may have.
func width(w any) int {
	if file, ok := fileOf(w); ok && terminal(w) {
		if n := columns(file); n > 0 {
			return max(n, leastWidth)
		}
	}
	return usualWidth
}
