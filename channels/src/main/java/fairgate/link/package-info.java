/// Short links: making and managing them, redirecting, previews, QR codes.
@NullMarked
@CheckReturnValue
package fairgate.link;

import com.google.errorprone.annotations.CheckReturnValue;
import org.jspecify.annotations.NullMarked;
