@NullMarked
package fairgate.redeem.orders;

import org.jspecify.annotations.NullMarked;
