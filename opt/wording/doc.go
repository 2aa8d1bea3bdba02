// Package wording describes results in the words of the command: the line about an input ([Line]), the reasons why it
// does not get cheaper ([Reasons]), remarks and verdicts. The playground prints the same words.
package wording
