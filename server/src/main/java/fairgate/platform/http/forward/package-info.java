/// Who is calling, when proxies stand in between.
@NullMarked
@CheckReturnValue
package fairgate.platform.http.forward;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
