package spec

import (
	"strconv"
	"strings"
	"time"
)

const durationGrammar = "write a number with ns, us, ms, s, m or h: 250ms, 1m30s"

// duration reads a length of time.
func (r *reader) duration(n *node, k *Key) (time.Duration, bool) {
	text, ok := r.scalar(n, k.Name)
	if !ok {
		return 0, false
	}
	d, err := time.ParseDuration(text)
	switch {
	case err != nil:
		help := durationGrammar
		if _, err := strconv.ParseUint(text, 10, 32); err == nil {
			help = "write the unit, too: " + text + "s or " + text + "ms"
		} else if fixed := respellDuration(text); fixed != "" {
			help = "write " + fixed
		}
		r.fail(codeNumber, n, help, "%s %s is not a duration", k.Name, quote(text))
	case d < 0:
		r.fail(codeNumber, n, "write "+d.Abs().String(), "%s %s is negative", k.Name, d)
	default:
		return d, true
	}
	return 0, false
}

// durationWords maps other abbreviations of units of time to Go's.
var durationWords = map[string]string{
	"sec": "s", "secs": "s", "second": "s", "seconds": "s", "msec": "ms", "millis": "ms", "milliseconds": "ms", "usec": "us", "min": "m", "mins": "m",
	"minute": "m", "minutes": "m", "hour": "h", "hours": "h", "hr": "h",
}

// respellDuration corrects spaces, capitals and words; "" if that is not enough.
func respellDuration(text string) string {
	number, unit := splitSize(strings.ToLower(strings.ReplaceAll(text, " ", "")))
	if short := durationWords[unit]; short != "" {
		unit = short
	}
	if _, err := time.ParseDuration(number + unit); err != nil {
		return ""
	}
	return number + unit
}
