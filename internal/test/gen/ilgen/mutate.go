package ilgen

import (
	"bytes"
	"math/rand/v2"
)

// words lists pieces of the language for insertion at wrong places.
var words = []string{"mov ", "mad_ieee", "_sat", "_x2", ".xy", ".0y", "._", "_neg(y)", "_abs", "r1", "l0", "cb0[",
	"[r1.x+2]", "g[", "x0[",
	"whileloop\n", "endloop\n", "if_logicalnz r0.x\n", "else\n", "endif\n", "switch r0.x\n", "case 1\n", "default\n", "endswitch\n", "break\n",
	"continue\n", "call 1\n", "func 1\n", "ret\n", "endfunc\n", "endmain\n", "end\n", "dcl_literal l0, 1, 2, 3, 4\n", "dcl_cb cb0[1]\n", "0x", "-", "1e9", "4294967295", ";"}

// Mutate damages a text in one to four places. It truncates the text, changes bits and characters, removes,
// repeats or exchanges lines, or inserts words at wrong places. Parsers reject most results; some have
// another meaning, and a few the same.
func Mutate(text []byte, r *rand.Rand) []byte {
	text = bytes.Clone(text)
	for range 1 + r.IntN(4) {
		if len(text) == 0 {
			break
		}
		text = mutations[r.IntN(len(mutations))](text, r)
	}
	return text
}

// mutations lists the ways to damage a text that is not empty; likelier ones are listed twice. They may
// write to their argument.
var mutations = []func([]byte, *rand.Rand) []byte{
	func(t []byte, r *rand.Rand) []byte { return t[:r.IntN(len(t)+1)] },
	func(t []byte, r *rand.Rand) []byte { t[r.IntN(len(t))] ^= 1 << r.IntN(8); return t },
	changeCharacter, changeCharacter, insertWord, insertWord, removePart, exchangeLines, repeatLine,
}

func changeCharacter(t []byte, r *rand.Rand) []byte {
	const characters = "rlvcoxgyzw0123.,_[]()+- \n;"
	t[r.IntN(len(t))] = characters[r.IntN(len(characters))]
	return t
}

func insertWord(t []byte, r *rand.Rand) []byte {
	at := r.IntN(len(t) + 1)
	if r.IntN(2) == 0 { // at the beginning of a line
		at = bytes.LastIndexByte(t[:at], '\n') + 1
	}
	return bytes.Join([][]byte{t[:at], []byte(words[r.IntN(len(words))]), t[at:]}, nil)
}

func removePart(t []byte, r *rand.Rand) []byte {
	at := r.IntN(len(t))
	return append(t[:at], t[min(at+1+r.IntN(8), len(t)):]...)
}

func exchangeLines(t []byte, r *rand.Rand) []byte {
	lines := bytes.Split(t, []byte("\n"))
	i, j := r.IntN(len(lines)), r.IntN(len(lines))
	lines[i], lines[j] = lines[j], lines[i]
	return bytes.Join(lines, []byte("\n"))
}

func repeatLine(t []byte, r *rand.Rand) []byte {
	lines := bytes.Split(t, []byte("\n"))
	line := lines[r.IntN(len(lines))]
	return append(append(t, '\n'), line...)
}
