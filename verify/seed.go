package verify

import (
	"encoding/binary"
	"hash/fnv"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// seeded is o with a seed that everything that is compared goes into: both versions as they are spelt,
// and what of the options says which question is asked. So nobody can write a program for the numbers
// that it will be tried with (short of a search over programs), and the same question has the same
// answer on every machine. Lengths go in before lists, so that no two questions have one spelling.
func (o Options) seeded(texts ...[]byte) Options {
	h := fnv.New64a()
	// All numbers are of eight bytes.
	word := func(x uint64) {
		var b [8]byte
		binary.LittleEndian.PutUint64(b[:], x)
		h.Write(b[:])
	}
	// The question: the caller's seed, numerics, uploads and what is promised of constants.
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
		word(uint64(c.Stage)<<40 | regKey(c.Reg))
		word(uint64(c.Bits))
	}
	// And both versions.
	for _, text := range texts {
		word(uint64(len(text)))
		h.Write(text)
	}
	o.Seed = symbolic.Mix(h.Sum64())
	return o
}

// spelt are the programs of a pair as they are written, or could be, for hashing.
func (p Pair) spelt() (texts [][]byte) {
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

// speltKernels are kernels as they print, for hashing.
func speltKernels(list ...*il.Kernel) (texts [][]byte) {
	for _, k := range list {
		texts = append(texts, il.Print(k))
	}
	return texts
}
