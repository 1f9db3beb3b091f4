/// Tests of the package of the same name.
@NullMarked
package fairgate.gate.ban;

import org.jspecify.annotations.NullMarked;
