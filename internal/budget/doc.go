// Package budget limits the work, memory and time that one input may take.
//
// Work and memory are counted, not measured: each component defines its steps and bytes. The point at
// which a budget cuts off therefore depends only on the input, not on the machine or the number of
// workers. Time is the exception: a deadline cuts off at an arbitrary point.
//
// Each input has one budget, which follows its programs through passes, pricing, verification and
// execution. Each of these takes a [Budget.SubBudget], so that none exhausts the resources of another.
// Analyses poll the budget of the programs ([Budget.Poll]), so that none overruns the deadline. An
// exhausted budget stays exhausted and reports the resource.
package budget
