// Package rule has the help texts of the rules of poolgen vet, their places in the documentation, and the directives that silence what rules find.
package rule

import (
	"strings"

	"github.com/poolgen/poolgen/spec"
)

// Page is the page of the documentation that has a heading for each code.
const Page = "https://github.com/poolgen/poolgen/blob/main/docs/vet.md"

// URL returns the place of a code in the documentation.
func URL(code spec.Code) string { return Page + "#" + strings.ToLower(string(code)) }

// Doc returns the help of a rule, from the table of codes that it reports.
func Doc(codes ...spec.Code) string {
	var b strings.Builder
	for i, code := range codes {
		info, _ := spec.Explanation(string(code))
		if i == 0 {
			b.WriteString("report: " + info.Title)
		}
		b.WriteString("\n\n" + string(code) + ": " + info.Title + "\n" + info.Help)
	}
	return b.String()
}
