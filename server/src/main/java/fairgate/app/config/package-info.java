/// The settings: a table of keys, read from a file, the environment and the command line, checked
/// all at once, and handed on as one typed tree, `FairgateConfig`.
@NullMarked
@CheckReturnValue
package fairgate.app.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
