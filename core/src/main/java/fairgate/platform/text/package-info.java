/// Texts in three languages, language selection, prices and CSV.
@NullMarked
@CheckReturnValue
package fairgate.platform.text;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
