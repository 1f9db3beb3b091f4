/// Tests of the package of the same name.
@NullMarked
package fairgate.operator;

import org.jspecify.annotations.NullMarked;
