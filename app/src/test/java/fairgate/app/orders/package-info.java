/// Orders as operators and buyers see them.
@NullMarked
package fairgate.app.orders;

import org.jspecify.annotations.NullMarked;
