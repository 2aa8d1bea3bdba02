package interp

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// varying is one interpolated component: the slot that the vertex program writes and the slot that the
// pixel program reads.
type varying struct {
	from, to slot
	clamp    bool // a colour of the older models: 0..1
}

// linkage connects the outputs of a vertex program with the inputs of a pixel program. Slot 0 means none.
type linkage struct {
	varyings []varying
	fixed    []fill // inputs that the vertex program does not write
	pos      slot   // oPos or its o#
	vPos     slot   // 0: not read
	vFace    slot
	colors   [4]slot // oC#; 0: not written
	masks    [4]d3d9.Mask
	depthOut slot   // 0: not written
	outputs  []slot // of the written colours, four each, and of the depth
}

// linkStages matches inputs and outputs by semantic and component, whatever the models. oD# and v# below 3_0 are
// colours; oT# and t# are texture coordinates. It omits inputs that no instruction reads. It returns false
// if the vertex program writes no position.
func linkStages(vs, ps *Shader) (l linkage, ok bool) {
	for _, p := range vs.outputs {
		if p.Usage == d3d9.UsagePosition && p.Index == 0 {
			l.pos, ok = p.base, true
		}
	}
	for _, in := range ps.inputs {
		if in.Reg.File == d3d9.Misc {
			if in.Reg.Index == d3d9.VPosIndex {
				l.vPos = in.base
			} else {
				l.vFace = in.base
			}
			continue
		}
		clamp := in.Usage == d3d9.UsageColor && ps.model.Major < 3
		for c := range 4 {
			to := in.base + slot(c)
			if !in.Mask.Has(c) || !ps.reads[to] {
				continue
			}
			if from := vs.output(in.Usage, in.Index, c); from != 0 {
				l.varyings = append(l.varyings, varying{from, to, clamp})
			} else {
				l.fixed = append(l.fixed, fill{to, unwritten(ps.model, in.Usage, in.Index)})
			}
		}
	}
	for _, p := range ps.outputs {
		switch {
		case p.Reg.File == d3d9.DepthOut:
			l.depthOut = p.base
		case p.Reg.File == d3d9.ColorOut && p.Reg.Index < 4:
			l.colors[p.Reg.Index], l.masks[p.Reg.Index] = p.base, p.Mask
		}
	}
	for _, from := range l.colors {
		for c := range slot(4) {
			if from != 0 {
				l.outputs = append(l.outputs, from+c)
			}
		}
	}
	if l.depthOut != 0 {
		l.outputs = append(l.outputs, l.depthOut)
	}
	return l, ok
}

// output returns the slot of component c of the output of a semantic, or 0. Pixel programs cannot read the
// position, point size and fog of the older models.
func (s *Shader) output(u d3d9.Usage, index uint8, c int) slot {
	for _, p := range s.outputs {
		if p.Usage == u && p.Index == index && p.Mask.Has(c) && p.Reg.File != d3d9.RastOut {
			return p.base + slot(c)
		}
	}
	return 0
}
