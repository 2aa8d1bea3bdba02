package unroll

import "github.com/shaderlift/shaderlift/ir"

// full replaces a loop by n copies of its body and, if e is not nil, of the part up to
// its exit.
func (m *copier) full(region *ir.Region, at int, e *exit, n int) {
	in := region.Code[at]
	body := in.Sub[0]
	var code []*ir.Instr
	carried := in.Args
	for range n {
		carried = m.body(&code, body, e, carried)
	}
	if e != nil {
		carried = m.until(&code, body, e, e.at, carried).Values(e.br.Args)
	}
	region.Code = append(region.Code[:at:at], append(code, region.Code[at+1:]...)...)
	same := map[*ir.Value]ir.Lane{}
	for k, v := range in.Results {
		same[v] = ir.Lane{V: carried[k]}
	}
	m.f.Replace(same)
}
