/// Tests of the package of the same name.
@NullMarked
package fairgate.redeem.orders;

import org.jspecify.annotations.NullMarked;
