/// Tests of the program as a whole and of what it serves.
@NullMarked
package fairgate.app;

import org.jspecify.annotations.NullMarked;
