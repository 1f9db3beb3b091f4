@NullMarked
package fairgate.redeem.guard;

import org.jspecify.annotations.NullMarked;
