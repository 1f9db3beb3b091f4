@NullMarked
package fairgate.account.message;

import org.jspecify.annotations.NullMarked;
