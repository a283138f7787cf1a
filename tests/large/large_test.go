package large

import "testing"

func TestForm(t *testing.T) {
	for value, want := range map[string]int{"": 1, "small": 1, "large": 2} {
		t.Setenv("POOLGEN_TESTS", value)
		if got := Or(2, 1); got != want {
			t.Errorf("POOLGEN_TESTS=%s takes %d, want %d", value, got, want)
		}
		ran := false
		t.Run("only", func(t *testing.T) {
			Only(t)
			ran = true
		})
		if ran != (want == 2) {
			t.Errorf("POOLGEN_TESTS=%s: what only the large form has ran: %t", value, ran)
		}
	}
}
