package compare

import (
	"fmt"
	"slices"
	"strings"

	"github.com/shaderlift/shaderlift"
)

// programSet has the programs and pairs of a report that did not fail, by unique name. Effects are
// listed part by part.
type programSet struct {
	list []compared
	by   map[string]*shaderlift.Result
}

type compared struct {
	name string
	*shaderlift.Result
}

// programsOf names the programs of r by their paths below folder. The second program of a name gets #2.
func programsOf(r *shaderlift.Report, folder string) programSet {
	set, times := programSet{by: map[string]*shaderlift.Result{}}, map[string]int{}
	for _, whole := range r.Results {
		for _, res := range whole.Units() {
			if res.Status == shaderlift.Failed {
				continue
			}
			name := within(folder, res.Input)
			if times[name]++; times[name] > 1 {
				name = fmt.Sprintf("%s#%d", name, times[name])
			}
			set.list = append(set.list, compared{name, res})
			set.by[name] = res
		}
	}
	return set
}

// meets reports whether some program is in both sets.
func (a programSet) meets(b programSet) bool {
	return slices.ContainsFunc(a.list, func(n compared) bool { return b.by[n.name] != nil })
}

// without returns the programs of a that b lacks.
func (a programSet) without(b programSet) []string {
	names := []string{}
	for _, n := range a.list {
		if b.by[n.name] == nil {
			names = append(names, n.name)
		}
	}
	return names
}

// folderOf returns the common folder of all input files, with a trailing slash.
func folderOf(results []*shaderlift.Result) string {
	var folder string
	first := true
	for _, res := range results {
		for file := range strings.SplitSeq(res.Input, ",") {
			if first {
				folder, first = file, false
			}
			n := 0
			for n < min(len(folder), len(file)) && folder[n] == file[n] {
				n++
			}
			folder = folder[:strings.LastIndexAny(folder[:n], `/\`)+1]
		}
	}
	return folder
}

// within returns an input's path below folder.
func within(folder, input string) string {
	files := strings.Split(input, ",")
	for i, f := range files {
		if len(f) >= len(folder) {
			files[i] = f[len(folder):]
		}
	}
	return strings.Join(files, ",")
}
