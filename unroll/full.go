package unroll

import "github.com/shaderlift/shaderlift/ir"

// unrollFully replaces a loop by copies of its trips and, if it has an exit, the part of the body before
// the exit. The results come from the exit's arguments or from the last trip.
func (m *copier) unrollFully(l *loop) {
	in, region := l.in, l.region
	body := in.Sub[0]
	var code []*ir.Instr
	carried := in.Args
	for range l.trips {
		carried = m.copyBody(&code, body, l.exit, carried)
	}
	if e := l.exit; e != nil {
		carried = m.until(&code, body, e, e.at, carried).Values(e.br.Args)
	}
	region.Code = append(region.Code[:l.at:l.at], append(code, region.Code[l.at+1:]...)...)
	same := map[*ir.Value]ir.Lane{}
	for k, v := range in.Results {
		same[v] = ir.Lane{V: carried[k]}
	}
	m.f.Replace(same)
}
