/// Tests of the package of the same name.
@NullMarked
package fairgate.gate.signal;

import org.jspecify.annotations.NullMarked;
