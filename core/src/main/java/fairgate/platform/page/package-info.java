/// What all pages share: their frame, files, texts and settings.
@NullMarked
@CheckReturnValue
package fairgate.platform.page;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
