/// Tests of the admin API's parts that all features share.
@NullMarked
@CheckReturnValue
package fairgate.platform.admin;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
