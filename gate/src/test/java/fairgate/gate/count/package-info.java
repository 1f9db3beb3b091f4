/// Tests of the package of the same name.
@NullMarked
package fairgate.gate.count;

import org.jspecify.annotations.NullMarked;
