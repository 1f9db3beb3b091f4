/// Tests of the package of the same name.
@NullMarked
package fairgate.gate.appeal;

import org.jspecify.annotations.NullMarked;
