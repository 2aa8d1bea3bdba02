package mutate

import (
	"errors"
	"math/rand/v2"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/asm/il"
	"github.com/shaderlift/shaderlift/verify"
)

// Pair is a pair of Direct3D 9 programs, or a single one.
type Pair = verify.Pair

// Subject is the original of a mutant: a pair, a single program or a kernel. Subjects are immutable;
// mutants are copies.
type Subject struct {
	Name   string // of the file or folder, or the seed and size of a generated program
	Pair   Pair
	Kernel *il.Kernel // nil for a pair
}

// Dialect returns the language of the subject.
func (s *Subject) Dialect() Dialect {
	if s.Kernel != nil {
		return IL
	}
	return D3D9
}

// Text returns the subject as text; a pair begins with the vertex program.
func (s *Subject) Text() string {
	if s.Kernel != nil {
		return string(il.Print(s.Kernel))
	}
	text := ""
	for _, p := range []*d3d9.Program{s.Pair.Vertex, s.Pair.Pixel} {
		if p != nil {
			text += string(d3d9.Print(p)) + "\n"
		}
	}
	return text
}

// Check asks the judge whether mutant may replace s.
func (s *Subject) Check(mutant *Subject, o verify.Options) verify.Report {
	if s.Kernel != nil {
		return verify.CheckKernel(s.Kernel, mutant.Kernel, o)
	}
	return verify.Check(s.Pair, mutant.Pair, o)
}

// Apply returns a mutant of s and the changed statement. It returns nil if the kind finds no place in s, or
// none that leaves it valid.
func (k *Kind) Apply(r *rand.Rand, s *Subject) (mutant *Subject, what string) {
	if k.Dialect != s.Dialect() {
		return nil, ""
	}
	if k.Dialect == IL {
		return k.applyIL(r, s)
	}
	return k.applyD3D9(r, s)
}

// maxInvalid bounds the invalid changes before a kind is given up for a program: each costs a copy, a check
// and a round trip through the file format.
const maxInvalid = 24

// applyD3D9 changes one program of a pair, preferring the pixel program in two of three cases.
func (k *Kind) applyD3D9(r *rand.Rand, s *Subject) (*Subject, string) {
	pixelFirst := r.IntN(3) > 0
	for range 2 {
		old := s.Pair.Vertex
		if pixelFirst {
			old = s.Pair.Pixel
		}
		if old != nil {
			if m, what := k.changeProgram(r, s, old, pixelFirst); m != nil {
				return m, what
			}
		}
		pixelFirst = !pixelFirst
	}
	return nil, ""
}

// changeProgram changes one stage. It searches from a random statement on for a place where the kind
// applies and leaves the program valid.
func (k *Kind) changeProgram(r *rand.Rand, s *Subject, old *d3d9.Program, pixel bool) (*Subject, string) {
	var p *d3d9.Program
	invalid := 0
	for n, first := 0, r.IntN(max(len(old.Insts), 1)); n < len(old.Insts) && invalid < maxInvalid; n++ {
		i := (first + n) % len(old.Insts)
		if p == nil {
			p = cloneProgram(old)
		}
		m := &d3d9Site{r: r, pair: s.Pair, p: p, i: i}
		if pixel {
			m.pair.Pixel = p
		} else {
			m.pair.Vertex = p
		}
		what := d3d9.Format(old.Model, &old.Insts[i])
		if old.Insts[i].Op == d3d9.OpComment {
			what = "the constant table"
		}
		if !k.d3d9(m) {
			continue
		}
		if after, err := validPair(s.Pair, m.pair); err == nil {
			return &Subject{Name: s.Name, Pair: after}, what
		}
		// The copy contains the change; the next attempt needs a new one.
		p = nil
		invalid++
	}
	return nil, ""
}

// cloneProgram returns a copy whose statements can be changed and inserted to. Its statements lack their
// text and words, so they are printed and written from their fields.
func cloneProgram(p *d3d9.Program) *d3d9.Program {
	q := *p
	q.Insts = append(make([]d3d9.Inst, 0, len(p.Insts)+8), p.Insts...)
	for i := range q.Insts {
		q.Insts[i].Raw, q.Insts[i].Text = nil, ""
	}
	return &q
}

var errSame = errors.New("nothing has changed")

// validPair checks a mutant and returns the contents of its file as read back, which a tool would see. It
// fails if they equal the original.
func validPair(before, after Pair) (Pair, error) {
	changed := false
	for _, side := range [][2]**d3d9.Program{{&before.Vertex, &after.Vertex}, {&before.Pixel, &after.Pixel}} {
		old, p := *side[0], *side[1]
		if p == nil || p == old {
			continue
		}
		if err := onlyOf(d3d9.Validate(p), d3d9.Validate(old)); err != nil {
			return after, err
		}
		data, err := d3d9.Write(p)
		if err != nil {
			return after, err
		}
		again, err := d3d9.Read("mutant", data)
		if err != nil {
			return after, err
		}
		changed = changed || !sameProgram(old, again)
		*side[1] = again
	}
	if !changed {
		return after, errSame
	}
	return after, nil
}

// sameProgram compares statements, not their text.
func sameProgram(a, b *d3d9.Program) bool {
	if a.Model != b.Model || len(a.Insts) != len(b.Insts) {
		return false
	}
	for i := range a.Insts {
		if !a.Insts[i].Same(&b.Insts[i]) {
			return false
		}
	}
	return true
}

// onlyOf returns the first diagnostic with a code that the original does not have. The mutant may break
// rules that the original breaks: programs of the corpus are real, and not all are strict.
func onlyOf(diags, old asm.Diags) error {
	codes := map[asm.Code]bool{}
	for _, d := range old {
		codes[d.Code] = true
	}
	for _, d := range diags {
		if !codes[d.Code] {
			return d
		}
	}
	return nil
}

// applyIL changes a kernel. It searches from a random statement on for a place where the kind applies and
// leaves the kernel valid.
func (k *Kind) applyIL(r *rand.Rand, s *Subject) (*Subject, string) {
	old := s.Kernel
	var c *il.Kernel
	invalid := 0
	for n, first := 0, r.IntN(max(len(old.Insts), 1)); n < len(old.Insts) && invalid < maxInvalid; n++ {
		i := (first + n) % len(old.Insts)
		if c == nil {
			c = cloneKernel(old)
		}
		what := il.Format(&old.Insts[i])
		if !k.il(&ilSite{r: r, k: c, i: i}) {
			continue
		}
		if after, err := validKernel(old, c); err == nil {
			return &Subject{Name: s.Name, Kernel: after}, what
		}
		c = nil
		invalid++
	}
	return nil, ""
}

func cloneKernel(k *il.Kernel) *il.Kernel {
	c := *k
	c.Insts = append(make([]il.Inst, 0, len(k.Insts)+8), k.Insts...)
	for i := range c.Insts {
		c.Insts[i].Text, c.Insts[i].Lead = "", "\n"
	}
	return &c
}

// validKernel checks a mutant and returns its text as read back; see validPair.
func validKernel(before, after *il.Kernel) (*il.Kernel, error) {
	again, err := il.Parse("mutant", il.Print(after))
	if err != nil {
		return nil, err
	}
	if err := onlyOf(il.Check(again), il.Check(before)); err != nil {
		return nil, err
	}
	if sameKernel(before, again) {
		return nil, errSame
	}
	return again, nil
}

func sameKernel(a, b *il.Kernel) bool {
	if a.Stage != b.Stage || a.MultiPass != b.MultiPass || len(a.Insts) != len(b.Insts) {
		return false
	}
	for i := range a.Insts {
		if !a.Insts[i].Same(&b.Insts[i]) {
			return false
		}
	}
	return true
}
