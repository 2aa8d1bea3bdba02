package il

import "strings"

// The lexer works line by line, since a statement is a line. pos moves from the first character of
// a statement to end, where its comment or trailing blanks begin.

// nextLine moves to the next line that has more than blanks and comments. It returns false at the
// end of the source.
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

// peek returns the character at pos, or 0 at the end of the statement.
func (p *parser) peek() byte {
	if p.pos < p.end {
		return p.src[p.pos]
	}
	return 0
}

// acceptChar consumes the character c, and blanks before and after it.
func (p *parser) acceptChar(c byte) bool {
	p.skipBlank()
	if p.peek() != c || p.pos == p.end {
		return false
	}
	p.pos++
	p.skipBlank()
	return true
}

// takeWhile consumes the longest sequence of characters of a class.
func (p *parser) takeWhile(class func(byte) bool) string {
	start := p.pos
	for p.pos < p.end && class(p.src[p.pos]) {
		p.pos++
	}
	return p.src[start:p.pos]
}

// rest returns the rest of the statement.
func (p *parser) rest() string { return p.src[p.pos:p.end] }

func isBlank(c byte) bool  { return c == ' ' || c >= '\t' && c <= '\r' && c != '\n' }
func isDigit(c byte) bool  { return c >= '0' && c <= '9' }
func isLetter(c byte) bool { return c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' }
func isWord(c byte) bool   { return isLetter(c) || isDigit(c) || c == '_' }

// longestName returns the length of the longest known name at the start of s. The name must end
// before an underscore, a parenthesis or another character that is not part of a word. No name is
// longer than most. The underscore both joins and separates: uav_raw_load_id(1) is uav_raw_load
// with _id(1). uav_raw is not a name, and sample_c is a prefix of longer names, so the longest
// known name is right.
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

// startsStatement reports whether s begins with a mnemonic. This distinguishes a missing line break
// from other errors.
func startsStatement(s string) bool {
	return longestName(s, longest, func(name string) bool { _, ok := spellings[name]; return ok }) > 0
}
