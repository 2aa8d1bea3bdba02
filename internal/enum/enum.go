// Package enum gives the values of an enumerated type their names, both ways. A type keeps
// its names in a table, in the order of its values, and writes its methods in terms of
// these functions; what is stored or sent holds names and never numbers.
package enum

import (
	"fmt"
	"strings"
)

// String is the name of v, or a number where it has none.
func String[T ~uint8](names []string, v T) string {
	if int(v) < len(names) {
		return names[v]
	}
	return fmt.Sprintf("%T(%d)", v, v)
}

// Marshal is the name of v as text. One that has none is an error.
func Marshal[T ~uint8](names []string, v T) ([]byte, error) {
	if int(v) < len(names) && names[v] != "" {
		return []byte(names[v]), nil
	}
	return nil, fmt.Errorf("%T(%d) has no name", v, v)
}

// Unmarshal sets v to the value that text names. The error calls it what, and lists the
// names there are.
func Unmarshal[T ~uint8](names []string, v *T, text []byte, what string) error {
	for i, n := range names {
		if n != "" && n == string(text) {
			*v = T(i)
			return nil
		}
	}
	return fmt.Errorf("unknown %s %q (want %s)", what, text, list(names))
}

// list is a, b or c.
func list(names []string) string {
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
