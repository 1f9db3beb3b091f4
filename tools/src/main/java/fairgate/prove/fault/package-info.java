/// The faults that are injected into running sales.
@NullMarked
@CheckReturnValue
package fairgate.prove.fault;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
