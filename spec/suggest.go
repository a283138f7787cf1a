package spec

import "strings"

// nearest returns the candidate of which word is most likely a misspelling or a part, or "" if none is close.
func nearest(word string, candidates []string) string {
	if len(word) > 64 {
		return "" // distance takes quadratic time, and names are shorter
	}
	best, bestDistance := "", 1+max(1, len(word)/3)
	for _, c := range candidates {
		if strings.EqualFold(strings.ReplaceAll(word, "-", "_"), c) {
			return c
		}
		if d := distance(strings.ToLower(word), strings.ToLower(c)); d < bestDistance {
			best, bestDistance = c, d
		}
	}
	if best == "" {
		best = completion(strings.ToLower(word), candidates)
	}
	return best
}

// completion returns the candidate that begins with word or ends with it after an underscore, if there is only one.
func completion(word string, candidates []string) string {
	found := ""
	for _, c := range candidates {
		if len(word) < 3 || !strings.HasPrefix(c, word) && !strings.HasSuffix(c, "_"+word) {
			continue
		}
		if found != "" {
			return ""
		}
		found = c
	}
	return found
}

// distance returns the number of letters to insert, drop, replace or swap with their neighbour to turn a
// into b: the optimal string alignment distance, in time and space len(a)*len(b).
func distance(a, b string) int {
	rows := make([][]int, len(a)+1)
	for i := range rows {
		rows[i] = make([]int, len(b)+1)
		rows[i][0] = i
	}
	for j := range rows[0] {
		rows[0][j] = j
	}
	for i := 1; i <= len(a); i++ {
		for j := 1; j <= len(b); j++ {
			cost := 1
			if a[i-1] == b[j-1] {
				cost = 0
			}
			d := min(rows[i-1][j]+1, rows[i][j-1]+1, rows[i-1][j-1]+cost)
			if i > 1 && j > 1 && a[i-1] == b[j-2] && a[i-2] == b[j-1] {
				d = min(d, rows[i-2][j-2]+1)
			}
			rows[i][j] = d
		}
	}
	return rows[len(a)][len(b)]
}

// didYouMean returns the help for a name that is not in a list: the nearest name, and the list itself unless it is long and the guess is good.
func didYouMean(word string, legal []string) string {
	all := "legal: " + strings.Join(legal, ", ")
	if guess := nearest(word, legal); guess != "" {
		if len(legal) > 12 {
			return "did you mean " + guess + "?"
		}
		return "did you mean " + guess + "? " + all
	}
	return all
}
