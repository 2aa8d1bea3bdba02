package sched

import "github.com/shaderlift/shaderlift/asm/r600"

// Stats counts the contents of a program, as AMD's shader analyzer does.
//
// The instruction set documents separate clause temporaries from the registers of a program. The
// analyzer's register column, as AMD's tutorial prints it, only fits if they are counted. With them
// the count is within one register for all four kernels that can be written down. Without them it
// would be three to five too low. So GPRs includes them, and so does the number of wavefronts.
type Stats struct {
	Groups       int // instruction groups: the analyzer's ALU column
	Ops          int // slots used
	Fetches      int
	components   int // used components of fetch results, of four each
	GPRs         int // registers, including clause temporaries: see TempRegs
	Excess       int // registers beyond the limit of a thread: package sim assumes them in memory
	ALUClauses   int
	FetchClauses int
	Literals     int // literal words, 32 bits each
	temps        int // results kept in clause temporaries
	TempRegs     int // clause temporaries used
}

// Utilization returns the share of slots used.
func (s *Stats) Utilization() float64 { return share(s.Ops, 5*s.Groups) }

// FetchUtilization returns the mean share of fetched components used.
func (s *Stats) FetchUtilization() float64 { return share(s.components, 4*s.Fetches) }

// Intensity returns groups per fetch.
func (s *Stats) Intensity() float64 { return share(s.Groups, s.Fetches) }

func share(part, whole int) float64 {
	if whole == 0 {
		return 0
	}
	return float64(part) / float64(whole)
}

// count computes the statistics from the written program.
func (s *Scheduled) count(a *allocation) Stats {
	st := Stats{}
	for i := range s.Program.CF {
		cf := &s.Program.CF[i]
		switch {
		case cf.Op.RunsALU():
			st.ALUClauses++
		case len(cf.Fetches) > 0:
			st.FetchClauses++
		}
		for k := range cf.Fetches {
			st.Fetches++
			st.components += cf.Fetches[k].Components()
		}
		for k := range cf.Groups {
			st.group(&cf.Groups[k])
		}
	}
	st.GPRs = a.gprs + st.TempRegs
	st.Excess = max(0, a.gprs-s.Target.Usable())
	s.Program.GPRs = st.GPRs
	return st
}

func (st *Stats) group(g *r600.Group) {
	st.Groups++
	st.Ops += g.FilledSlots()
	st.Literals += len(g.Literals)
	for _, in := range g.Slots {
		if in != nil && in.Dst.Kind == r600.DstTemp {
			st.temps++
			st.TempRegs = max(st.TempRegs, int(in.Dst.Index)+1)
		}
	}
}
