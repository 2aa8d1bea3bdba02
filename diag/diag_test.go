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
	// slot-limit, limit: more slots than the model has
	// <nil>
}

// The table has the codes that are used, where they are used, and no others, in order.
func TestTable(t *testing.T) {
	form := regexp.MustCompile(`^[a-z]+(-[a-z]+)*$`)
	for i, e := range table {
		if i > 0 && table[i-1].Code >= e.Code {
			t.Errorf("%s is not in its place", e.Code)
		}
		if !form.MatchString(string(e.Code)) || e.Meaning == "" || strings.HasSuffix(e.Meaning, ".") {
			t.Errorf("%s, %q: the form is another one", e.Code, e.Meaning)
		}
		if Lookup(e.Code) != &table[i] {
			t.Errorf("%s is not found", e.Code)
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
	for _, e := range table {
		if len(found[string(e.Code)]) == 0 {
			t.Errorf("nothing uses %s", e.Code)
		}
	}
}

const document = "../docs/diagnostics.md"

var update = flag.Bool("update", false, "rewrite docs/diagnostics.md")

// The document is that of the table.
func TestDocument(t *testing.T) {
	var b bytes.Buffer
	b.WriteString(`# Diagnostics

<!-- Made from the table of package diag by go test ./diag -update. -->

What is wrong with an input is told as ` + "`FILE:LINE:COL: MESSAGE [CODE]`" + `, or with ` + "`+OFFSET`" + ` for bytes; remarks of reports have
codes too. Messages may change; codes keep their meaning, and scripts may match on them.

* **error**: an input, a case or an option is refused, with exit status 1. Where a well-formed program is only not
  understood, it is left as it is, and the code is that of a remark.
* **limit**: a program takes more than its model has. It is made to fit, or refused with exit status 2.
* **note**: a remark in a report: what was not done, and why.
* **rewrite**: a remark in a report of which the run was asked for what was done too.

| code | | means | from |
|---|---|---|---|
`)
	for _, e := range table {
		fmt.Fprintf(&b, "| `%s` | %s | %s | `%s` |\n", e.Code, e.Severity, strings.ReplaceAll(e.Meaning, "|", `\|`), strings.ReplaceAll(e.From, " ", "`, `"))
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
