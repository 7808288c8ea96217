// This file is put beside fmt's tests while they run: it writes down what their table comes to.

package fmt_test

import (
	"encoding/json"
	"fmt"
	"os"
	"testing"
	"text/template"
)

func TestTowpathCapture(t *testing.T) {
	file, err := os.Create(os.Getenv("TOWPATH_CASES"))
	if err != nil {
		t.Skip(err)
	}
	defer file.Close()
	lines := json.NewEncoder(file)
	for _, test := range fmtTests {
		line := map[string]any{
			"format": test.fmt, "value": template.TowpathValue(test.val), "text": []byte(fmt.Sprintf(test.fmt, test.val)),
		}
		if err := lines.Encode(line); err != nil {
			t.Fatal(err)
		}
	}
}
