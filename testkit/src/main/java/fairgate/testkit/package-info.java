/// Real servers, fakes of outside services, clocks and clients for tests. Knows nothing of the
/// server.
@NullMarked
@CheckReturnValue
package fairgate.testkit;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
