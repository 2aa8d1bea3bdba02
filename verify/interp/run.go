package interp

import (
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// Words is one register over many invocations, with one slice per component. In an input, a nil component
// reads 0 throughout.
type Words [4][]float32

// Result is the result of Run.
type Result struct {
	Out    []Words // in the order of Shader.Outputs
	Killed []bool  // pixel programs: texkill hit the fragment
}

// Run executes a program over n invocations with the given inputs, which parallel Shader.Inputs. Four
// consecutive fragments are a quad: left to right, then down; n is a multiple of 4 for a pixel program. A
// missing input reads 0. Run neither changes nor keeps the inputs.
func (s *Shader) Run(env *Env, n int, in []Words) (*Result, error) {
	if len(in) > len(s.inputs) || n < 0 || s.model.Stage == d3d9.Pixel && n%4 != 0 {
		return nil, asm.Errorf(asm.Pos{}, "bad-run", "%d inputs over %d invocations do not fit a %s program", len(in), n,
			s.model)
	}
	for _, w := range in {
		for _, x := range w {
			if x != nil && len(x) < n {
				return nil, asm.Errorf(asm.Pos{}, "bad-run", "an input has %d values for %d invocations", len(x), n)
			}
		}
	}
	res := &Result{Out: make([]Words, len(s.outputs))}
	for i := range res.Out {
		for c := range 4 {
			if s.outputs[i].Mask.Has(c) {
				res.Out[i][c] = make([]float32, n)
			}
		}
	}
	if s.model.Stage == d3d9.Pixel {
		res.Killed = make([]bool, n)
	}
	m := newMachine(s, env)
	defer m.release()
	for first := 0; first < n; first += Lanes {
		m.loadInputs(in, first, n)
		if m.lane = -1; env.Trace != nil && env.Trace.At >= first && env.Trace.At < min(n, first+Lanes) {
			m.begin(env.Trace.At - first)
		}
		if err := m.batch(); err != nil {
			return nil, err
		}
		for i := first; i < min(n, first+Lanes) && m.seen != nil; i++ {
			if m.seen.lanes>>(i-first)&1 != 0 {
				m.seen.recordWild(i)
			}
		}
		for i, p := range s.outputs {
			for c := range 4 {
				if w := res.Out[i][c]; w != nil {
					copy(w[first:], m.r[p.base+slot(c)][:])
				}
			}
		}
		for i := first; i < min(n, first+Lanes) && res.Killed != nil; i++ {
			res.Killed[i] = m.killed>>(i-first)&1 != 0
		}
	}
	return res, nil
}

// loadInputs fills the inputs of a batch, starting at invocation first. Lanes past the last invocation repeat the
// last quad, or the last vertices.
func (m *machine) loadInputs(in []Words, first, n int) {
	for i, p := range m.sh.inputs {
		for c := range 4 {
			if !p.Mask.Has(c) {
				continue
			}
			d := &m.r[p.base+slot(c)]
			if i >= len(in) || in[i][c] == nil {
				*d = Vec{}
				continue
			}
			k := copy(d[:], in[i][c][first:n])
			for ; k < Lanes; k++ {
				d[k] = d[max(k-4, 0)]
			}
		}
		m.flushInput(p)
	}
}
