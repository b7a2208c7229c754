# The preload library of the fault tests.  Not for the sanitizer build, whose
# runtime must come first.
FAULTS := build/release/t/faults.so
$(FAULTS): t/preload/faults.c
	@mkdir -p $(@D)
	$(CC) -D_GNU_SOURCE -std=c11 -Wall -Wextra -Werror -O2 -fPIC -shared -o $@ $< -ldl

tests: $(FAULTS)
