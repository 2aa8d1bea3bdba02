package containers

import (
	"bytes"
	"compress/bzip2"
	"encoding/binary"
	"fmt"
	"io"
	"slices"

	"github.com/shaderlift/shaderlift/asm"
	"github.com/ulikunitz/xz/lzma"
)

// A .vcs file of the Source engine has a header of seven words, a table of static combos, in version 6 a table of
// aliases, and the data of the static combos (shader_vcs_version.h of the Source SDK 2013). The data of a static combo
// are blocks of dynamic combos and an end word.
const (
	vcsHeader   = 28
	vcsEnd      = 1<<32 - 1 // ends the table of combos, and the blocks of each
	vcsBlock    = 1 << 17   // readers have buffers of this size for an unpacked block
	vcsSizeBits = 30        // of a block's size word; the two bits above are its kind

	vcsBzip2  = 0
	vcsLZMA   = 1
	vcsStored = 2

	lzmaHeader = 17 // "LZMA", unpacked size, packed size, properties, dictionary size
	lzmaMagic  = "LZMA"
)

// Bounds on the work for a damaged file, in bytes: of all unpacked blocks and names, and of the different programs. The
// largest public files have a quarter of the first.
const (
	maxUnpacked = 1 << 27
	nameSize    = 256
	maxDistinct = 48 << 20
)

// vcs is the structure of a file. Each static combo is a slice of records.
type vcs struct {
	*Container
	n        int // entries of the table of static combos
	statics  []vcsStatic
	same     map[string]*Program
	unpacked int // bytes of all blocks and names
	distinct int // bytes of different programs
}

type vcsStatic struct {
	entry    int // offset of its entry in the table
	from, to int
	kind     uint32 // of the first block
	records  []vcsRecord
}

type vcsRecord struct {
	id      uint32
	program *Program
}

// isVCS reports whether data looks like a .vcs file. Such a file has no magic, so several fields must have the values
// that all known files have. Other versions and byte orders count, for a message.
func isVCS(data []byte) bool {
	order, ok := vcsOrder(data)
	if !ok {
		return false
	}
	n, at := uint64(order.Uint32(data[20:])), uint64(len(data))
	if order.Uint32(data) == 4 {
		total, dynamic := order.Uint32(data[4:]), order.Uint32(data[8:])
		return total%dynamic == 0 && n < at && n > 0
	}
	if n == 0 || n > at/8 {
		return false
	}
	end := vcsHeader + 8*n
	return end <= at && order.Uint32(data[end-8:]) == vcsEnd || end+4 <= at && uint64(order.Uint32(data[vcsHeader+4:]))-end <= at-end
}

// vcsOrder returns the byte order of a header of version 4 to 6 with dynamic combos and without flags.
func vcsOrder(data []byte) (binary.ByteOrder, bool) {
	if len(data) < vcsHeader {
		return nil, false
	}
	for _, order := range []binary.ByteOrder{binary.LittleEndian, binary.BigEndian} {
		if v := order.Uint32(data); v >= 4 && v <= 6 && order.Uint32(data[8:]) > 0 && order.Uint32(data[12:]) == 0 {
			return order, true
		}
	}
	return nil, false
}

// readVCS reads the static combos of c.data.
func (c *Container) readVCS() error {
	if err := c.checkVCS(); err != nil {
		return err
	}
	v := &vcs{Container: c, same: map[string]*Program{}}
	c.encode = v.encode
	return v.read()
}

// checkVCS names the form, and returns an error for a version that is not read.
func (c *Container) checkVCS() error {
	c.Form, c.Binary = "a shader file of the Source engine (.vcs)", true
	order, _ := vcsOrder(c.data)
	switch version := order.Uint32(c.data); {
	case order == binary.BigEndian:
		return asm.Errorf(c.offset(0), "foreign-format", "this is a .vcs file of the Source engine for the Xbox 360: %s", recompile)
	case version == 4:
		return asm.Errorf(c.offset(0), "foreign-format",
			"this is a .vcs file of version 4, whose programs are differences: compile its source with a newer ShaderCompile (version 5 or 6)")
	}
	return nil
}

// word returns the word at an offset, which must exist.
func (v *vcs) word(at int) uint32 { return binary.LittleEndian.Uint32(v.data[at:]) }

func (v *vcs) read() error {
	v.n = int(v.word(20))
	tables := vcsHeader + 8*v.n
	if v.word(0) == 6 && tables+4 <= len(v.data) {
		tables += 4 + 8*int(min(v.word(tables), uint32(len(v.data))))
	}
	if tables > len(v.data) {
		return asm.Errorf(v.offset(20), "truncated", "the tables do not fit into the file")
	}
	last := vcsHeader + 8*(v.n-1)
	if v.word(last) != vcsEnd || v.word(last+4) != uint32(len(v.data)) {
		return asm.Errorf(v.offset(last), "wrong-size", "the last entry of the table does not have the size of the file, %d", len(v.data))
	}
	for at := vcsHeader; at < last; at += 8 {
		from, to := int(v.word(at+4)), int(v.word(at+12))
		if from != tables || to < from || to > len(v.data) {
			return asm.Errorf(v.offset(at+4), "wrong-size", "static combo %d should begin at %#x, after the one before it", v.word(at), tables)
		}
		s := vcsStatic{entry: at, from: from, to: to}
		if err := v.readStatic(&s, v.word(at)); err != nil {
			return err
		}
		v.statics = append(v.statics, s)
		tables = to
	}
	if tables != len(v.data) {
		return asm.Errorf(v.offset(tables), "wrong-size", "data follow the tables, which name no static combo for them")
	}
	return nil
}

// readStatic reads the blocks of a static combo.
func (v *vcs) readStatic(s *vcsStatic, static uint32) error {
	for at := s.from; ; {
		if at+4 > s.to {
			return asm.Errorf(v.offset(at), "truncated", "static combo %d has no end word", static)
		}
		word := v.word(at)
		if word == vcsEnd {
			if at+4 != s.to {
				return asm.Errorf(v.offset(at), "wrong-size", "static combo %d ends before its data", static)
			}
			return nil
		}
		kind, size := word>>vcsSizeBits, int(word&(1<<vcsSizeBits-1))
		if size > s.to-at-4 {
			return asm.Errorf(v.offset(at), "truncated", "a block of %d bytes does not fit into static combo %d", size, static)
		}
		block, err := unpackBlock(kind, v.data[at+4:at+4+size])
		if err != nil {
			return asm.Errorf(v.offset(at), "corrupt", "a block of static combo %d is damaged: %v", static, err)
		}
		if v.unpacked += len(block); v.unpacked > maxUnpacked {
			return asm.Errorf(v.offset(at), "too-large", "the file has more than %d unpacked bytes, with %d for each combo", maxUnpacked, nameSize)
		}
		if len(s.records) == 0 {
			s.kind = kind
		}
		for len(block) > 0 {
			if len(block) < 8 || uint64(binary.LittleEndian.Uint32(block[4:])) > uint64(len(block)-8) {
				return asm.Errorf(v.offset(at), "truncated", "a dynamic combo does not fit into its block of static combo %d", static)
			}
			id, n := binary.LittleEndian.Uint32(block), binary.LittleEndian.Uint32(block[4:])
			p, err := v.program(static, id, block[8:8+n], at)
			if err != nil {
				return err
			}
			s.records, v.unpacked = append(s.records, vcsRecord{id, p}), v.unpacked+nameSize
			block = block[8+n:]
		}
		at += 4 + size
	}
}

// program returns the program with the given bytes, which many combos may have.
func (v *vcs) program(static, id uint32, data []byte, at int) (*Program, error) {
	name := fmt.Sprintf("%d.%d", static, id)
	if p := v.same[string(data)]; p != nil {
		v.name(p, name)
		return p, nil
	}
	if bytes.HasPrefix(data, []byte("DXBC")) {
		return nil, asm.Errorf(v.offset(at), "foreign-format", "combo %s is a shader of Direct3D 10 or later (DXBC): %s", name, recompile)
	}
	if v.distinct += len(data); v.distinct > maxDistinct {
		return nil, asm.Errorf(v.offset(at), "too-large", "the file has different programs of more than %d bytes", maxDistinct)
	}
	p := v.add(name, bytes.Clone(data), v.offset(at))
	v.same[string(data)] = p
	return p, nil
}

// unpackBlock returns the content of a block.
func unpackBlock(kind uint32, data []byte) ([]byte, error) {
	var r io.Reader
	switch kind {
	case vcsStored:
		r = bytes.NewReader(data)
	case vcsBzip2:
		r = bzip2.NewReader(bytes.NewReader(data))
	case vcsLZMA:
		if len(data) < lzmaHeader || string(data[:4]) != lzmaMagic {
			return nil, fmt.Errorf("it does not begin with %s", lzmaMagic)
		}
		n := binary.LittleEndian.Uint32(data[4:])
		if packed := binary.LittleEndian.Uint32(data[8:]); uint64(packed) != uint64(len(data)-lzmaHeader) || n >= vcsBlock {
			return nil, fmt.Errorf("its header states %d packed and %d unpacked bytes", packed, n)
		}
		// The header of an .lzma file has the same fields in another order. A larger dictionary than the content
		// makes no difference.
		head := append([]byte{data[12]}, binary.LittleEndian.AppendUint32(nil, vcsBlock)...)
		head = binary.LittleEndian.AppendUint64(head, uint64(n))
		var err error
		if r, err = lzma.NewReader(io.MultiReader(bytes.NewReader(head), bytes.NewReader(data[lzmaHeader:]))); err != nil {
			return nil, err
		}
	default:
		return nil, fmt.Errorf("unknown kind %d", kind)
	}
	block, err := io.ReadAll(io.LimitReader(r, vcsBlock))
	if err == nil && len(block) == vcsBlock {
		err = fmt.Errorf("it has %d unpacked bytes or more", vcsBlock)
	}
	return block, err
}

// encode writes the file. Unchanged static combos keep their bytes.
func (v *vcs) encode() ([]byte, error) {
	out := bytes.Clone(v.data[:v.statics[0].from])
	for _, s := range v.statics {
		binary.LittleEndian.PutUint32(out[s.entry+4:], uint32(len(out)))
		if !slices.ContainsFunc(s.records, func(r vcsRecord) bool { return r.program.Changed() }) {
			out = append(out, v.data[s.from:s.to]...)
			continue
		}
		var err error
		if out, err = v.appendStatic(out, &s); err != nil {
			return nil, err
		}
	}
	binary.LittleEndian.PutUint32(out[vcsHeader+8*(v.n-1)+4:], uint32(len(out)))
	return out, nil
}

// appendStatic appends the blocks of a static combo, divided as ShaderCompile divides them.
func (v *vcs) appendStatic(out []byte, s *vcsStatic) ([]byte, error) {
	const room = 16
	var block []byte
	flush := func() (err error) {
		if len(block) > 0 {
			out, err = appendBlock(out, s.kind, block)
		}
		block = block[:0]
		return err
	}
	for _, r := range s.records {
		data := r.program.Data
		if len(data)+room >= vcsBlock {
			return nil, asm.Errorf(r.program.Pos, "no-room", "program %s of %d bytes is too large for a block", r.program.Names[0], len(data))
		}
		if len(block)+len(data)+room >= vcsBlock {
			if err := flush(); err != nil {
				return nil, err
			}
		}
		block = binary.LittleEndian.AppendUint32(block, r.id)
		block = binary.LittleEndian.AppendUint32(block, uint32(len(data)))
		block = append(block, data...)
	}
	if err := flush(); err != nil {
		return nil, err
	}
	return binary.LittleEndian.AppendUint32(out, vcsEnd), nil
}

// appendBlock appends a block, packed if the original was packed by LZMA.
func appendBlock(out []byte, kind uint32, block []byte) ([]byte, error) {
	if kind != vcsLZMA {
		out = binary.LittleEndian.AppendUint32(out, vcsStored<<vcsSizeBits|uint32(len(block)))
		return append(out, block...), nil
	}
	const dictionary = 1 << 18 // the dictionary of Valve's encoder
	var packed bytes.Buffer
	w, err := lzma.WriterConfig{DictCap: dictionary, SizeInHeader: true, Size: int64(len(block))}.NewWriter(&packed)
	if err == nil {
		_, err = w.Write(block)
	}
	if err == nil {
		err = w.Close()
	}
	if err != nil {
		return nil, err
	}
	head, data := packed.Bytes()[:5], packed.Bytes()[lzma.HeaderLen:]
	out = binary.LittleEndian.AppendUint32(out, vcsLZMA<<vcsSizeBits|uint32(len(data)+lzmaHeader))
	out = append(out, lzmaMagic...)
	out = binary.LittleEndian.AppendUint32(out, uint32(len(block)))
	out = binary.LittleEndian.AppendUint32(out, uint32(len(data)))
	return append(append(out, head...), data...), nil
}
