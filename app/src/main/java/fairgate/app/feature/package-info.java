/// The features that the server has by one entry each.
@NullMarked
@CheckReturnValue
package fairgate.app.feature;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
