package verify

import (
	"crypto/sha256"
	"encoding/binary"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// seeded returns o with a seed that is the SHA-256 hash of the whole question: both versions as written, and
// the options that affect the answer. The primes, points and keyed functions of proofs and the inputs of
// executions follow from it. A program therefore cannot be written for its test numbers, except by a search
// over programs. The same question has the same answer on every machine. Lengths precede lists, so that no
// two questions have the same encoding.
func (o Options) seeded(texts ...[]byte) Options {
	h := sha256.New()
	// All numbers take eight bytes.
	word := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	// The question: the caller's seed, numerics, uploads and promised constants.
	word(o.Seed)
	word(uint64(o.Numerics))
	for _, list := range [][]Upload{o.Uploads, o.Mirrored} {
		word(uint64(len(list)))
		for _, u := range list {
			word(uint64(u.Stage())<<32 | uint64(u.From)<<16 | uint64(u.To))
		}
	}
	word(uint64(len(o.Constants)))
	for _, c := range o.Constants {
		word(uint64(c.Stage)<<40 | symbolic.RegKey(c.Reg))
		word(uint64(c.Bits))
	}
	// Both versions.
	for _, text := range texts {
		word(uint64(len(text)))
		h.Write(text)
	}
	o.Seed = binary.LittleEndian.Uint64(h.Sum(nil))
	return o
}

// speltPrograms returns the bytes, or else the text, of a pair's programs for hashing.
func speltPrograms(p Pair) (texts [][]byte) {
	for _, prog := range []*d3d9.Program{p.Vertex, p.Pixel} {
		var text []byte
		if prog != nil {
			var err error
			if text, err = d3d9.Write(prog); err != nil {
				text = d3d9.Print(prog)
			}
		}
		texts = append(texts, text)
	}
	return texts
}

// speltKernels returns the text of kernels for hashing.
func speltKernels(list ...*il.Kernel) (texts [][]byte) {
	for _, k := range list {
		texts = append(texts, il.Print(k))
	}
	return texts
}
