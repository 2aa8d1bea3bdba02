package main

import (
	"bytes"
	"path/filepath"
	"strings"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm/d3d9"
)

// sharing records the programs that several jobs share, under any path. Each of them is optimized
// alone and written once, so that every pair gets the version with which it was verified.
type sharing struct {
	versions shaderlift.Versions
	files    map[string]string // the file to which a path leads
	pairs    map[string]string // the job, as all its files, in which a file was found first
	some     map[string]bool   // files that several jobs share
}

// newSharing finds the programs that several jobs share. A pair that is given twice shares nothing,
// because both results are the same. Two files with equal bytes and the same output path are one
// program; if their bytes differ, output.write refuses the second.
func (a *app) newSharing(jobs []job, out *output) *sharing {
	s := &sharing{files: map[string]string{}, pairs: map[string]string{}, some: map[string]bool{}}
	at := map[string]string{} // the first file for each output path
	for i := range jobs {
		j := &jobs[i]
		for _, path := range j.paths {
			if j.err != nil || path == stdinName || s.files[path] != "" {
				continue
			}
			file, repeated := a.placeOf(path)
			if repeated && len(j.paths) > 1 { // other draws use the other places
				s.some[file] = true
			}
			if out.dir {
				to := out.destinationOf(j, path)
				if first, taken := at[to]; !taken {
					at[to] = file
				} else if first != file && sameBytes(first, file) {
					file = first
					s.some[file] = true
				}
			}
			s.files[path] = file
		}
	}
	for i := range jobs {
		var all []string
		for _, path := range jobs[i].paths {
			all = append(all, s.files[path])
		}
		for _, file := range all {
			with, known := s.pairs[file]
			if s.pairs[file] = strings.Join(all, "\x00"); known && with != s.pairs[file] {
				s.some[file] = true
			}
		}
	}
	delete(s.some, "") // standard input, and unreadable files
	return s
}

// placeOf returns the canonical name of a file or of a program in a container, and whether the program has several
// places there.
func (a *app) placeOf(path string) (file string, repeated bool) {
	if _, p := a.containerOf(path); p != nil {
		return place(filepath.Join(filepath.Dir(path), p.Names[0])), len(p.Names) > 1
	}
	return place(path), false
}

// hold reads the files that several jobs share, so that no job reads the result of another one.
func (s *sharing) hold(jobs []job) map[string][]byte {
	held := map[string][]byte{}
	for i := range jobs {
		for _, path := range jobs[i].paths {
			if s.some[s.files[path]] {
				if data, err := readPath(path, nil); err == nil {
					held[path] = data
				}
			}
		}
	}
	return held
}

// sameBytes reports whether two files are readable and equal.
func sameBytes(a, b string) bool {
	x, err := readPath(a, nil)
	if err != nil {
		return false
	}
	y, err := readPath(b, nil)
	return err == nil && bytes.Equal(x, y)
}

// stages returns the stages of an input's programs that other jobs share.
func (s *sharing) stages(in shaderlift.Input) (list []d3d9.Stage) {
	both := []d3d9.Stage{d3d9.Vertex, d3d9.Pixel}
	for i, f := range in.Files {
		switch {
		case !s.some[s.files[f.Name]]:
		case len(in.Files) == 1: // its stage does not matter
			return both
		case i < len(both):
			list = append(list, both[i])
		}
	}
	return list
}
