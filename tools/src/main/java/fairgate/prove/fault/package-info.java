/// What is done to a running sale: the rows of the fault matrix.
@NullMarked
@CheckReturnValue
package fairgate.prove.fault;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
