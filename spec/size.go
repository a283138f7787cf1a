package spec

import (
	"fmt"
	"go/constant"
	"go/token"
	"go/types"
	"math"
	"math/big"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// unit is a suffix of a size.
type unit struct {
	name  string
	bytes int64
}

// units in descending order, binary ones first: [FormatSize] prefers these if two are equally short.
var units = []unit{
	{"TiB", 1 << 40}, {"GiB", 1 << 30}, {"MiB", 1 << 20}, {"KiB", 1 << 10},
	{"TB", 1e12}, {"GB", 1e9}, {"MB", 1e6}, {"KB", 1e3},
	{"B", 1},
}

// maxSize bounds every size in bytes. Sums and roundings of a few sizes cannot overflow 64 bits.
const maxSize = 1 << 62

// maxBlock bounds the size of one piece of memory by what 64-bit processors can address.
const maxBlock = 1 << 47

// maxGranule bounds the unit in which a heap counts, which depends on alignment and min_split.
const maxGranule = 2 << 30

// FormatSize prints a number of bytes exactly, in the unit that takes the fewest letters and no fraction:
// 64KiB, 3MB, 100B. NoLimit is "none".
func FormatSize(n int64) string {
	if n == NoLimit {
		return "none"
	}
	best := strconv.FormatInt(n, 10) + "B"
	for _, u := range units {
		if text := strconv.FormatInt(n/u.bytes, 10) + u.name; n != 0 && n%u.bytes == 0 && len(text) < len(best) {
			best = text
		}
	}
	return best
}

// sizeError says why a text is not a size, and what to write instead.
type sizeError struct {
	why, help string
}

const negative = "is negative"

var tooLarge = "is larger than " + FormatSize(maxSize)

const sizeGrammar = "write bytes (4096), or a number directly followed by B, KB, MB, GB, TB, KiB, MiB, GiB or TiB (64KiB)"

// parseSize reads a size as pool files write it: a decimal integer without leading zero, or a decimal
// number directly followed by a unit. A fraction needs a unit and must give whole bytes.
func parseSize(text string) (int64, *sizeError) {
	number, suffix := splitSize(text)
	if number == "" || len(text) > 40 {
		return 0, sizeHint(text)
	}
	factor := int64(1)
	if suffix != "" {
		u := unitNamed(suffix)
		if u == nil {
			return 0, sizeHint(text)
		}
		factor = u.bytes
	}
	whole, fraction, dotted := strings.Cut(number, ".")
	switch {
	case dotted && fraction == "", whole == "", strings.Contains(fraction, "."):
		return 0, sizeHint(text)
	case len(whole) > 1 && whole[0] == '0':
		return 0, &sizeError{"has a leading zero", "write " + trimZeros(number) + suffix}
	case dotted && (suffix == "" || suffix == "B"):
		return 0, &sizeError{"is a fraction of a byte", "write a whole number, or a unit after it (1.5MiB)"}
	}
	exact, _ := new(big.Rat).SetString(number)
	exact.Mul(exact, new(big.Rat).SetInt64(factor))
	if !exact.IsInt() {
		return 0, &sizeError{"is not a whole number of bytes", nearestWhole(exact)}
	}
	if n := exact.Num(); n.IsInt64() && n.Int64() <= maxSize {
		return n.Int64(), nil
	}
	return 0, &sizeError{tooLarge, "write a smaller size"}
}

// splitSize splits a size into its number and its unit.
func splitSize(text string) (number, suffix string) {
	i := 0
	for i < len(text) && (text[i] >= '0' && text[i] <= '9' || text[i] == '.') {
		i++
	}
	return text[:i], text[i:]
}

func unitNamed(name string) *unit {
	for i := range units {
		if units[i].name == name {
			return &units[i]
		}
	}
	return nil
}

func trimZeros(number string) string {
	trimmed := strings.TrimLeft(number, "0")
	if trimmed == "" || trimmed[0] == '.' {
		trimmed = "0" + trimmed
	}
	return trimmed
}

// nearestWhole proposes the whole number of bytes just below.
func nearestWhole(exact *big.Rat) string {
	below := new(big.Int).Quo(exact.Num(), exact.Denom())
	if !below.IsInt64() {
		return sizeGrammar
	}
	return "the nearest whole size is " + FormatSize(below.Int64())
}

// sizeHint returns the error about a malformed size, with the correct spelling if it can be guessed.
func sizeHint(text string) *sizeError {
	const why = "is not a size"
	compact := strings.ReplaceAll(strings.ReplaceAll(text, "_", ""), ",", "")
	if n, err := strconv.ParseInt(compact, 10, 64); err == nil && n >= 0 && compact != text {
		return &sizeError{why, fmt.Sprintf("write %d", n)}
	}
	if n, err := strconv.ParseInt(text, 0, 64); err == nil && n >= 0 {
		return &sizeError{why, fmt.Sprintf("write %d", n)}
	}
	if rest, minus := strings.CutPrefix(text, "-"); minus {
		if _, bad := parseSize(rest); bad == nil {
			return &sizeError{negative, "write " + rest}
		}
	}
	if slices.Contains(withoutBound, strings.ToLower(text)) {
		return &sizeError{why, sizeGrammar}
	}
	if n, ok := product(text); ok {
		return &sizeError{why, "write " + FormatSize(n)}
	}
	if f, err := strconv.ParseFloat(text, 64); err == nil && f >= 0 && f < maxSize && f == math.Trunc(f) && !strings.HasSuffix(text, ".") {
		return &sizeError{why, fmt.Sprintf("write %d", int64(f))}
	}
	if fixed := respell(text); fixed != "" {
		return &sizeError{why, "write " + fixed}
	}
	return &sizeError{why, sizeGrammar}
}

// withoutBound are other words for none.
var withoutBound = []string{"unlimited", "infinite", "infinity", "inf", "max", "maximum", "no", "off", "false", "null", "unbounded", "never"}

// product computes sizes that are written as an expression: 64 << 20, 64*1024*1024.
func product(text string) (int64, bool) {
	if !strings.ContainsAny(text, "*<+") || strings.Trim(text, "0123456789 *<+()_") != "" || len(text) > 40 {
		return 0, false
	}
	v, err := types.Eval(token.NewFileSet(), nil, token.NoPos, text)
	if err != nil || v.Value == nil {
		return 0, false
	}
	n, exact := constant.Int64Val(constant.ToInt(v.Value))
	return n, exact && n > 0 && n <= maxSize
}

// unitWords are units that are written out, or that pool files do not have.
var unitWords = map[string]string{
	"k": "KiB", "m": "MiB", "g": "GiB", "t": "TiB", "byte": "B", "bytes": "B",
	"kilobytes": "KB", "kilobyte": "KB", "kibibytes": "KiB", "megabytes": "MB", "megabyte": "MB", "mebibytes": "MiB",
	"gigabytes": "GB", "gigabyte": "GB", "gibibytes": "GiB", "terabytes": "TB", "terabyte": "TB", "tebibytes": "TiB",
}

// thousands begins with a number whose digits are in groups of three.
var thousands = regexp.MustCompile(`^[1-9][0-9]{0,2}(,[0-9]{3})+([^0-9,]|$)`)

// respell corrects spaces, the case of a unit, and abbreviated units.
func respell(text string) string {
	compact := strings.ReplaceAll(text, " ", "")
	switch {
	case thousands.MatchString(compact):
		compact = strings.ReplaceAll(compact, ",", "")
	case strings.Count(compact, ",") == 1 && !strings.Contains(compact, "."):
		compact = strings.Replace(compact, ",", ".", 1) // a decimal comma
	}
	number, suffix := splitSize(compact)
	short := strings.ToLower(strings.TrimSpace(suffix))
	if number == "" || short == "" {
		return ""
	}
	if n, err := strconv.ParseInt(number, 10, 64); err == nil && n > 0 && n < 4096 && (short == "pib" || short == "pb") {
		return FormatSize(n * map[string]int64{"pib": 1 << 50, "pb": 1e15}[short])
	}
	full := unitWords[short]
	if full == "" && len(short) == 2 && short[1] == 'i' {
		full = strings.ToUpper(short[:1]) + "iB"
	}
	for _, u := range units {
		if strings.EqualFold(u.name, short) {
			full = u.name
		}
	}
	if full == "" || number+full == text { // only another spelling can help
		return ""
	}
	n, bad := parseSize(number + full)
	if bad != nil {
		return ""
	}
	decimal := strings.Replace(full, "i", "", 1)
	switch {
	case len(short) == 1 && short != "b":
		return fmt.Sprintf("%s%s (%d bytes) or %s%s (powers of 1000)", number, full, n, number, decimal)
	case len(short) == 2 && full == decimal && strings.TrimSpace(suffix) != full: // 64Mb
		return fmt.Sprintf("%s%s (powers of 1000) or %s%siB (powers of 1024)", number, full, number, full[:1])
	}
	return number + full
}

// roundUp returns the smallest multiple of step that is at least n. n and step are at most maxSize.
func roundUp(n, step int64) int64 {
	if rest := n % step; rest != 0 {
		return n - rest + step
	}
	return n
}
