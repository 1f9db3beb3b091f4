@NullMarked
package fairgate.account;

import org.jspecify.annotations.NullMarked;
