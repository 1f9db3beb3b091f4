/// What a proof came to: a table for terminals and one page.
@NullMarked
@CheckReturnValue
package fairgate.prove.report;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
