// Package casetext reads the text form of cases, of draws and of launches: a statement a line,
// of words that blanks or commas separate. What the words mean is up to its callers, which is why
// it opens no files.
package casetext

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Reader gives the words of a line after each other. After the first error every read gives zero,
// so that statements are read without looking at each of their words.
type Reader struct {
	Err *asm.Diag // the first thing that is wrong

	file  string
	line  int
	words []string
	cols  []int // of words, from 1
	next  int
}

// New returns a reader of a file, whose name diagnostics carry.
func New(file string) *Reader { return &Reader{file: file} }

// Lines calls statement for each line that says something, up to the first error, with the first
// word of the line. Behind a "#" is a comment. What statement leaves of its line is an error.
func (r *Reader) Lines(text []byte, statement func(key string)) *asm.Diag {
	for line := range strings.SplitSeq(string(text), "\n") {
		r.line++
		if line, _, _ = strings.Cut(line, "#"); !r.split(line) {
			continue
		}
		statement(r.Word())
		if r.More() {
			r.next++
			r.Fail("extra-value", "%q is one value too many", r.words[r.next-1])
		}
		if r.Err != nil {
			break
		}
	}
	return r.Err
}

// split cuts a line into words.
func (r *Reader) split(line string) bool {
	r.words, r.cols, r.next = r.words[:0], r.cols[:0], 0
	for i := 0; i < len(line); {
		n := strings.IndexAny(line[i:], " \t\r,")
		if n < 0 {
			n = len(line) - i
		}
		if n > 0 {
			r.words, r.cols = append(r.words, line[i:i+n]), append(r.cols, i+1)
		}
		i += n + 1
	}
	return len(r.words) > 0
}

// Fail reports an error at the word that was read last, unless there was one before.
func (r *Reader) Fail(code asm.Code, format string, args ...any) {
	if r.Err == nil {
		pos := asm.Pos{File: r.file, Line: r.line, Col: r.cols[max(0, min(r.next, len(r.cols))-1)]}
		r.Err = asm.Errorf(pos, code, format, args...)
	}
}

// Statement is where the line begins that is being read, and End where the last one does.
func (r *Reader) Statement() asm.Pos { return asm.Pos{File: r.file, Line: r.line, Col: r.cols[0]} }
func (r *Reader) End() asm.Pos       { return asm.Pos{File: r.file, Line: r.line, Col: 1} }

// Left is the number of words that are left of the line.
func (r *Reader) Left() int { return len(r.words) - r.next }

// More reports whether there are any, and no error.
func (r *Reader) More() bool { return r.Err == nil && r.Left() > 0 }

// Peek is the next word of the line, empty at its end.
func (r *Reader) Peek() string {
	if r.Left() == 0 {
		return ""
	}
	return r.words[r.next]
}

// Word is the next word of the line.
func (r *Reader) Word() string {
	if r.Left() == 0 {
		r.Fail("missing-value", "%s lacks values", r.words[0])
		return ""
	}
	r.next++
	return r.words[r.next-1]
}

// Int is a decimal number from lo to hi; lo after an error.
func (r *Reader) Int(lo, hi int) int { return int(r.Int64(int64(lo), int64(hi))) }

// Int64 is Int for numbers that an int of 32 bits does not hold.
func (r *Reader) Int64(lo, hi int64) int64 {
	w := r.Word()
	v, err := strconv.ParseInt(w, 10, 64)
	if r.Err == nil && (err != nil || v < lo || v > hi) {
		r.Fail("bad-number", "%q is not a number from %d to %d", w, lo, hi)
	}
	if r.Err != nil {
		return lo
	}
	return v
}

// Float is a number of 32 bits.
func (r *Reader) Float() float32 {
	w := r.Word()
	v, ok := ParseFloat(w)
	if !ok {
		r.Fail("bad-number", "%q is not a number", w)
	}
	return v
}

// Floats are all numbers that are left of the line, of which there are limit at most.
func (r *Reader) Floats(limit int) []float32 {
	if n := r.Left(); n > limit {
		r.Fail("too-much-data", "%d values where %d at most can be", n, limit)
		return nil
	}
	list := make([]float32, 0, r.Left())
	for r.More() {
		list = append(list, r.Float())
	}
	return list
}

// Choice is the place of the next word in names.
func (r *Reader) Choice(names ...string) int {
	w := r.Word()
	i := slices.Index(names, w)
	if i < 0 {
		r.Fail("bad-word", "%q is none of %s", w, strings.Join(names, ", "))
		return 0
	}
	return i
}

// ParseFloat is the number of 32 bits that w spells. One too large for that is an infinity.
func ParseFloat(w string) (float32, bool) {
	v, err := strconv.ParseFloat(w, 32)
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		err = nil
	}
	return float32(v), err == nil
}
