package d3d9

import (
	"strconv"
	"strings"

	"github.com/shaderlift/shaderlift/asm"
)

// In text, comment blocks of the bytecode are separate lines that every other assembler takes for
// comments:
//
//	//! comment 43544142 0000001c 00000063
//	//! 00000200 00000002
//
// The first line begins a block; lines that have only words continue it. The first word is the
// block's mark, here "CTAB".
const (
	blockMark  = "//!"
	blockWord  = "comment"
	blockWidth = 8 // words a line
)

// atCommentBlock reports whether a comment block begins here: the mark, then the word comment, in
// any spacing. A line of words alone belongs to a block only after such a line.
func (lx *lexer) atCommentBlock() bool {
	rest, ok := strings.CutPrefix(lx.src[lx.pos:], blockMark)
	if !ok {
		return false
	}
	rest, ok = strings.CutPrefix(strings.TrimLeft(rest, " \t"), blockWord)
	return ok && (rest == "" || !isWord(rest[0]))
}

// commentBlock reads the words of the block here and moves past the last. A block may be empty, as
// in bytecode.
func (lx *lexer) commentBlock() {
	lx.words = []uint32{}
	start := lx.place(lx.pos)
	lx.pos += strings.Index(lx.src[lx.pos:], blockWord) + len(blockWord)
	for lx.blockLine() && lx.nextBlockLine() {
	}
	if len(lx.words) > maxComment {
		lx.diags.add(asm.Errorf(start, "comment-too-long", "a comment of %d words does not fit its token", len(lx.words)))
	}
}

// blockLine reads the words up to the end of the line, and reports whether the line is well formed.
func (lx *lexer) blockLine() bool {
	end := lineEnd(lx.src, lx.pos)
	for {
		at := lx.pos
		for at < end && (lx.src[at] == ' ' || lx.src[at] == '\t' || lx.src[at] == '\r') {
			at++
		}
		if at == end {
			return true
		}
		stop := at
		for stop < end && isWord(lx.src[stop]) {
			stop++
		}
		w, err := strconv.ParseUint(lx.src[at:stop], 16, 32)
		if err != nil || stop-at != 8 {
			lx.diags.add(asm.Errorf(lx.place(at), "comment-word",
				"a comment block consists of words of eight hexadecimal digits"))
			lx.pos = end
			return false
		}
		lx.words = append(lx.words, uint32(w))
		lx.pos = stop
	}
}

// nextBlockLine moves to the words of the next line if it continues the block. A "//! comment" line
// begins another block: "comment" is not a hexadecimal number.
func (lx *lexer) nextBlockLine() bool {
	end := lineEnd(lx.src, lx.pos)
	if end == len(lx.src) {
		return false
	}
	line := lx.src[end+1 : lineEnd(lx.src, end+1)]
	trimmed := strings.TrimLeft(line, " \t")
	words, ok := strings.CutPrefix(trimmed, blockMark)
	if !ok {
		return false
	}
	first := strings.TrimLeft(words, " \t")
	if _, err := strconv.ParseUint(first[:min(8, len(first))], 16, 32); err != nil {
		return false
	}
	lx.pos = end + 1
	lx.newline()
	lx.fresh = false
	lx.pos += len(line) - len(words)
	return true
}

// appendComment appends a comment block as text, without a final newline.
func appendComment(b []byte, words []uint32, newline string) []byte {
	b = append(b, blockMark+" "+blockWord...)
	for i, w := range words {
		if i%blockWidth == 0 && i > 0 {
			b = append(append(b, newline...), blockMark...)
		}
		b = appendHex(append(b, ' '), w)
	}
	return b
}

// appendHex appends w as eight hexadecimal digits.
func appendHex(b []byte, w uint32) []byte {
	const digits = "0123456789abcdef"
	for shift := 28; shift >= 0; shift -= 4 {
		b = append(b, digits[w>>shift&0xf])
	}
	return b
}
