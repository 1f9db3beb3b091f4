/// The page that shows the API's description to developers.
@NullMarked
@CheckReturnValue
package fairgate.app.pages.docs;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
