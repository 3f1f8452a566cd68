// Prints the classes of Go's regular expressions as validators/go/unicode_classes.txt has them. Run it after the
// Go release of the API server has a new version of Unicode:
//
//	go run ./tests/support/unicode_classes > validators/go/unicode_classes.txt
package main

import (
	"fmt"
	"sort"
	"strings"
	"unicode"
)

func main() {
	fmt.Printf("# Unicode %s, from Go's package unicode: class, then ranges as gap and length in hexadecimal.\n", unicode.Version)
	fmt.Println("# NAME~ has what a class gains without regard to case; NAME=OTHER is an alias.")
	lines := []string{}
	add := func(names, folds map[string]*unicode.RangeTable) {
		for name, table := range names {
			// A pattern cannot name these: its names lose their underscores before they are looked up.
			if strings.Contains(name, "_") {
				continue
			}
			lines = append(lines, name+ranges(table))
			if more := folds[name]; more != nil {
				lines = append(lines, name+"~"+ranges(more))
			}
		}
	}
	add(unicode.Categories, unicode.FoldCategory)
	add(unicode.Scripts, unicode.FoldScript)
	for alias, name := range unicode.CategoryAliases {
		lines = append(lines, alias+"="+name)
	}
	sort.Strings(lines)
	fmt.Println(strings.Join(lines, "\n"))
}

func ranges(table *unicode.RangeTable) string {
	var out strings.Builder
	last, low := rune(0), rune(-1)
	for r := rune(0); r <= unicode.MaxRune+1; r++ {
		within := r <= unicode.MaxRune && unicode.Is(table, r)
		if within && low < 0 {
			low = r
		}
		if !within && low >= 0 {
			fmt.Fprintf(&out, " %x", low-last)
			if last = r - 1; last > low {
				fmt.Fprintf(&out, "+%x", last-low)
			}
			low = -1
		}
	}
	return out.String()
}
