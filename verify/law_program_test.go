package verify

import (
	"fmt"
	"strings"
)

// LawContext is the code around a side of a law in a program. The zero value is empty.
type LawContext struct {
	// Before lists instructions that precede the side, and work on r0 to r2, which then hold inputs. After
	// lists instructions that follow it and work on r3, which becomes an output.
	Before, After []string
	// Bound maps the results of Before in r0 to r2 into the law's set of numbers.
	Bound bool
}

// Program returns a whole program around side, which is one of the sides of l.
func (l *law) Program(side string, c LawContext) string {
	vertex := l.Vertex()
	b := []string{l.Model, "def c20, 0, 1, -1, 0.5", "def c21, 2, 3, 4, 0.25", "def c22, 0.25, 4, 0, 1"}
	if vertex {
		b = append(b, "dcl_position v0", "dcl_texcoord0 v1", "dcl_texcoord1 v2", "dcl_texcoord2 v3", "dcl_position o0",
			"dcl_texcoord o1",
			"mov o0, v0", "mov r8, c20", "mov r9, c20")
	} else {
		b = append(b, "dcl_texcoord0 v1", "dcl_texcoord1 v2", "dcl_texcoord2 v3", "dcl_2d s0")
	}
	for i := range 3 {
		b = append(b, fmt.Sprintf("mov r%d, v%d", i, i+1))
	}
	b = append(b, c.Before...)
	for i := range 3 {
		if c.Bound {
			b = append(b, l.restrictRegister(i)...)
		}
	}
	for in := range strings.SplitSeq(side, ";") {
		b = append(b, strings.TrimSpace(in))
	}
	b = append(b, c.After...)
	if vertex {
		b = append(b, "mov o1, r3")
	} else {
		b = append(b, "mov oC0, r3")
	}
	return strings.Join(b, "\n") + "\n"
}

// Vertex reports whether the law applies to vertex programs.
func (l *law) Vertex() bool { return strings.HasPrefix(l.Model, "vs") }

// restrictRegister maps register i into the law's set of numbers, and keeps its sign.
func (l *law) restrictRegister(i int) (b []string) {
	switch l.Where {
	case nonZero:
		b = append(b, fmt.Sprintf("add r4, r%d_abs, c20.w", i))
	case moderate:
		b = append(b, fmt.Sprintf("max r4, r%d_abs, c22.x", i), "min r4, r4, c22.y")
	default:
		return nil
	}
	if l.Vertex() {
		return append(b, fmt.Sprintf("slt r5, r%d, c20.x", i), "mad r5, r5, -c21.x, c20.y", fmt.Sprintf("mul r%d, r4, r5", i))
	}
	return append(b, fmt.Sprintf("cmp r%d, r%d, r4, -r4", i, i))
}
