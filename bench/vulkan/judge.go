package vulkan

import (
	"bytes"
	"cmp"
	_ "embed"
	"encoding/binary"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"

	"github.com/shaderlift/shaderlift/verify/interp/spirv"
)

//go:embed draw/draw.c
var source []byte

// ErrUnsupported is the error of draws that the judge cannot make, for example with storage images.
var ErrUnsupported = errors.New("vulkan: the judge does not support an interface of the pair")

// Judge draws through the first device of Vulkan.
type Judge struct {
	client string
	// Driver, if set, is the file that describes the driver (VK_DRIVER_FILES).
	Driver string
}

// New builds the client in a folder.
func New(dir string) (*Judge, error) {
	file, client := filepath.Join(dir, "draw.c"), filepath.Join(dir, "draw")
	if err := os.WriteFile(file, source, 0o644); err != nil {
		return nil, err
	}
	if out, err := exec.Command("gcc", "-O1", "-o", client, file, "-lvulkan").CombinedOutput(); err != nil {
		return nil, fmt.Errorf("vulkan: %w\n%s", err, out)
	}
	return &Judge{client: client}, nil
}

// Unwritten is the word of each component of a pixel that no fragment covers.
const Unwritten = 0x7fc0dead

// The descriptor types of Vulkan, by spirv.BindingKind.
var descriptorTypes = map[spirv.BindingKind]uint32{spirv.SamplerState: 0, spirv.CombinedImage: 1, spirv.SampledImage: 2,
	spirv.UniformBuffer: 6, spirv.StorageBuffer: 7}

// job collects the words of a job.
type job []uint32

func (j *job) add(w ...uint32) { *j = append(*j, w...) }

// bytes adds the number of words in data, and the words.
func (j *job) bytes(data []byte) {
	data = append(slices.Clone(data), make([]byte, -len(data)&3)...)
	j.add(uint32(len(data) / 4))
	for i := 0; i < len(data); i += 4 {
		j.add(binary.LittleEndian.Uint32(data[i:]))
	}
}

// Draw draws with the modules of a pair, whose programs are those of d. All samplers repeat, and are alike. Draw returns
// four words a pixel for each target.
func (j *Judge) Draw(d *spirv.Draw, vertex, fragment []byte) (targets [][]uint32, err error) {
	var w job
	nearest := uint32(0)
	if d.VertexEnv.Sampler != nil && d.VertexEnv.Sampler(spirv.Resource{}).Nearest {
		nearest = 1
	}
	w.add(uint32(d.Width), uint32(d.Height), nearest)
	w.bytes([]byte(d.Vertex.Name))
	w.bytes(vertex)
	w.bytes([]byte(d.Fragment.Name))
	w.bytes(fragment)
	w.attributes(d)
	if err := w.resources(d); err != nil {
		return nil, err
	}
	formats, err := targetFormats(d.Fragment)
	if err != nil {
		return nil, err
	}
	w.add(uint32(len(formats)))
	w.add(formats...)

	cmd := exec.Command(j.client)
	if j.Driver != "" {
		cmd.Env = append(os.Environ(), "VK_DRIVER_FILES="+j.Driver, "VK_ICD_FILENAMES="+j.Driver)
	}
	var in, message bytes.Buffer
	binary.Write(&in, binary.LittleEndian, []uint32(w))
	cmd.Stdin, cmd.Stderr = &in, &message
	out, err := cmd.Output()
	if err != nil {
		return nil, fmt.Errorf("vulkan: %w: %s", err, message.Bytes())
	}
	size := 4 * d.Width * d.Height
	if len(out) != 4*size*len(formats) {
		return nil, fmt.Errorf("vulkan: the client wrote %d bytes", len(out))
	}
	for range formats {
		t := make([]uint32, size)
		for i := range t {
			t[i] = binary.LittleEndian.Uint32(out[4*i:])
		}
		targets, out = append(targets, t), out[4*size:]
	}
	return targets, nil
}

// attributes adds the attributes of three vertices.
func (w *job) attributes(d *spirv.Draw) {
	formats := map[uint32]uint32{}
	for _, c := range d.Vertex.Inputs() {
		if !c.IsBuiltIn {
			formats[c.Location] = uint32(c.Kind)
		}
	}
	w.add(uint32(len(formats)))
	for location := range uint32(64) {
		kind, ok := formats[location]
		if !ok {
			continue
		}
		w.add(location, kind)
		for v := range 3 {
			for k := range uint32(4) {
				w.add(d.Attribute(spirv.Component{Location: location, Component: k, Kind: spirv.Kind(kind)}, v))
			}
		}
	}
}

// resources adds push constants and descriptors.
func (w *job) resources(d *spirv.Draw) error {
	merged := map[spirv.Resource]spirv.Binding{}
	push := uint32(0)
	for _, b := range append(d.Vertex.Bindings(), d.Fragment.Bindings()...) {
		if b.Push {
			push = max(push, b.Size)
			continue
		}
		old, ok := merged[b.Resource]
		if ok && old.Kind != b.Kind {
			return ErrUnsupported
		}
		b.Size = max(b.Size, old.Size)
		merged[b.Resource] = b
	}
	w.add(push / 4)
	for at := uint32(0); at < push/4*4; at += 4 {
		w.add(d.VertexEnv.Word(spirv.Resource{Push: true}, at))
	}
	var list []spirv.Binding
	for _, b := range merged {
		list = append(list, b)
	}
	slices.SortFunc(list, func(a, b spirv.Binding) int {
		return cmp.Or(cmp.Compare(a.Set, b.Set), cmp.Compare(a.Binding, b.Binding))
	})
	w.add(uint32(len(list)))
	for _, b := range list {
		if err := w.descriptor(d, b); err != nil {
			return err
		}
	}
	return nil
}

// descriptor adds a descriptor with its data.
func (w *job) descriptor(d *spirv.Draw, b spirv.Binding) error {
	typ, ok := descriptorTypes[b.Kind]
	if !ok || b.Multisampled || b.Dim > 3 || b.Count < 1 || b.Count > 64 {
		return ErrUnsupported
	}
	w.add(b.Set, b.Binding, typ, uint32(b.Count))
	switch b.Kind {
	case spirv.SamplerState:
		return nil
	case spirv.UniformBuffer, spirv.StorageBuffer:
		w.add((b.Size + 3) / 4)
		for at := uint32(0); at < b.Size; at += 4 {
			w.add(d.VertexEnv.Word(b.Resource, at))
		}
		return nil
	}
	img := d.VertexEnv.Image(b.Resource)
	kind, format, height, depth, layers := b.Dim, uint32(0), img.Height, 1, 1
	if b.Arrayed {
		kind += 8
		layers = img.Depth
	}
	switch b.Dim {
	case 0:
		height = 1
	case 2:
		depth = img.Depth
	case 3:
		layers = 6
	}
	if b.Integer {
		format = 1
	}
	w.add(kind, format, uint32(img.Width), uint32(height), uint32(depth), uint32(layers))
	for z := range depth * layers {
		for y := range height {
			for x := range img.Width {
				texel := img.Texel(x, y, z, 0, 0)
				w.add(texel[:]...)
			}
		}
	}
	return nil
}

// targetFormats returns the formats of the targets that a fragment program writes.
func targetFormats(p *spirv.Program) (formats []uint32, err error) {
	for _, c := range p.Outputs() {
		if c.IsBuiltIn {
			continue
		}
		if c.Location > 7 || c.Index != 0 {
			return nil, ErrUnsupported
		}
		for int(c.Location) >= len(formats) {
			formats = append(formats, 0)
		}
		formats[c.Location] = uint32(c.Kind)
	}
	return formats, nil
}
