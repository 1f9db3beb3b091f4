@NullMarked
package fairgate.redeem.code;

import org.jspecify.annotations.NullMarked;
