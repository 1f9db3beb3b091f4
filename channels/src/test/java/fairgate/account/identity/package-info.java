@NullMarked
package fairgate.account.identity;

import org.jspecify.annotations.NullMarked;
