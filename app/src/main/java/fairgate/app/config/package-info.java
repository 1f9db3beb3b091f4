/// The settings: a table of keys, with values from a file, the environment and the command line,
/// checked together, and available as a typed tree, `FairgateConfig`.
@NullMarked
@CheckReturnValue
package fairgate.app.config;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
