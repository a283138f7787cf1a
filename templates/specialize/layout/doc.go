// Package layout is gofmt for texts that differ in names alone: it formats one of them and puts other names into the outcome. Filling
// in names costs a hundredth of formatting, and a file of pools has the same functions many times.
//
// # Why that is the same
//
// A text is taken apart at blank lines between declarations, where alignment ends, and each section is formatted by itself. What
// gofmt does with white space in a section depends on its tokens and line breaks, and on the lengths of names in two ways only:
//
//   - columns: comments behind code, the values of keyed literals over several lines, the types of fields, and declarations in
//     groups are aligned with those on the lines around, and so are the bodies of functions below each other; what is behind the last
//     column of a line moves nothing;
//   - a function body on one line stays there if it and what is before it are no longer than a hundred bytes.
//
// A section with no name where that matters keeps its layout whatever the names are (free). Where only the second matters, it does
// so as long as the lines stay short (tight); where the first does, as long as each name keeps its length (aligned). Where letters
// of a name might matter, in comments that are more than paragraphs, nothing is kept (odd). See [judge], which calls no section free
// that it does not know all about.
//
// A text that cannot be taken apart, because a part does not parse alone, is formatted as a whole.
package layout
