package lower

import (
	"fmt"
	"strings"
)

// Literal is a composite literal: its fields in the order of the struct, their values as Go code.
type Literal []field

// field is one field of a Literal.
type field struct{ name, value string }

// set appends a field if a condition holds.
func (l *Literal) set(when bool, name, value string) {
	if when {
		*l = append(*l, field{name, value})
	}
}

// flag appends a field with the value true if a condition holds.
func (l *Literal) flag(name string, is bool) { l.set(is, name, "true") }

// lines returns the literal of a type with a line for each field, not formatted; "" if it has none.
func (l Literal) lines(typ string) string {
	if len(l) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(typ + "{\n")
	for _, f := range l {
		b.WriteString(f.name + ": " + f.value + ",\n")
	}
	b.WriteString("}")
	return b.String()
}

// inline returns the literal of a type on one line.
func (l Literal) inline(typ string) string {
	fields := make([]string, len(l))
	for i, f := range l {
		fields[i] = f.name + ": " + f.value
	}
	return typ + "{" + strings.Join(fields, ", ") + "}"
}

// slice is the literal of a slice, on one line.
func slice[T any](element string, list []T, value func(T) string) string {
	values := make([]string, len(list))
	for i, v := range list {
		values[i] = value(v)
	}
	return "[]" + element + "{" + strings.Join(values, ", ") + "}"
}

// quoted is a string literal.
func quoted[T ~string](s T) string { return fmt.Sprintf("%q", string(s)) }
