package iface

import (
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift/asm/spirv"
	"github.com/shaderlift/shaderlift/verify/internal/symbolic"
)

// ModulePorts are the interface variables of an entry point, as the symbolic executor needs them.
type ModulePorts struct {
	// PerVertex: the stage reads inputs of single vertices.
	PerVertex bool
	inputs    []port
	outputs   []port
}

// PortsOf reads the interface variables of an entry point.
func PortsOf(s ModuleStage) (*ModulePorts, error) {
	f, err := newFace(s, moduleTypes{})
	if err != nil {
		return nil, err
	}
	p := &ModulePorts{}
	for _, in := range f.inputs { // found by location
		p.PerVertex = p.PerVertex || in.has(spirv.DecorationPerVertexKHR)
		p.inputs = append(p.inputs, in)
	}
	for _, out := range f.outputs {
		p.outputs = append(p.outputs, out)
	}
	return p, nil
}

// has reports whether a port has a decoration.
func (p port) has(kind spirv.Decoration) bool { return strings.Contains(p.how, kind.String()+"[") }

// at returns the port that covers a component of a location.
func at(list []port, location uint32, component uint8) (found port) {
	best := -1
	for _, p := range list {
		if !p.builtin && p.location <= location && location < p.end && p.component <= uint32(component) && int(p.component) > best {
			best, found = int(p.component), p
		}
	}
	return found
}

// Interpolation returns how an input is interpolated.
func (p *ModulePorts) Interpolation(location uint32, component uint8) (way symbolic.Interpolation) {
	in := at(p.inputs, location, component)
	for kind, bit := range map[spirv.Decoration]symbolic.Interpolation{ // a set
		spirv.DecorationNoPerspective: symbolic.InterpLinear,
		spirv.DecorationCentroid:      symbolic.InterpCentroid,
		spirv.DecorationSample:        symbolic.InterpSample,
	} {
		if in.has(kind) {
			way |= bit
		}
	}
	if in.flat {
		way = symbolic.InterpFlat
	}
	if in.relaxed {
		way |= symbolic.InterpHalf
	}
	return way
}

// Declares reports whether the stage declares an input with a component of a location.
func (p *ModulePorts) Declares(location uint32, component uint8) bool {
	return slices.ContainsFunc(p.inputs, func(in port) bool {
		return !in.builtin && in.location <= location && location < in.end && in.component <= uint32(component) &&
			uint32(component) < in.component+in.width
	})
}

// Feedback reports whether transform feedback records an output.
func (p *ModulePorts) Feedback(location uint32, component uint8) bool {
	return at(p.outputs, location, component).has(spirv.DecorationOffset)
}

// Invariant reports whether an output is invariant.
func (p *ModulePorts) Invariant(location uint32, component uint8) bool {
	return at(p.outputs, location, component).has(spirv.DecorationInvariant)
}
