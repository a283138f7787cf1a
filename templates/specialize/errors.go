package specialize

import (
	"fmt"
	"go/token"
	"strings"
)

// Error says why a template cannot be specialised as asked.
type Error struct {
	// Param is the parameter, as in [Instance.Bind], whose value the template refuses: one of its
	// compile-time assertions fails, or the value is no legal Go. It is "" when the template or the
	// instance is at fault, which is a bug and not a mistake of the user.
	Param string
	// Params are all parameters that the failing assertion depends on, Param first.
	Params []string
	// Taken is the name that the output would declare, and that a type, a value or an import of the caller has: a mistake of the
	// user, too. It is "" when something else is wrong.
	Taken string
	// Pos is the place in the template, as file:line:column; "" when there is none.
	Pos string
	// Msg says what is wrong. For a failed assertion it is the comment on the assertion.
	Msg string
	// Detail is what the type checker said, if Msg is something else.
	Detail string
}

// Error returns the place, the parameter and the message.
func (e *Error) Error() string {
	var b strings.Builder
	if e.Pos != "" {
		b.WriteString(e.Pos + ": ")
	}
	if e.Param != "" {
		b.WriteString("parameter " + e.Param + ": ")
	}
	b.WriteString(e.Msg)
	if e.Detail != "" {
		b.WriteString(" (" + e.Detail + ")")
	}
	return b.String()
}

// at makes an Error at a place of a template.
func (p *program) at(pos token.Pos, format string, args ...any) *Error {
	return &Error{Pos: p.position(pos), Msg: fmt.Sprintf(format, args...)}
}

// position formats pos; the file is named by its package's directory and its own name.
func (p *program) position(pos token.Pos) string {
	if !pos.IsValid() {
		return ""
	}
	return p.fset.Position(pos).String()
}

// ofParam makes an Error about the value of a parameter.
func ofParam(key, format string, args ...any) *Error {
	return &Error{Param: key, Params: []string{key}, Msg: fmt.Sprintf(format, args...)}
}

// fault makes an Error that has no place.
func fault(format string, args ...any) *Error {
	return &Error{Msg: fmt.Sprintf(format, args...)}
}
