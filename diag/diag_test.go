package diag

import (
	"bytes"
	"flag"
	"fmt"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/shaderlift/shaderlift/asm"
)

func Example() {
	e := Lookup("slot-limit")
	fmt.Printf("%s, %s: %s\n", e.Code, e.Severity, e.Meaning)
	fmt.Println(Lookup("no-such-code"))
	// Output:
	// slot-limit, limit: the program has more slots than the model allows
	// <nil>
}

// all returns the rows of both tables, in order.
func all() []entry {
	return slices.SortedFunc(slices.Values(slices.Concat(table, changes)), func(a, b entry) int {
		return strings.Compare(string(a.Code), string(b.Code))
	})
}

// TestTable checks that the table has exactly the codes in use, with their packages, in order.
func TestTable(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for i, e := range all() {
		if rows := all(); i > 0 && rows[i-1].Code == e.Code || (find(changes, e.Code) != nil) != (e.Severity == Rewrite || e.Severity == Limit) {
			t.Errorf("%s is there twice, or in the wrong table", e.Code)
		}
		if !form.MatchString(string(e.Code)) || e.Meaning == "" || strings.HasSuffix(e.Meaning, ".") {
			t.Errorf("%s, %q: the form is another one", e.Code, e.Meaning)
		}
		if found := Lookup(e.Code); found == nil || *found != e {
			t.Errorf("%s is not found, so it is not in its place", e.Code)
		}
	}
	found := used(t)
	for code, packages := range found {
		slices.Sort(packages)
		from := strings.Join(packages, " ")
		if e := Lookup(asm.Code(code)); e == nil {
			t.Errorf("%s, of %s, is not in the table", code, from)
		} else if e.From != from {
			t.Errorf("%s is from %q, not %q", code, from, e.From)
		}
	}
	for _, e := range all() {
		if len(found[string(e.Code)]) == 0 {
			t.Errorf("nothing uses %s", e.Code)
		}
	}
}

const document = "../docs/diagnostics.md"

var update = flag.Bool("update", false, "rewrite docs/diagnostics.md")

// TestDocument checks that the document matches the table.
func TestDocument(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`# Diagnostics

<!-- Made from the table of package diag by go test ./diag -update. -->

Diagnostics have the form ` + "`FILE:LINE:COL: MESSAGE [CODE]`" + `, or ` + "`+OFFSET`" + ` in place of the line for binary files. Remarks in
reports have codes too. Messages may change; codes keep their meaning, so scripts may match on them. For example,
` + "`a.psh:2:10: r32 is out of range: ps_2_0 has 32 [register-range]`" + ` has the code ` + "`register-range`" + `.

* **error**: shaderlift rejects an input, a case or an option, with exit status 1. If a well-formed program is only not
  supported, the program stays unchanged, and a remark has the code.
* **limit**: a program exceeds a limit of its model. ` + "`opt`" + ` rewrites it to fit, or rejects it with exit status 2.
* **note**: a remark in a report. It states which rewrite was not made, and why.
* **rewrite**: a remark in a report for a rewrite that was made. The run must ask for these.

| code | severity | meaning | packages |
|---|---|---|---|
`)
	for _, e := range all() {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", e.Code, e.Severity, strings.ReplaceAll(e.Meaning, "|", `\|`),
			strings.ReplaceAll(e.From, " ", "`, `"))
	}
	if *update {
		if err := os.WriteFile(document, b.Bytes(), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	stored, err := os.ReadFile(document)
	if err != nil {
		t.Fatal(err)
	}
	if d := cmp.Diff(string(stored), b.String()); d != "" {
		t.Errorf("docs/diagnostics.md is out of date; -update rewrites it:\n%s", d)
	}
}
