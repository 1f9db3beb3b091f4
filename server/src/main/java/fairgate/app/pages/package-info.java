/// The visitor's pages: drawn on the server so that they work without JavaScript, then brought to
/// life by the modules in `web/assets`.
@NullMarked
@CheckReturnValue
package fairgate.app.pages;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
