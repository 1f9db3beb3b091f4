/// Products, their sale policies and stock batches, and the names of a sale's keys.
@NullMarked
@CheckReturnValue
package fairgate.catalog;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
