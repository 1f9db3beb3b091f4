/// Tests of the package of the same name.
@NullMarked
package fairgate.redeem.transfer;

import org.jspecify.annotations.NullMarked;
