// Package casetext reads the text form of cases, of draws and of launches: one statement a line, with words
// separated by blanks or commas. Callers interpret the words; the package opens no files.
package casetext

import (
	"slices"
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// Reader returns the words of a line in order. After the first error every read returns zero, so callers
// need not check each word.
type Reader struct {
	Err *asm.Diag // the first error

	file  string
	line  int
	words []string
	cols  []int // of words, from 1
	next  int
}

// New returns a reader of a file with the given name, which diagnostics contain.
func New(file string) *Reader { return &Reader{file: file} }

// Lines calls statement with the first word of each nonempty line, until the first error. A "#" starts a
// comment. Words that statement leaves unread are an error.
func (r *Reader) Lines(text []byte, statement func(key string)) *asm.Diag {
	for line := range strings.SplitSeq(string(text), "\n") {
		r.line++
		if line, _, _ = strings.Cut(line, "#"); !r.split(line) {
			continue
		}
		statement(r.NextWord())
		if r.HasMore() {
			r.next++
			r.Fail("extra-value", "%q is one value too many", r.words[r.next-1])
		}
		if r.Err != nil {
			break
		}
	}
	return r.Err
}

// split splits a line into words.
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

// Fail reports an error at the word that was read last, unless an error was reported before.
func (r *Reader) Fail(code asm.Code, format string, args ...any) {
	if r.Err == nil {
		pos := asm.Pos{File: r.file, Line: r.line, Col: r.cols[max(0, min(r.next, len(r.cols))-1)]}
		r.Err = asm.Errorf(pos, code, format, args...)
	}
}

// Statement returns the position where the current line begins. End returns the end of the last line.
func (r *Reader) Statement() asm.Pos { return asm.Pos{File: r.file, Line: r.line, Col: r.cols[0]} }
func (r *Reader) End() asm.Pos       { return asm.Pos{File: r.file, Line: r.line, Col: 1} }

// remaining returns the number of unread words of the line.
func (r *Reader) remaining() int { return len(r.words) - r.next }

// HasMore reports whether unread words remain and no error occurred.
func (r *Reader) HasMore() bool { return r.Err == nil && r.remaining() > 0 }

// Peek returns the next word of the line, or "" at its end.
func (r *Reader) Peek() string {
	if r.remaining() == 0 {
		return ""
	}
	return r.words[r.next]
}

// NextWord returns the next word of the line.
func (r *Reader) NextWord() string {
	if r.remaining() == 0 {
		r.Fail("missing-value", "%s lacks values", r.words[0])
		return ""
	}
	r.next++
	return r.words[r.next-1]
}

// Int returns a decimal number from lo to hi, or lo after an error.
func (r *Reader) Int(lo, hi int) int { return int(r.Int64(int64(lo), int64(hi))) }

// Int64 returns a decimal number from lo to hi that may exceed an int of 32 bits.
func (r *Reader) Int64(lo, hi int64) int64 {
	w := r.NextWord()
	v, err := strconv.ParseInt(w, 10, 64)
	if r.Err == nil && (err != nil || v < lo || v > hi) {
		r.Fail("bad-number", "%q is not a number from %d to %d", w, lo, hi)
	}
	if r.Err != nil {
		return lo
	}
	return v
}

// Float returns a number of 32 bits.
func (r *Reader) Float() float32 {
	w := r.NextWord()
	v, ok := ParseFloat(w)
	if !ok {
		r.Fail("bad-number", "%q is not a number", w)
	}
	return v
}

// Floats returns all remaining numbers of the line, at most limit.
func (r *Reader) Floats(limit int) []float32 {
	if n := r.remaining(); n > limit {
		r.Fail("too-much-data", "%d values where %d at most can be", n, limit)
		return nil
	}
	list := make([]float32, 0, r.remaining())
	for r.HasMore() {
		list = append(list, r.Float())
	}
	return list
}

// Choice returns the index of the next word in names.
func (r *Reader) Choice(names ...string) int {
	w := r.NextWord()
	i := slices.Index(names, w)
	if i < 0 {
		r.Fail("bad-word", "%q is none of %s", w, strings.Join(names, ", "))
		return 0
	}
	return i
}

// ParseFloat parses a number of 32 bits. Numbers out of range become infinities.
func ParseFloat(w string) (float32, bool) {
	v, err := strconv.ParseFloat(w, 32)
	if e, ok := err.(*strconv.NumError); ok && e.Err == strconv.ErrRange {
		err = nil
	}
	return float32(v), err == nil
}
