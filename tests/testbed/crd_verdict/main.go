// crd-verdict answers creations and updates of CustomResourceDefinitions: one JSON question a line, one JSON answer a
// line.
//
// It calls the packages that kube-apiserver is built from, in the server's order, and decides nothing of its own.
package main

import (
	"bufio"
	"encoding/json"
	"flag"
	"fmt"
	"io"
	"os"
	"runtime/debug"

	"k8s.io/klog/v2"
)

const maxLine = 64 << 20

// version is that of k8s.io/apiextensions-apiserver in go.mod.
const version = "0.35.4"

func main() {
	if len(os.Args) == 2 && os.Args[1] == "-version" {
		fmt.Println(version)
		return
	}
	flags := flag.NewFlagSet("klog", flag.ContinueOnError)
	klog.InitFlags(flags)
	_ = flags.Set("logtostderr", "false")
	klog.SetOutput(io.Discard)
	lines := bufio.NewScanner(os.Stdin)
	lines.Buffer(make([]byte, 0, 1<<20), maxLine)
	out := json.NewEncoder(os.Stdout)
	out.SetEscapeHTML(false)
	for lines.Scan() {
		if err := out.Encode(answerTo(lines.Bytes())); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
	if err := lines.Err(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// answerTo answers every line, also when the server's code panics, as the server does.
func answerTo(line []byte) (found *answer) {
	defer func() {
		if p := recover(); p != nil {
			found = &answer{Error: fmt.Sprintf("panic: %v\n%s", p, debug.Stack())}
		}
	}()
	var asked question
	if err := json.Unmarshal(line, &asked); err != nil {
		return &answer{Error: err.Error()}
	}
	found, err := judge(&asked)
	if err != nil {
		return &answer{Error: err.Error()}
	}
	return found
}
