package trial

import (
	"math"

	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/verify/interp"
)

// A random draw can make a program index past the end of an array. It then reads unrelated constants, which
// an optimizer may use for other purposes. A difference that comes only from such reads does not count, see
// program.arrayAt. To detect it, programs are executed with every relative read moved to a copy of its
// parameter, far from all other constants.

// Bank is the copy of a parameter.
type Bank struct{ from, count, to int }

// bankSpace is the distance between copies, more than hardware models have registers.
const bankSpace = 1024

// Confine redirects the relative reads of a vertex program that has a constant table, and lists the copies
// to make. Without any, it returns p itself.
func Confine(p *d3d9.Program) (*d3d9.Program, []Bank) {
	if p == nil {
		return nil, nil
	}
	table, err := p.ConstantTable()
	if err != nil || table == nil {
		return p, nil
	}
	q := *p
	q.Insts = append([]d3d9.Inst(nil), p.Insts...)
	var banks []Bank
	for i := range q.Insts {
		in := &q.Insts[i]
		for k := range in.Sources() {
			s := &in.Src[k]
			if s.Rel.File == d3d9.NoFile || s.File != d3d9.Const {
				continue
			}
			if c := table.Lookup(s.Reg); c != nil {
				s.Index += uint16(bankOf(&banks, c).to - c.Index)
			}
		}
	}
	return &q, banks
}

// bankOf returns the copy of parameter c, and adds it if it is new.
func bankOf(banks *[]Bank, c *d3d9.Constant) Bank {
	for _, b := range *banks {
		if b.from == c.Index {
			return b
		}
	}
	b := Bank{c.Index, c.Count, bankSpace * (len(*banks) + 1)}
	*banks = append(*banks, b)
	return b
}

// copyBanks fills the copies with the constants that the program defines, or else with those that the host
// set. It changes no other register.
func (s *Version) copyBanks(k *interp.Constants) {
	for _, b := range s.Banks {
		for i := range b.count {
			var v [4]float32
			if b.from+i < len(k.Float) {
				v = k.Float[b.from+i]
			}
			for j := range s.programs.Vertex.Insts {
				in := &s.programs.Vertex.Insts[j]
				if in.Op == d3d9.OpDef && int(in.Dst.Index) == b.from+i {
					for c, bits := range in.Imm {
						v[c] = math.Float32frombits(bits)
					}
				}
			}
			k.SetFloat(b.to+i, v)
		}
	}
}
