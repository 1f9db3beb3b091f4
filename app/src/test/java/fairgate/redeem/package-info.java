@NullMarked
package fairgate.redeem;

import org.jspecify.annotations.NullMarked;
