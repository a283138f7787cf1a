package cli

// usualWidth is for what is no terminal.
const usualWidth = 100

// leastWidth is for terminals of which little is seen.
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
