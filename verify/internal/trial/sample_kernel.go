package trial

import (
	"fmt"
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp/kernel"
)

// OfLaunch converts the results of launch l to a sample: outputs by invocation, and each memory as a part
// with its own points. An unused memory keeps its initial contents.
func OfLaunch(r *kernel.Result, l *kernel.Case) *Sample {
	s := &Sample{N: r.Width * r.Height, width: r.Width}
	if r.Discarded != nil {
		s.on = make([]bool, s.N)
		for i, d := range r.Discarded {
			s.on[i] = !d
		}
	}
	for i, out := range r.Out {
		s.vector(fmt.Sprintf("o%d", i), out)
	}
	s.scalar("oDepth", r.Depth, true)
	s.scalar("oMask", r.Mask, false)
	memory := func(name string) {
		first := l.Memory(name)
		words := r.Named(name)
		if words == nil {
			words = first
		}
		s.memory(name, words, first)
	}
	memory("g")
	for _, v := range l.Views {
		memory(fmt.Sprintf("u%d", v.ID))
	}
	for _, m := range r.Shares {
		part := &Sample{N: len(m.Words)}
		part.scalar(fmt.Sprintf("gds%d", m.ID), m.Words, false)
		first := l.Share(m.ID)
		for i, w := range m.Words {
			if i >= len(first) && w != 0 || i < len(first) && w != first[i] {
				part.written++
			}
		}
		s.parts = append(s.parts, part)
	}
	return s
}

// vector adds one channel for each component of vectors of four words.
func (s *Sample) vector(name string, words []uint32) {
	for c := 0; c < 4 && c < len(words); c++ {
		s.chans = append(s.chans, Channel{name: name + "." + "xyzw"[c:c+1], words: words[c:], stride: 4})
	}
}

// scalar adds a channel of one word per point, unless words is nil.
func (s *Sample) scalar(name string, words []uint32, exact bool) {
	if words != nil {
		s.chans = append(s.chans, Channel{name: name, exact: exact, words: words, stride: 1})
	}
}

// memory adds a memory and counts its changed elements.
func (s *Sample) memory(name string, words, first []uint32) {
	part := &Sample{N: len(words) / 4}
	part.vector(name, words)
	for i := range part.N {
		if 4*i+4 > len(first) || !slices.Equal(words[4*i:4*i+4], first[4*i:4*i+4]) {
			part.written++
		}
	}
	s.parts = append(s.parts, part)
}

// Release marks everything as loose.
func (s *Sample) Release() {
	s.loose = true
	for _, part := range s.parts {
		part.Release()
	}
}

// Loosen marks where s differs from another sample of the same program on the same input.
func (s *Sample) Loosen(other *Sample) {
	s.loose = s.loose || !slices.Equal(s.on, other.on)
	for k := range s.chans {
		ch := &s.chans[k]
		for i := 0; i < s.N && !ch.loose; i++ {
			ch.loose = ch.bitsAt(i) != other.chans[k].bitsAt(i)
		}
	}
	for k, part := range s.parts {
		part.Loosen(other.parts[k])
	}
}
