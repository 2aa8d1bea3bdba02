package mutate

import "github.com/shaderlift/shaderlift/asm/il"

// ilInterfaceKinds change declarations: the inputs of a kernel, and the form of its launch. The host relies
// on them, and executions show few of the changes.
var ilInterfaceKinds = []Kind{
	{Name: "group-size", Declared: true, Dialect: IL, Doc: "a work group has twice as many threads",
		il: (*ilSite).groupSize},
	{Name: "local-size", Declared: true, Dialect: IL, Doc: "there is less local memory, or more", il: (*ilSite).localSize},
	{Name: "sharing-mode", Declared: true, Dialect: IL, Doc: "local memory is shared in another way",
		il: (*ilSite).sharingMode},
	{Name: "resource-type", Declared: true, Dialect: IL, Doc: "a resource has another shape", il: (*ilSite).resourceType},
	{Name: "resource-units", Declared: true, Dialect: IL,
		Doc: "the coordinates of a resource are no longer texels, or now are", il: (*ilSite).resourceUnits},
	{Name: "resource-format", Declared: true, Dialect: IL, Doc: "the elements of a resource have another type",
		il: (*ilSite).resourceFormat},
	{Name: "interpolation", Declared: true, Dialect: IL, Doc: "an input is interpolated in another way",
		il: (*ilSite).interpolation},
	{Name: "buffer-size", Declared: true, Dialect: IL,
		Doc: "a constant buffer or an array of registers has one element less", il: (*ilSite).bufferSize},
	{Name: "stage", Declared: true, Dialect: IL, Doc: "the kernel is one of several passes", il: (*ilSite).stage},
}

func (m *ilSite) groupSize() bool {
	in := m.statement()
	if in.Op != il.OpDclNumThreadPerGroup {
		return false
	}
	in.Imm[0] *= 2
	return true
}

// localSize halves the bytes of local memory, in whole words, or doubles them.
func (m *ilSite) localSize() bool {
	in := m.statement()
	if in.Op != il.OpDclLds && in.Op != il.OpDclLdsSizePerThread {
		return false
	}
	in.Imm[0] = choose(m.r, in.Imm[0]/8*4, in.Imm[0]*2)
	return true
}

// sharingMode toggles between memory that is shared relative to the wavefront and absolutely.
func (m *ilSite) sharingMode() bool {
	in := m.statement()
	if in.Op != il.OpDclLdsSharingMode {
		return false
	}
	in.Imm[0] ^= 1
	return true
}

func (m *ilSite) resourceType() bool {
	in := m.statement()
	if in.Op != il.OpDclResource {
		return false
	}
	old := in.Ctl.Tex
	in.Ctl.Tex = choose(m.r, il.Tex1D, il.Tex2D, il.Tex3D)
	return in.Ctl.Tex != old
}

func (m *ilSite) resourceUnits() bool {
	in := m.statement()
	if in.Op != il.OpDclResource {
		return false
	}
	in.Ctl.Unnorm = !in.Ctl.Unnorm
	return true
}

func (m *ilSite) resourceFormat() bool {
	in := m.statement()
	if in.Op != il.OpDclResource {
		return false
	}
	old := in.Ctl.Format[0]
	f := il.ElementFormat(m.r.IntN(int(il.FormatSNorm) + 4))
	in.Ctl.Format = [4]il.ElementFormat{f, f, f, f}
	return f != old
}

func (m *ilSite) interpolation() bool {
	in := m.statement()
	if in.Op != il.OpDclInput || in.Ctl.Interp == il.NoInterp {
		return false
	}
	old := in.Ctl.Interp
	in.Ctl.Interp = choose(m.r, il.InterpConstant, il.InterpLinear, il.InterpLinearCentroid, il.InterpLinearNoPerspective)
	return in.Ctl.Interp != old
}

// bufferSize removes the last element, so that reads of it become undefined.
func (m *ilSite) bufferSize() bool {
	in := m.statement()
	if in.Op != il.OpDclCB && in.Op != il.OpDclIndexedTempArray || in.Imm[0] < 2 {
		return false
	}
	in.Imm[0]--
	return true
}

// stage makes the kernel one of several passes, in the head line. It applies once, at the first statement.
func (m *ilSite) stage() bool {
	if m.i > 0 || m.k.MultiPass {
		return false
	}
	m.k.MultiPass = true
	m.k.Head = ""
	return true
}
