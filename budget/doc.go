// Package budget bounds what the handling of one input may take: work, memory and time.
//
// Work and memory are counted, in steps and bytes as whoever does the work reckons them,
// and not measured. What a budget cuts off is therefore a function of the input, the same
// on every machine and with any number of workers. Time is the exception: a budget with a
// deadline cuts off wherever it finds itself, and who sets one asked for that.
//
// One budget is made for an input, and goes along wherever its programs go: through
// passes, pricing, verification and execution. Each takes a [Budget.Part], so that none
// uses up what another needs. What analyses programs looks at the budget that comes with
// them ([Budget.Poll]), so that nothing runs on for long. A budget that is exhausted stays so, and says of what.
package budget
