package main

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"github.com/shaderlift/shaderlift/machine/sched"
)

// fetched matches a fetch of Jang's kernels.
var fetched = regexp.MustCompile(`(?m)^sample_resource\((\d+)\)\S+ (\S+), (r\d+)\S*$`)

// addressed adds Brook+'s address computation to each fetch of a kernel. In the sources of its
// compiler a gather scales an index and adds a bias, both constants of the stream (__gatherindex2
// of brcc, Deprecated/SourceFiles/codegen.cpp). The addition of half a texel follows from operation
// counts: each unrolled trip adds 14 operations, which are the product, four increments, a counter,
// and two for each coordinate.
func addressed(kernel string) string {
	n := 0
	kernel = fetched.ReplaceAllStringFunc(kernel, func(statement string) string {
		m := fetched.FindStringSubmatch(statement)
		n++
		const text = "mad r9%02[1]d.xy__, %[2]s.xyxx, cb1[%[3]s].xyxy, cb1[%[3]s].zwzw\nadd r9%02[1]d.xy__, r9%02[1]d.xyxx, l0.wwww\n" +
			"sample_resource(%[3]s)_sampler(%[3]s) %[4]s, r9%02[1]d.xy00"
		return fmt.Sprintf(text, n, m[3], m[1], m[2])
	})
	return regexp.MustCompile(`(?m)^dcl_cb .*$`).ReplaceAllString(kernel, "$0\ndcl_cb cb1[12]")
}

// addressedStats returns the static figures of a version of Jang's kernel with Brook+'s addresses.
func addressedStats(name string) (sched.Stats, error) {
	data, err := os.ReadFile(filepath.Join("testdata", "il", name+".il"))
	if err != nil {
		return sched.Stats{}, err
	}
	c, err := compileText(name, []byte(addressed(string(data))), "rv670")
	if err != nil {
		return sched.Stats{}, err
	}
	return c.Stats, nil
}
