package spirv

import (
	"fmt"
	"sync"
)

// Stage is the execution model of an entry point.
type Stage uint32

// The stages that the interpreter executes.
const (
	Vertex   Stage = 0
	Fragment Stage = 4
	Compute  Stage = 5
)

// Program is a translated entry point. Several goroutines can run it.
type Program struct {
	Stage Stage
	Name  string // of the entry point
	// Group is the size of a work group, and Shared reports whether its invocations share memory. A batch is one group then.
	Group  [3]uint32
	Shared bool

	main      *function
	functions []*function
	variables []*variable
	resources map[Resource]int
	inputs    []Component
	outputs   []Component
	slots     int
	initial   []uint32 // words of the constants
	undefined []span   // constants without a value
	machines  sync.Pool
}

// Resource identifies a buffer, an image or a sampler. Element is the number in an array of descriptors; resources of a
// program have the element 0.
type Resource struct {
	Push                  bool // the push constants; Set and Binding are 0
	Set, Binding, Element uint32
}

// Kind is the type of a component.
type Kind uint8

// The kinds of components. A Bool is 0 or 1.
const (
	Float Kind = iota
	Int
	Uint
	Bool
)

// Component is one word of the interface. A built-in variable counts its words from 0; a variable with a location has
// components 0 to 3.
type Component struct {
	IsBuiltIn          bool
	BuiltIn            uint32
	Location           uint32
	Index              uint32 // second source of blending
	Component          uint32
	Kind               Kind
	Flat               bool
	NoPerspective      bool
	Centroid, AtSample bool

	slot int32
}

// Variable names the variable of a component.
func (c Component) Variable() string {
	switch name := builtInNames[c.BuiltIn]; {
	case !c.IsBuiltIn:
		return fmt.Sprintf("location%d", c.Location)
	case name != "":
		return name
	}
	return fmt.Sprintf("BuiltIn%d", c.BuiltIn)
}

// String names a component.
func (c Component) String() string {
	if c.IsBuiltIn {
		return fmt.Sprintf("%s[%d]", c.Variable(), c.Component)
	}
	return fmt.Sprintf("%s.%c", c.Variable(), "xyzw"[c.Component&3])
}

// modeLocalSize is the execution mode LocalSize (SPIR-V specification, 3.6).
const modeLocalSize = 17

// The built-in variables that the interpreter computes in a draw or in a work group (SPIR-V specification, 3.21).
const (
	Position      = 0
	FragCoord     = 15
	FrontFacing   = 17
	sampleMask    = 20
	fragmentDepth = 22
	helperLane    = 23
	vertexIndex   = 42

	numWorkgroups      = 24
	workgroupSize      = 25
	workgroupID        = 26
	localInvocationID  = 27
	globalInvocationID = 28
	localIndex         = 29
)

var builtInNames = map[uint32]string{0: "Position", 1: "PointSize", 3: "ClipDistance", 4: "CullDistance", 7: "PrimitiveId",
	9: "Layer", 10: "ViewportIndex", 15: "FragCoord", 16: "PointCoord", 17: "FrontFacing", 18: "SampleId", 20: "SampleMask",
	22: "FragDepth", 23: "HelperInvocation", 42: "VertexIndex", 43: "InstanceIndex"}

// Inputs lists the components of the input variables: first in the order of the entry point's interface.
func (p *Program) Inputs() []Component { return p.inputs }

// Outputs lists the components of the output variables.
func (p *Program) Outputs() []Component { return p.outputs }

// interfaces lists the components of all input and output variables.
func (c *compiler) interfaces() {
	for _, v := range c.p.variables {
		if v.class != classInput && v.class != classOutput {
			continue
		}
		w := &componentWalk{c: c, slot: v.slot}
		w.walk(v.t, c.decorated(Component{}, c.m.decorations[v.id]))
		if v.class == classInput {
			c.p.inputs = append(c.p.inputs, w.list...)
		} else {
			c.p.outputs = append(c.p.outputs, w.list...)
		}
	}
}

// decorated returns a component changed by decorations.
func (c *compiler) decorated(x Component, list []decoration) Component {
	set := func(kind uint32, into *uint32) bool {
		v, ok := find(list, kind)
		if ok {
			*into = v
		}
		return ok
	}
	x.IsBuiltIn = set(decorationBuiltIn, &x.BuiltIn) || x.IsBuiltIn
	set(decorationLocation, &x.Location)
	set(decorationIndex, &x.Index)
	set(decorationComponent, &x.Component)
	_, flat := find(list, decorationFlat)
	_, linear := find(list, decorationNoPerspective)
	_, centroid := find(list, decorationCentroid)
	_, sample := find(list, decorationSample)
	x.Flat, x.NoPerspective = x.Flat || flat, x.NoPerspective || linear
	x.Centroid, x.AtSample = x.Centroid || centroid, x.AtSample || sample
	return x
}

// componentWalk lists the components of a variable.
type componentWalk struct {
	c    *compiler
	slot int32
	list []Component
}

// walk adds the components of an object of type t that starts at x, and returns the location behind it.
func (w *componentWalk) walk(t *typ, x Component) uint32 {
	switch t.kind {
	case kindStruct:
		for i, e := range t.members {
			y := w.c.decorated(x, w.c.m.members[member{t.id, uint32(i)}])
			x.Location = w.walk(e, y)
		}
		return x.Location
	case kindArray, kindMatrix:
		for i := range t.count {
			y := x
			if x.IsBuiltIn {
				y.Component += uint32(i * t.elem.slots)
			}
			x.Location = w.walk(t.elem, y)
		}
		return x.Location
	}
	for i := range t.slots {
		y := x
		y.Component += uint32(i)
		y.slot = w.slot
		switch b := t.base(); {
		case b.kind == kindBool:
			y.Kind = Bool
		case b.kind == kindInt && b.signed:
			y.Kind = Int
		case b.kind == kindInt:
			y.Kind = Uint
		}
		w.slot++
		w.list = append(w.list, y)
	}
	return x.Location + 1
}

// BindingKind is the type of a descriptor.
type BindingKind uint8

// The types of descriptors. A buffer of texels counts as an image with the dimension 5.
const (
	UniformBuffer BindingKind = iota
	StorageBuffer
	SampledImage
	CombinedImage // with a sampler
	StorageImage
	SamplerState
)

// Binding is a resource that a program uses.
type Binding struct {
	Resource
	Kind                           BindingKind
	Count                          int    // of descriptors, 0 if it is unknown
	Size                           uint32 // least bytes of a buffer
	Dim                            uint32 // of images (SPIR-V specification, 3.8)
	Arrayed, Multisampled, Integer bool   // of images
}

// Bindings lists the resources that the program uses.
func (p *Program) Bindings() (list []Binding) {
	for _, v := range p.variables {
		if pointsToSlots(v.class) {
			continue
		}
		b := Binding{Resource: v.resource, Count: 1, Size: v.size}
		t := v.t
		for (t.kind == kindArray || t.kind == kindRuntimeArray) && t.stride == 0 {
			b.Count *= t.count
			t = t.elem
		}
		switch {
		case t.kind == kindSampler:
			b.Kind = SamplerState
		case t.kind == kindSampledImage:
			b.Kind = CombinedImage
		case t.kind == kindImage && t.image.storage:
			b.Kind = StorageImage
		case t.kind == kindImage:
			b.Kind = SampledImage
		case !v.readOnly:
			b.Kind = StorageBuffer
		}
		if i := t.image; i != nil {
			b.Dim, b.Arrayed, b.Multisampled, b.Integer = i.dim, i.arrayed, i.multi, i.integer
		}
		list = append(list, b)
	}
	return list
}
