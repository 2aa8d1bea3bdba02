package il

import "strings"

// The lexer works line by line, since a statement is a line: pos walks from the
// first character of a statement to end, where its comment or the line's blanks
// begin.

// nextLine moves to the next line that is not blank or all comment, skipping both
// kinds. It returns false at the end of the source.
func (p *parser) nextLine() bool {
	for p.next < p.last {
		p.line++
		p.lineStart = p.next
		stop := p.last
		if n := strings.IndexByte(p.src[p.next:p.last], '\n'); n >= 0 {
			stop = p.next + n
			p.next = stop + 1
		} else {
			p.next = stop
		}
		p.pos, p.end = p.lineStart, stop
		if n := strings.IndexByte(p.src[p.pos:p.end], ';'); n >= 0 {
			p.end = p.pos + n
		}
		for p.end > p.pos && isBlank(p.src[p.end-1]) {
			p.end--
		}
		p.skipBlank()
		if p.pos < p.end {
			return true
		}
	}
	return false
}

// skipBlank moves past blanks within the statement.
func (p *parser) skipBlank() {
	for p.pos < p.end && isBlank(p.src[p.pos]) {
		p.pos++
	}
}

// peek is the character at pos, 0 at the end of the statement.
func (p *parser) peek() byte {
	if p.pos < p.end {
		return p.src[p.pos]
	}
	return 0
}

// take consumes the character c, with blanks before and after it.
func (p *parser) take(c byte) bool {
	p.skipBlank()
	if p.peek() != c || p.pos == p.end {
		return false
	}
	p.pos++
	p.skipBlank()
	return true
}

// run consumes the characters of a class, as many as there are.
func (p *parser) run(class func(byte) bool) string {
	start := p.pos
	for p.pos < p.end && class(p.src[p.pos]) {
		p.pos++
	}
	return p.src[start:p.pos]
}

// rest is what is left of the statement.
func (p *parser) rest() string { return p.src[p.pos:p.end] }

func isBlank(c byte) bool  { return c == ' ' || c >= '\t' && c <= '\r' && c != '\n' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// longestName is the length of the longest name that s begins with and that ends where
// a name can: before an underscore, a parenthesis or anything that is not part of a
// word. No name is longer than most. The underscore both joins and separates:
// uav_raw_load_id(1) is uav_raw_load with _id(1), though uav_raw is no name and
// sample_c has longer ones; hence the longest that is known.
func longestName(s string, most int, known func(string) bool) int {
	end := 0
	for end < min(len(s), most) && !isBlank(s[end]) {
		end++
	}
	for n := end; n > 0; n-- {
		if (n == len(s) || s[n] == '_' || !isWord(s[n])) && known(s[:n]) {
			return n
		}
	}
	return 0
}

// startsStatement reports whether s begins with a mnemonic, which tells a missing line
// break from other errors.
func startsStatement(s string) bool {
	return longestName(s, longest, func(name string) bool { _, ok := spellings[name]; return ok }) > 0
}
