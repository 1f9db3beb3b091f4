/// Tests of the whole program.
@NullMarked
package fairgate.app;

import org.jspecify.annotations.NullMarked;
