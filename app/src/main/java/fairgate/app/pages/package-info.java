/// The visitor's pages: rendered on the server, so that they work without JavaScript, and enhanced
/// by the modules in `web/assets`.
@NullMarked
@CheckReturnValue
package fairgate.app.pages;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
