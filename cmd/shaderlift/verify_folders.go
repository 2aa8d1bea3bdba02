package main

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/asm"
	"github.com/shaderlift/shaderlift/opt/wording"
	"github.com/shaderlift/shaderlift/verify"
)

// The words for files of one folder only, in place of a verdict.
const (
	missingFile = "missing"
	extraFile   = "extra"
)

// folderVerdicts compares the inputs of two folders.
type folderVerdicts struct {
	*app
	before, after string
	report        *shaderlift.Report
	text          bool // print lines instead of the report
	width         int
	counts        map[string]int
	inputs        int
}

// verifyFolders judges each input of the folder before against the files with the same relative paths in the folder
// after. Files that only one of them has are reported, and count as refused.
func (a *app) verifyFolders(before, after string, o shaderlift.Options, jobs int, format string,
	promise func(shaderlift.Input, *shaderlift.Options) error) error {
	v := &folderVerdicts{app: a, before: before, after: after, report: shaderlift.NewReport(o), text: format == "text",
		counts: map[string]int{}}
	v.report.Pipeline = "" // no pipeline runs
	olds, err := v.list(before, after)
	if err != nil {
		return err
	}
	if len(olds) == 0 {
		return usagef("%s: no programs found", asm.Shown(before))
	}
	news, err := v.list(after, before)
	if err != nil {
		return err
	}
	partners := map[string]bool{} // files of after that are compared
	seen := map[string]bool{}     // contents that are compared
	var both []job
	var lines []func()
	for _, j := range olds {
		var lost []string
		for _, path := range j.paths {
			if other := v.other(&j, path); v.exists(other) {
				partners[other] = true
			} else {
				lost = append(lost, path)
			}
		}
		if len(lost) > 0 {
			lines = append(lines, func() { v.only(&j, lost, before, missingFile) })
			continue
		}
		if key := v.contents(&j); key == "" || !seen[key] {
			both, seen[key] = append(both, j), true
		}
	}
	for _, j := range news {
		if extra := slices.DeleteFunc(slices.Clone(j.paths), func(p string) bool { return partners[p] }); len(extra) > 0 {
			lines = append(lines, func() { v.only(&j, extra, after, extraFile) })
		}
	}
	for _, j := range slices.Concat(both, news) {
		v.width = min(rowWidth/2, max(v.width, utf8.RuneCountInString(v.name(&j, j.paths))))
	}
	h := a.human(false, false)
	ended := a.batch(both, jobs, func(in shaderlift.Input) (*shaderlift.Result, error) {
		o := o
		if err := promise(in, &o); err != nil {
			return shaderlift.Failure(in, err), err
		}
		j := job{input: in.Path(), paths: in.FileNames(), under: before}
		for i, path := range j.paths {
			j.paths[i] = v.other(&j, path)
		}
		now, err := a.loadFiles(&j)
		if err != nil {
			return shaderlift.Failure(in, err), err
		}
		return shaderlift.Verify(a.ctx, in, now, o)
	}, nil, func(d *outcome) {
		word := d.res.Verdict().String()
		if d.err != nil && !errors.Is(d.err, shaderlift.ErrRefused) {
			word = shaderlift.Failed.String()
		}
		detail := strings.TrimPrefix(wording.Verdict(d.res, true), word)
		v.line(v.name(&d.job, d.paths), word, strings.TrimSpace(detail))
		if d.err != nil && v.text {
			fmt.Fprintf(a.out, "    %s\n", h.sources.brief(d.err))
		}
		a.status = max(a.status, statusOf(d.err))
		a.faults(h, d.res, d.err, ".")
		v.report.Add(d.res)
	})
	for _, print := range lines {
		print()
	}
	if !v.text {
		return errors.Join(ended, v.report.WriteJSON(a.out))
	}
	v.total()
	return ended
}

// list returns the inputs of a folder, without those of the folder skip.
func (v *folderVerdicts) list(dir, skip string) (jobs []job, err error) {
	v.places = true
	if v.results, err = os.Stat(skip); err != nil {
		return nil, cannotRead(skip, err)
	}
	v.expand([]string{dir}, func(j job) bool {
		v.paths.recordJob(&j)
		j.under = cmp.Or(j.under, dir)
		jobs = append(jobs, j)
		return true
	})
	v.results = nil
	return jobs, nil
}

// contents returns the programs of a container that a job compares, or nothing for files.
func (v *folderVerdicts) contents(j *job) (key string) {
	for _, path := range j.paths {
		_, p := v.containerOf(path)
		_, q := v.containerOf(v.other(j, path))
		if p == nil || q == nil {
			return ""
		}
		key += fmt.Sprintf("%p %p ", p, q)
	}
	return key
}

// relativePath returns a file of a job relative to its folder.
func relativePath(j *job, path string) string {
	if rel, err := filepath.Rel(j.under, path); err == nil && j.under != "" {
		return rel
	}
	return path
}

// other returns the file of the folder after for a file of the folder before.
func (v *folderVerdicts) other(j *job, path string) string {
	return filepath.Join(v.after, relativePath(j, path))
}

// name returns the relative names of files of a job.
func (v *folderVerdicts) name(j *job, files []string) string {
	names := make([]string, len(files))
	for i, f := range files {
		names[i] = filepath.ToSlash(relativePath(j, f))
	}
	return asm.Shown(strings.Join(names, ","))
}

// only reports files that one folder lacks.
func (v *folderVerdicts) only(j *job, files []string, in, word string) {
	v.line(v.name(j, files), word, "only in "+asm.Shown(in))
	v.status = max(v.status, statusRefused)
	lone := shaderlift.Input{}
	for _, f := range files {
		lone.Files = append(lone.Files, shaderlift.File{Name: f})
	}
	v.report.Add(shaderlift.Failure(lone, fmt.Errorf("%s: only in %s", word, asm.Shown(in))))
}

// line prints the aligned line of an input and counts it.
func (v *folderVerdicts) line(name, word, detail string) {
	v.counts[word]++
	v.inputs++
	if v.text {
		text := fmt.Sprintf("%-*s  %-*s  %s", v.width, name, len(verify.ProvedReal.String()), word, detail)
		fmt.Fprintln(v.out, strings.TrimRight(text, " "))
	}
}

// total prints the number of inputs with each verdict.
func (v *folderVerdicts) total() {
	var parts []string
	for _, word := range []string{verify.Proved.String(), verify.ProvedReal.String(), verify.Bounded.String(), verify.Tested.String(),
		verify.Unknown.String(), verify.Refuted.String(), shaderlift.Failed.String(), missingFile, extraFile} {
		if n := v.counts[word]; n > 0 {
			parts = append(parts, fmt.Sprintf("%d %s", n, word))
		}
	}
	fmt.Fprintf(v.out, "%d %s: %s\n", v.inputs, wording.Plural("input", v.inputs), strings.Join(parts, ", "))
}
