package wording_test

import (
	"context"
	"fmt"

	"github.com/shaderlift/shaderlift"
	"github.com/shaderlift/shaderlift/opt/wording"
)

func Example() {
	in := shaderlift.Input{Files: []shaderlift.File{{Name: "copy.psh", Data: []byte("ps_2_0\ndcl t0\nmov oC0, t0\n")}}}
	r, err := shaderlift.Optimize(context.Background(), in, shaderlift.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	fmt.Println(wording.Line(r, r.Status.String(), false))
	for _, text := range wording.Reasons(context.Background(), in, shaderlift.Options{}, r) {
		fmt.Println(text)
	}
	// Output:
	// unchanged: pixel 1 slot
	// no option helps: of 1 pixel operation, 1 could move without gain; see shaderlift explain
}
