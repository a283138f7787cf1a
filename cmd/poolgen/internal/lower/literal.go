package lower

import (
	"fmt"
	"strings"
)

// Literal is a composite literal: its fields in the order of the struct, their values as Go code.
type Literal []Field

// Field is one field of a Literal.
type Field struct{ Name, Value string }

// set appends a field if it is to be there.
func (l *Literal) set(when bool, name, value string) {
	if when {
		*l = append(*l, Field{name, value})
	}
}

// flag appends a field that is true, if it is.
func (l *Literal) flag(name string, is bool) { l.set(is, name, "true") }

// Go returns the literal of a type with a line for each field, not formatted; "" if it has none.
func (l Literal) Go(typ string) string {
	if len(l) == 0 {
		return ""
	}
	var b strings.Builder
	b.WriteString(typ + "{\n")
	for _, f := range l {
		b.WriteString(f.Name + ": " + f.Value + ",\n")
	}
	b.WriteString("}")
	return b.String()
}

// inline returns the literal of a type on one line.
func (l Literal) inline(typ string) string {
	fields := make([]string, len(l))
	for i, f := range l {
		fields[i] = f.Name + ": " + f.Value
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
