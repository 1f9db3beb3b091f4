/// The report of a proof: a table for terminals, and an HTML page.
@NullMarked
@CheckReturnValue
package fairgate.prove.report;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
