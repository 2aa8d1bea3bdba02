package effect

import (
	"github.com/shaderlift/shaderlift/asm/d3d9"
	"github.com/shaderlift/shaderlift/opt/input"
	"github.com/shaderlift/shaderlift/passes"
)

// PixelConstants returns the sets of pixel constants that the vertex program may get. The first set has
// all. If preshaders compute some, a second set has only the named constants, which need no preshader.
func PixelConstants(f input.File) (sets []Constants) {
	p, err := input.ReadProgram(f)
	if err != nil {
		return nil
	}
	for h := *constantsOf(p); h.hasAny(); h.Computed = nil {
		if sets = append(sets, h); h.Computed == nil {
			break
		}
	}
	return sets
}

// BindUploads writes a version of the pair in with a vertex constant table and a preshader that perform
// uploads. The pixel program of in has the constants h. BindUploads also returns the names of the
// parameters added to the table.
func BindUploads(in input.Input, version []input.File, uploads []input.Upload,
	h *Constants) (files []input.File, names []string, err error) {
	before, err := input.ReadProgram(in.Files[0])
	if err != nil {
		return nil, nil, err
	}
	after, err := input.ReadPrograms(input.Input{Files: version})
	if err != nil {
		return nil, nil, err
	}
	b, err := NewBinder(after[0], before)
	if err != nil {
		return nil, nil, err
	}
	for _, u := range uploads {
		b.upload(h, u.From.Index, u.To.Index)
	}
	if names, err = b.Bind(); err != nil {
		return nil, nil, err
	}
	for i, p := range after {
		if err := CompactTable(p); err != nil {
			return nil, nil, err
		}
		data, err := d3d9.Encode(p)
		if err != nil {
			return nil, nil, err
		}
		files = append(files, input.File{Name: version[i].Name, Data: data})
	}
	return files, names, nil
}

// WithoutGained removes the entries that the vertex constant table has gained, so that the programs can
// be compared without them. It returns the uploads that these entries perform. known are the uploads of
// entries that the table had before, which hold in both versions.
func WithoutGained(before, after input.Input, others []input.Input) (plain input.Input,
	uploads, known []passes.Upload, err error) {
	old, err := input.ReadPrograms(before)
	if err != nil {
		return after, nil, nil, err
	}
	now, err := input.ReadPrograms(after)
	if err != nil {
		return after, nil, nil, err
	}
	var pixels []*d3d9.Program
	for _, in := range others {
		for _, f := range in.Files {
			if p, err := input.ReadProgram(f); err == nil {
				pixels = append(pixels, p)
			}
		}
	}
	vertex, gained, had, err := withoutGained([2]*d3d9.Program(old), now[0], pixels)
	if err != nil || vertex == nil {
		return after, nil, had, err
	}
	data, err := d3d9.Encode(vertex)
	if err != nil {
		return after, nil, nil, err
	}
	plain = after
	plain.Files = []input.File{{Name: after.Files[0].Name, Data: data}, after.Files[1]}
	return plain, gained, had, nil
}

// Shorten returns p with a preshader that computes more, or the same with fewer instructions, and its
// bytes. old is the program of the input. If nothing changes, it returns p without bytes.
func Shorten(p, old *d3d9.Program, real bool) (q *d3d9.Program, data []byte, moved Moved, err error) {
	q, moved, err = moveToPreshader(p, old, real, false)
	if err == nil && q != p {
		if err = CompactTable(q); err == nil {
			data, err = d3d9.Encode(q)
		}
	}
	if err != nil {
		return p, nil, Moved{}, err
	}
	return q, data, moved, nil
}

// HostFirst returns in with all computations on constants moved to preshaders, before any pass runs, and
// its programs. Otherwise passes may absorb such an operation into another one, where it is hard to
// recognize. ok is false if there is nothing to move.
func HostFirst(in input.Input) (first input.Input, programs []*d3d9.Program, ok bool) {
	first.Name = in.Name
	for _, f := range in.Files {
		p, err := input.ReadProgram(f)
		if err != nil {
			return first, nil, false
		}
		q, n, err := moveToPreshader(p, p, true, true)
		if err != nil || n.Computed == 0 {
			q = p
		}
		if q != p {
			if f.Data, err = d3d9.Encode(q); err != nil {
				return first, nil, false
			}
			ok = true
		}
		first.Files, programs = append(first.Files, f), append(programs, q)
	}
	return first, programs, ok
}
