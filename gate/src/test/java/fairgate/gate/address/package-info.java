/// Tests of the package of the same name.
@NullMarked
package fairgate.gate.address;

import org.jspecify.annotations.NullMarked;
