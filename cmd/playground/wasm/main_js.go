package main

import (
	"context"
	"runtime"
	"runtime/debug"
	"syscall/js"
)

// main gives its worker the function shaderlift(request, done). The function starts a goroutine,
// because waiting for a timer in the event loop would block the timer.
func main() {
	debug.SetGCPercent(400) // programs are small, and pages short-lived
	js.Global().Set("shaderlift", js.FuncOf(func(_ js.Value, args []js.Value) any {
		text, done := []byte(args[0].String()), args[1]
		go func() {
			done.Invoke(string(run(context.Background(), text)))
			// Collect now: it takes a third of a small request, and would otherwise delay every
			// second one.
			runtime.GC()
		}()
		return nil
	}))
	js.Global().Call("shaderliftReady")
	select {}
}
