package naming

import (
	"fmt"
	"strings"
)

// String returns the name of v, or a number if it has none.
func String[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%T(%d)", v, v)
}

// Marshal returns the name of v as text, or an error if it has none.
func Marshal[T ~uint8](names []string, v T) ([]byte, error) {
	if int(v) < len(names) && names[v] != "" {
		return []byte(names[v]), nil
	}
	return nil, fmt.Errorf("%T(%d) has no name", v, v)
}

// Unmarshal sets v to the value named by text. The last argument is the name of the type in the error,
// which also lists the valid names.
func Unmarshal[T ~uint8](names []string, v *T, text []byte, what string) error {
	for i, n := range names {
		if n != "" && n == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("unknown %s %q (want %s)", what, text, formatList(names))
}

// formatList formats names as in "a, b or c".
func formatList(names []string) string {
	var all []string
	for _, n := range names {
		if n != "" {
			all = append(all, n)
		}
	}
	if len(all) < 2 {
		return strings.Join(all, "")
	}
	return strings.Join(all[:len(all)-1], ", ") + " or " + all[len(all)-1]
}
