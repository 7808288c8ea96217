// This file is put beside the parser's tests while they run: it writes down what their tables come to.

package parse

import (
	"encoding/json"
	"os"
	"testing"
)

func TestTowpathCapture(t *testing.T) {
	// The tests of nesting have their own limit.
	maxStackDepth = 10000
	textFormat = "%q"
	defer func() { textFormat = "%s" }()
	file, err := os.Create(os.Getenv("TOWPATH_CASES"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for _, test := range append(append([]parseTest{}, parseTests...), errorTests...) {
		line := map[string]string{"name": test.name, "text": test.input}
		tree, err := New(test.name).Parse(test.input, "", "", make(map[string]*Tree), builtins)
		if err != nil {
			line["error"] = err.Error()
		} else {
			line["shown"] = tree.Root.String()
		}
		if err := lines.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
}
